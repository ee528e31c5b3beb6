package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/exchange"
	"fieldmark/internal/identify"
	"fieldmark/templates"
)

// ExportService is what the page about exports needs of the domain.
type ExportService interface {
	ExportSummary(ctx context.Context, u identify.User, f identify.ObservationFilter) (identify.ExportSummary, error)
	ExportChoices(ctx context.Context, u identify.User) (identify.ExportChoices, error)
	SensitiveTaxa(ctx context.Context, u identify.User) ([]identify.SensitiveTaxon, error)
	AddSensitiveTaxon(ctx context.Context, u identify.User, t identify.TaxonID) error
	RemoveSensitiveTaxon(ctx context.Context, u identify.User, t identify.TaxonID) error
}

func (s *site) exportRoutes(r chi.Router) {
	r.Get("/export", s.handle(s.export))
	r.With(limitBody(formLimit)).Post("/export/sensitive", s.handle(s.addSensitive))
	r.With(limitBody(formLimit)).Post("/export/sensitive/{id}/remove", s.handle(s.removeSensitive))
}

// export shows what an export would have. The state of the form is its address,
// and its names are those of the API: what is shown is what is linked to.
func (s *site) export(w http.ResponseWriter, r *http.Request) error {
	query := exportQuery(r.URL.Query())
	page := templates.ExportPage{}
	if err := s.exportTaxon(r, query, &page); err != nil {
		return err
	}
	filter, err := identify.ReadFilter(query.Get)
	if identify.KindOf(err) == identify.Invalid && page.Problem == "" {
		page.Problem, page.Field = problem(r.Context(), err).Message, fieldOf(err)
	}
	if page.Problem != "" {
		return s.renderExport(w, r, http.StatusUnprocessableEntity, query, page)
	} else if err != nil {
		return err
	}
	summary, err := s.Export.ExportSummary(r.Context(), s.User(r), filter)
	if err != nil {
		return err
	}
	matched(&page, summary, query)
	if summary.Observations == 0 {
		all, err := s.Export.ExportSummary(r.Context(), s.User(r), identify.ObservationFilter{})
		if err != nil {
			return err
		}
		page.Anything = all.Observations > 0
	}
	return s.renderExport(w, r, http.StatusOK, query, page)
}

// exportQuery keeps what the page knows of an address.
func exportQuery(all url.Values) url.Values {
	query := url.Values{}
	for _, name := range append(identify.FilterNames(), "taxon", "photos", "exact_places") {
		if v := strings.TrimSpace(all.Get(name)); v != "" {
			query.Set(name, v)
		}
	}
	return query
}

// exportTaxon turns the name of a taxon that was typed into its id.
func (s *site) exportTaxon(r *http.Request, query url.Values, page *templates.ExportPage) error {
	typed := query.Get("taxon")
	if typed == "" {
		return nil
	}
	t, near, err := s.taxonNamed(r.Context(), typed)
	if err != nil {
		return err
	}
	if t != 0 {
		query.Del("taxon")
		query.Set("taxon_id", strconv.FormatInt(int64(t), 10))
		return nil
	}
	page.Field, page.Problem = "taxon", fmt.Sprintf("No taxon is called %q.", typed)
	if len(near) > 0 {
		page.Problem = fmt.Sprintf("No taxon is called just %q. Did you mean one of these?", typed)
	}
	for _, m := range near {
		query.Set("taxon_id", strconv.FormatInt(int64(m.ID), 10))
		link := templates.Link{Text: m.Label(), Detail: unlike(m.ScientificName, m.Label()), Path: exportPath(query, "taxon", "")}
		page.Matches = append(page.Matches, link)
	}
	query.Del("taxon_id")
	return nil
}

// taxonNamed finds the taxon of that name, or else those whose names begin so.
func (s *site) taxonNamed(ctx context.Context, name string) (identify.TaxonID, []identify.TaxonMatch, error) {
	list, err := s.Service.SearchTaxa(ctx, name, 8)
	if err != nil {
		return 0, nil, err
	}
	for _, m := range list {
		if strings.EqualFold(m.MatchedName, name) || strings.EqualFold(m.ScientificName, name) {
			return m.ID, nil, nil
		}
	}
	return 0, list, nil
}

// exportPath is the page's address with one parameter changed.
func exportPath(query url.Values, name, value string) string {
	v := url.Values{}
	for key, x := range query {
		v[key] = x
	}
	if v.Del(name); value != "" {
		v.Set(name, value)
	}
	if len(v) == 0 {
		return "/export"
	}
	return "/export?" + v.Encode()
}

// matched says how much matches, and where it is to be had.
func matched(page *templates.ExportPage, x identify.ExportSummary, query url.Values) {
	if x.Observations == 0 {
		return
	}
	for _, f := range []struct {
		n         int
		one, many string
	}{{x.Observations, "observation", "observations"}, {x.Identifications, "name given", "names given"},
		{x.Exemplars, "exemplar", "exemplars"}, {x.Photos, "photo", "photos"}} {
		page.Figures = append(page.Figures, templates.ExportFigure{Number: number(f.n), Of: strings.TrimPrefix(plural(f.n, f.one, f.many), number(f.n)+" ")})
	}
	if x.Sensitive > 0 && query.Get("exact_places") == "" {
		page.Hidden = plural(x.Sensitive, "observation is of a sensitive taxon: its place leaves", "observations are of sensitive taxa: their places leave") + " generalised."
	} else if x.Sensitive > 0 {
		page.Hidden = "Exact places of " + plural(x.Sensitive, "observation of a sensitive taxon", "observations of sensitive taxa") + " leave. Mind who gets them."
	}
	for _, f := range exchange.Formats() {
		if f.Standing && query.Get("state") == identify.StateWithdrawn || f.Embeddings && x.Exemplars == 0 {
			continue
		}
		photos := f.Photos
		if v := query.Get("photos"); v != "" {
			photos = v == "true"
		}
		link := url.Values{}
		for key, v := range query {
			link[key] = v
		}
		link.Set("format", f.Name)
		page.Downloads = append(page.Downloads, templates.Download{Name: f.Name, Title: f.Title, About: f.About,
			Size: "about " + roughly(f.Bytes(x, photos)), Path: "/api/v1/export?" + link.Encode()})
	}
}

// roughly is a number of bytes as people read it.
func roughly(n int64) string {
	for _, u := range []struct {
		size int64
		name string
	}{{1e9, "GB"}, {1e6, "MB"}} {
		if n >= u.size {
			return strconv.FormatFloat(float64(n)/float64(u.size), 'f', 1, 64) + " " + u.name
		}
	}
	return strconv.FormatInt(max(1, n/1000), 10) + " kB"
}
