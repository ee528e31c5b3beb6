package web

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"fieldmark/internal/exchange"
	"fieldmark/internal/identify"
	"fieldmark/internal/words"
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
		v := labelSet(r.Context(), set, may)
		if set.ID == s.DefaultSet {
			v.Learned = strings.TrimSpace(v.Learned + " " + words.T(r.Context(), "The first page, unless you choose a label set, asks only what was learned or taught; this asks every name."))
		}
		page.Sets = append(page.Sets, v)
	}
	return s.render(w, r, status, templates.LabelSets(s.labelSetPage(r, words.T(r.Context(), "Label sets")), page))
}

func labelSetPath(id identify.LabelSetID) string { return fmt.Sprintf("/label-sets/%d", id) }

func labelSet(ctx context.Context, set identify.LabelSet, may bool) templates.LabelSet {
	v := templates.LabelSet{ID: int64(set.ID), Name: labelSetName(ctx, set), Builtin: set.Builtin, CanDrop: may && !set.Builtin,
		Count: words.T(ctx, "%d names", len(set.Taxa)), UseLink: "/" + setQuery(set.ID), Link: labelSetPath(set.ID),
		DropLink: labelSetPath(set.ID) + "/delete"}
	if set.Seen >= 0 && len(set.Taxa) > 0 {
		v.Shares = true
		v.Share = share(ctx, float64(set.Seen)/float64(len(set.Taxa)))
		v.Learned = learned(ctx, set)
	}
	return v
}

// learned says how many names of a label set the encoder has learned to see.
func learned(ctx context.Context, set identify.LabelSet) string {
	if set.Seen == len(set.Taxa) {
		return words.T(ctx, "The encoder has learned to see all of them.")
	}
	return unlearned(ctx, set)
}

// namesLimit bounds the body of a form with the names of a label set, typed or in a file.
const namesLimit = 4 << 20

// addLabelSet makes one of names that were typed, pasted or uploaded.
func (s *site) addLabelSet(w http.ResponseWriter, r *http.Request) error {
	form, taxa, err := s.labelSetForm(r)
	var set identify.LabelSet
	if err == nil {
		set, err = s.Service.AddLabelSet(r.Context(), s.User(r), form.Name, nil, taxa)
	}
	if status, refused := refuseLabelSet(r.Context(), &form, err); refused {
		return s.renderLabelSets(w, r, status, form)
	} else if err != nil {
		return err
	}
	return seeOther(w, r, labelSetPath(set.ID))
}

// refuseLabelSet puts what is wrong beside the field that it is about.
func refuseLabelSet(ctx context.Context, form *templates.LabelSetForm, err error) (status int, refused bool) {
	if kind := identify.KindOf(err); kind != identify.Invalid && kind != identify.Conflict && kind != identify.TooLarge {
		return 0, false
	}
	p := problem(ctx, err)
	if fieldOf(err) == "name" {
		form.NameProblem = p.Message
	} else {
		form.NamesNote = p.Message
	}
	return p.Status, true
}

// labelSetForm reads the form of a label set and finds its names. Where some are
// unknown, the form asks what was meant, and the error says so.
func (s *site) labelSetForm(r *http.Request) (form templates.LabelSetForm, taxa []identify.TaxonID, err error) {
	if err := parseForm(r); err != nil { // of a body without parts, ParseMultipartForm hides the error
		return form, nil, err
	}
	if err := r.ParseMultipartForm(namesLimit); err != nil && err != http.ErrNotMultipart {
		return form, nil, brokenForm(err)
	}
	form.Name = r.PostFormValue("name")
	names := exchange.SplitNames(r.PostFormValue("names"))
	if r.MultipartForm != nil {
		for _, head := range r.MultipartForm.File["file"] {
			f, err := head.Open()
			if err != nil {
				return form, nil, err
			}
			data, err := io.ReadAll(f)
			f.Close()
			if err != nil {
				return form, nil, err
			}
			more, err := exchange.ReadNames(data)
			if err != nil {
				return form, nil, err
			}
			names = append(names, more...)
		}
	}
	names = append(names, exchange.SplitNames(r.PostFormValue("q"))...)
	names = meant(names, r.PostForm["unknown"], r.PostForm["choice"])
	form.Names = strings.Join(names, "\n")
	if len(names) == 0 {
		return form, nil, identify.Errorf(identify.Invalid, "labels", "A label set needs at least one name.")
	}
	found, err := s.Taxa.ResolveNames(r.Context(), names)
	if err != nil || len(found.Unknown) == 0 {
		return form, found.Taxa, err
	}
	for _, u := range found.Unknown {
		form.Unknown = append(form.Unknown, unknownName(r.Context(), u))
	}
	return form, nil, unknownNames(found.Unknown)
}

func unknownNames(list []identify.UnknownName) error {
	if len(list) == 1 {
		return identify.Errorf(identify.Invalid, "labels", "No taxon has the name %q.", list[0].Name)
	}
	return identify.Errorf(identify.Invalid, "labels", "%d of these names no taxon has, %q among them.", len(list), list[0].Name)
}

const withoutName = "-" // the choice to leave a name out

func unknownName(ctx context.Context, u identify.UnknownName) templates.UnknownName {
	v := templates.UnknownName{Name: u.Name}
	for i, t := range u.Near {
		label := nameOf(ctx, t)
		if sci := unlike(t.ScientificName, label); sci != "" {
			label += " (" + sci + ")"
		}
		v.Options = append(v.Options, templates.Option{Value: t.Label(), Label: label, Selected: i == 0})
	}
	return templates.UnknownName{Name: v.Name, Options: append(v.Options,
		templates.Option{Value: withoutName, Label: words.T(ctx, "Leave it out"), Selected: len(u.Near) == 0}, templates.Option{Value: "", Label: words.T(ctx, "Keep it as it is")})}
}

// meant replaces names by what a person chose for each.
func meant(names, unknown, choices []string) []string {
	choice := map[string]string{}
	for i, name := range unknown {
		if i < len(choices) && choices[i] != "" {
			choice[name] = choices[i]
		}
	}
	var list []string
	for _, name := range names {
		instead, chosen := choice[strings.Join(strings.Fields(name), " ")]
		switch {
		case !chosen:
			list = append(list, name)
		case instead != withoutName:
			list = append(list, instead)
		}
	}
	return list
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
