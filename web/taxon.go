package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
	"fieldmark/web/spool"
)

// TaxaService is what the pages about names need.
type TaxaService interface {
	Taxon(ctx context.Context, id identify.TaxonID) (identify.Taxon, error)
	Ancestors(ctx context.Context, id identify.TaxonID) ([]identify.Taxon, error)
	TaxonDetails(ctx context.Context, id identify.TaxonID) (identify.TaxonDetails, error)
	TaxaBelow(ctx context.Context, parent identify.TaxonID, skip, limit int) (list []identify.Taxon, more bool, err error)
	Seen(t identify.Taxon) (seen, said bool)
	EditTaxon(ctx context.Context, u identify.User, id identify.TaxonID, e identify.TaxonEdit) (identify.Taxon, error)
	SearchTaxa(ctx context.Context, query string, limit int) ([]identify.TaxonMatch, error)
	PlanChecklist(ctx context.Context, u identify.User, c identify.Checklist) (identify.ChecklistPlan, error)
	TakeChecklist(ctx context.Context, u identify.User, c identify.Checklist, choice identify.ChecklistChoice, told func(identify.ImportProgress)) (identify.TakenChecklist, error)
	ResolveNames(ctx context.Context, list []string) (identify.ResolvedNames, error)
	LabelSet(ctx context.Context, id identify.LabelSetID) (identify.LabelSet, error)
	TaxaOf(ctx context.Context, set identify.LabelSet) ([]identify.Taxon, error)
	AddLabelSet(ctx context.Context, u identify.User, name string, labels []string, taxa []identify.TaxonID) (identify.LabelSet, error)
	ChangeLabelSet(ctx context.Context, u identify.User, id identify.LabelSetID, name string, labels []string, taxa []identify.TaxonID) (identify.LabelSet, error)
}

func (s *site) taxaRoutes(r chi.Router) {
	r.Get("/taxa/{id}", s.handle(s.taxon))
	r.Get("/label-sets/{id}", s.handle(s.labelSet))
	r.Get("/label-sets/{id}.csv", s.handle(s.labelSetCSV))
	r.With(limitBody(namesLimit)).Post("/label-sets", s.handle(s.addLabelSet))
	r.With(limitBody(namesLimit)).Post("/label-sets/{id}", s.handle(s.changeLabelSet))
	r.Group(func(r chi.Router) {
		r.Use(limitBody(formLimit))
		r.Post("/taxa/{id}", s.handle(s.editTaxon))
		r.Post("/label-sets/{id}/begin", s.handle(s.beginWith))
		r.Post("/label-sets/begin", s.handle(s.beginWith))
	})
	if s.Checklists != nil {
		r.Get("/taxa/import", s.handle(s.checklists))
		r.Get("/taxa/import/{file}", s.handle(s.checklist))
		r.With(limitBody(spool.MaxBytes+formLimit)).Post("/taxa/import", s.handle(s.uploadChecklist))
		r.With(limitBody(formLimit)).Post("/taxa/import/{file}", s.handle(s.takeChecklist))
	}
}

// namesPage is a page about names.
func (s *site) namesPage(r *http.Request, title string) templates.Page {
	p := s.page(r, title, "names")
	p.Styles = []string{"names.css"}
	return p
}

const (
	belowShown     = 120 // children of a taxon on one page
	exemplarsShown = 12
)

// taxon is the page of one taxon.
func (s *site) taxon(w http.ResponseWriter, r *http.Request) error {
	return s.renderTaxon(w, r, http.StatusOK, nil)
}

// renderTaxon shows a taxon; form is what a curator typed that could not be saved.
func (s *site) renderTaxon(w http.ResponseWriter, r *http.Request, status int, form *templates.TaxonForm) error {
	id, err := idParam(r, "id")
	if err != nil {
		return err
	}
	t, err := s.Taxa.Taxon(r.Context(), identify.TaxonID(id))
	if err != nil {
		return err
	}
	above, err := s.Taxa.Ancestors(r.Context(), t.ID)
	if err != nil {
		return err
	}
	d, err := s.Taxa.TaxonDetails(r.Context(), t.ID)
	if err != nil {
		return err
	}
	name := nameOf(r.Context(), t)
	page := templates.TaxonPage{Name: name, Scientific: unlike(t.ScientificName, name), Kicker: detail(r.Context(), t.Rank, t.Group, t.Local),
		Crumbs: []templates.Crumb{{Name: words.T(r.Context(), "All"), Link: "/taxa"}}, Facts: s.taxonFacts(r.Context(), t, d), BelowCount: words.Number(r.Context(), d.Children)}
	for i := len(above) - 1; i >= 0; i-- {
		page.Crumbs = append(page.Crumbs, templates.Crumb{Name: nameOf(r.Context(), above[i]), Link: taxonPagePath(above[i].ID)})
	}
	if page.Below, page.More, err = s.below(r, t.ID); err != nil {
		return err
	}
	for _, set := range d.Sets {
		page.Sets = append(page.Sets, templates.TaxonLink{Name: labelSetName(r.Context(), set), Link: labelSetPath(set.ID)})
	}
	if s.Gallery != nil && d.Lessons > 0 {
		list, _, err := s.Gallery.Exemplars(r.Context(), identify.GalleryFilter{Taxon: t.ID, Limit: exemplarsShown})
		if err != nil {
			return err
		}
		page.Exemplars, page.All = exemplarThumbs(r.Context(), list), "/memory?taxon="+strconv.FormatInt(id, 10)
	}
	if page.Synonymy, err = s.synonymyPart(r, t); err != nil {
		return err
	}
	if s.User(r).Role.Allows(identify.Curator) && (t.Accepted == 0 || form != nil) {
		if page.Form = form; form == nil {
			page.Form = taxonForm(t)
		}
		page.Form.Ranks = rankOptions(r.Context(), identify.Rank(cmp.Or(r.PostFormValue("rank"), string(t.Rank))))
	}
	return s.render(w, r, status, templates.Taxon(s.namesPage(r, name), page))
}

func taxonPagePath(id identify.TaxonID) string { return "/taxa/" + strconv.FormatInt(int64(id), 10) }

// below lists the children of a taxon from where the address says.
func (s *site) below(r *http.Request, id identify.TaxonID) (list []templates.TaxonLink, more string, err error) {
	from, _ := strconv.Atoi(r.URL.Query().Get("from")) // what is no number is the first page
	taxa, others, err := s.Taxa.TaxaBelow(r.Context(), id, max(0, from), belowShown)
	if err != nil {
		return nil, "", err
	}
	for _, t := range taxa {
		list = append(list, taxonLink(r.Context(), t))
	}
	if others {
		more = fmt.Sprintf("%s?from=%d", strings.TrimSuffix(r.URL.Path, "/"), max(0, from)+belowShown)
	}
	return list, more, nil
}

func taxonLink(ctx context.Context, t identify.Taxon) templates.TaxonLink {
	name := nameOf(ctx, t)
	return templates.TaxonLink{Name: name, Scientific: unlike(t.ScientificName, name), Rank: detail(ctx, t.Rank, "", t.Local), Link: taxonPagePath(t.ID)}
}

func (s *site) taxonFacts(ctx context.Context, t identify.Taxon, d identify.TaxonDetails) []templates.Fact {
	facts := []templates.Fact{{Term: words.T(ctx, "Lessons that stand"), Value: words.Number(ctx, d.Lessons)}, {Term: words.T(ctx, "Observations"), Value: words.Number(ctx, d.Observations)}}
	if len(t.Synonyms) > 0 {
		facts = append(facts, templates.Fact{Term: words.T(ctx, "Also called"), Value: strings.Join(t.Synonyms, ", ")})
	}
	if t.EnglishName != "" && t.EnglishName != nameOf(ctx, t) {
		facts = append(facts, templates.Fact{Term: languageName(ctx, "en"), Value: t.EnglishName})
	}
	for _, v := range t.Vernacular {
		facts = append(facts, templates.Fact{Term: languageName(ctx, v.Language), Value: v.Name})
	}
	if seen, said := s.Taxa.Seen(t); said && t.Rank != identify.RankNone && d.Children == 0 {
		value := words.T(ctx, "has learned to see it")
		if !seen {
			value = words.T(ctx, "has never learned to see it")
		}
		facts = append(facts, templates.Fact{Term: words.T(ctx, "The encoder"), Value: value})
	}
	return append(facts, templates.Fact{Term: words.T(ctx, "Number"), Value: strconv.FormatInt(int64(t.ID), 10)})
}
