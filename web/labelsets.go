package web

import (
	"fmt"
	"net/http"
	"strings"

	"fieldmark/internal/identify"
	"fieldmark/templates"
)

// labelSets lists the label sets.
func (s *site) labelSets(w http.ResponseWriter, r *http.Request) error {
	return s.renderLabelSets(w, r, http.StatusOK, templates.LabelSetForm{})
}

func (s *site) renderLabelSets(w http.ResponseWriter, r *http.Request, status int, form templates.LabelSetForm) error {
	sets, err := s.Service.LabelSets(r.Context())
	if err != nil {
		return err
	}
	may := s.User(r).Role.Allows(identify.Curator)
	page := templates.LabelSetsPage{CanAdd: may, Form: form}
	for _, set := range sets {
		v := labelSet(set, may)
		if set.ID == s.DefaultSet {
			v.Learned = strings.TrimSpace(v.Learned + " The first page, unless you choose a label set, asks only what was learned or taught; this asks every name.")
		}
		page.Sets = append(page.Sets, v)
	}
	return s.render(w, r, status, templates.LabelSets(s.page(r, "Label sets", "names"), page))
}

func labelSet(set identify.LabelSet, may bool) templates.LabelSet {
	v := templates.LabelSet{ID: int64(set.ID), Name: set.Name, Builtin: set.Builtin, CanDrop: may && !set.Builtin,
		Count: plural(len(set.Taxa), "name", "names"), UseLink: "/" + setQuery(set.ID),
		DropLink: fmt.Sprintf("/label-sets/%d/delete", set.ID)}
	if set.Seen >= 0 && len(set.Taxa) > 0 {
		v.Shares = true
		v.Share = share(float64(set.Seen) / float64(len(set.Taxa)))
		v.Learned = learned(set)
	}
	return v
}

// learned says how many names of a label set the encoder has learned to see.
func learned(set identify.LabelSet) string {
	if set.Seen == len(set.Taxa) {
		return "The encoder has learned to see all of them."
	}
	return unlearned(set)
}

// addLabelSet makes one of pasted names.
func (s *site) addLabelSet(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	form := templates.LabelSetForm{Name: r.PostForm.Get("name"), Names: r.PostForm.Get("names")}
	_, err := s.Service.AddLabelSet(r.Context(), s.User(r), form.Name, pastedNames(form.Names), nil)
	if kind := identify.KindOf(err); kind == identify.Invalid || kind == identify.Conflict {
		p := problem(err)
		if fieldOf(err) == "name" {
			form.NameProblem = p.Message
		} else {
			form.NamesNote = p.Message
		}
		return s.renderLabelSets(w, r, p.Status, form)
	} else if err != nil {
		return err
	}
	return seeOther(w, r, "/label-sets")
}

// pastedNames takes names one to a line, or separated by semicolons or tabs, as
// they come out of a list or a spreadsheet.
func pastedNames(text string) []string {
	var names []string
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n\r\t;", r) }) {
		if name = strings.Trim(strings.TrimSpace(name), `"`); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func (s *site) deleteLabelSet(w http.ResponseWriter, r *http.Request) error {
	id, err := idParam(r, "id")
	if err != nil {
		return err
	}
	if err := s.Service.DeleteLabelSet(r.Context(), s.User(r), identify.LabelSetID(id)); err != nil {
		return err
	}
	return seeOther(w, r, "/label-sets")
}
