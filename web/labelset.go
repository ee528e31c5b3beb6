package web

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// setCookie keeps which label set the first page begins with.
const setCookie = "label-set"

// beginning is the label set that a person begins with, 0 for none; one that is gone
// is none.
func (s *site) beginning(r *http.Request) identify.LabelSetID {
	c, err := r.Cookie(setCookie)
	if err != nil || s.Taxa == nil {
		return 0
	}
	id, err := labelSetParam(c.Value)
	if err != nil || id == 0 {
		return 0
	}
	if _, err := s.Taxa.LabelSet(r.Context(), id); err != nil {
		return 0
	}
	return id
}

// beginWith remembers the label set of the address, or none, for a year.
func (s *site) beginWith(w http.ResponseWriter, r *http.Request) error {
	c := http.Cookie{Name: setCookie, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: r.TLS != nil}
	back := "/label-sets"
	if strings.HasPrefix(r.URL.Path, "/label-sets/") && r.URL.Path != "/label-sets/begin" {
		id, err := idParam(r, "id")
		if err != nil {
			return err
		}
		if _, err := s.Taxa.LabelSet(r.Context(), identify.LabelSetID(id)); err != nil {
			return err
		}
		c.Value, c.MaxAge, back = strconv.FormatInt(id, 10), 365*24*60*60, labelSetPath(identify.LabelSetID(id))
	}
	http.SetCookie(w, &c)
	return seeOther(w, r, back)
}

// labelSet is the page of one label set.
func (s *site) labelSet(w http.ResponseWriter, r *http.Request) error {
	return s.renderLabelSet(w, r, http.StatusOK, nil)
}

// labelSetPage is the frame of a page with the form of a label set.
func (s *site) labelSetPage(r *http.Request, title string) templates.Page {
	p := s.namesPage(r, title)
	p.Scripts = []string{"labelset.js"}
	return p
}

// namesShown is how many names of a label set its page lists.
const namesShown = 600

// renderLabelSet shows a label set; form is what could not be saved.
func (s *site) renderLabelSet(w http.ResponseWriter, r *http.Request, status int, form *templates.LabelSetForm) error {
	set, taxa, err := s.labelSetOf(r)
	if err != nil {
		return err
	}
	path := labelSetPath(set.ID)
	ctx := r.Context()
	byName(ctx, taxa)
	page := templates.LabelSetPage{Name: labelSetName(ctx, set), Count: words.T(ctx, "%d names", len(set.Taxa)), UseLink: "/" + setQuery(set.ID), CSVLink: path + ".csv",
		BeginLink: path + "/begin", Begins: s.beginning(r) == set.ID, DropLink: path + "/delete", More: others(ctx, len(taxa)-namesShown)}
	if set.Seen >= 0 {
		page.Learned = learned(r.Context(), set)
	}
	var names []string
	for i, t := range taxa {
		names = append(names, nameInSet(t))
		if i < namesShown {
			seen, said := s.Taxa.Seen(t)
			page.Names = append(page.Names, templates.LabelSetName{TaxonLink: taxonLink(r.Context(), t), Unseen: said && !seen && t.Rank != identify.RankNone})
		}
	}
	if s.User(r).Role.Allows(identify.Curator) && !set.Builtin {
		if page.Form = form; form == nil {
			page.Form = &templates.LabelSetForm{Name: set.Name, Names: strings.Join(names, "\n")}
		}
		page.Form.Action = path
	}
	return s.render(w, r, status, templates.LabelSetDetails(s.labelSetPage(r, page.Name), page))
}

// nameInSet is the name by which a taxon is found again.
func nameInSet(t identify.Taxon) string {
	if t.ScientificName != "" {
		return t.ScientificName
	}
	return t.EnglishName
}

func (s *site) labelSetOf(r *http.Request) (set identify.LabelSet, taxa []identify.Taxon, err error) {
	id, err := idParam(r, "id")
	if err != nil {
		return set, nil, err
	}
	if set, err = s.Taxa.LabelSet(r.Context(), identify.LabelSetID(id)); err != nil {
		return set, nil, err
	}
	taxa, err = s.Taxa.TaxaOf(r.Context(), set)
	return set, taxa, err
}

// changeLabelSet saves a label set's name and names.
func (s *site) changeLabelSet(w http.ResponseWriter, r *http.Request) error {
	id, err := idParam(r, "id")
	if err != nil {
		return err
	}
	form, taxa, err := s.labelSetForm(r)
	if err == nil {
		_, err = s.Taxa.ChangeLabelSet(r.Context(), s.User(r), identify.LabelSetID(id), form.Name, nil, taxa)
	}
	if status, refused := refuseLabelSet(r.Context(), &form, err); refused {
		return s.renderLabelSet(w, r, status, &form)
	} else if err != nil {
		return err
	}
	return seeOther(w, r, labelSetPath(identify.LabelSetID(id)))
}

// labelSetCSV is a label set as a table, which can be uploaded again.
func (s *site) labelSetCSV(w http.ResponseWriter, r *http.Request) error {
	set, taxa, err := s.labelSetOf(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8; header=present")
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="fieldmark-label-set-%d.csv"`, set.ID))
	out := csv.NewWriter(w)
	rows := [][]string{{"scientific_name", "english_name", "rank", "taxon_id", "seen"}}
	for _, t := range taxa {
		learned := ""
		if seen, said := s.Taxa.Seen(t); said {
			learned = strconv.FormatBool(seen)
		}
		rows = append(rows, []string{plainCell(nameInSet(t)), plainCell(t.EnglishName), string(t.Rank), strconv.FormatInt(int64(t.ID), 10), learned})
	}
	return out.WriteAll(rows)
}
