package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/exchange"
	"fieldmark/internal/identify"
	"fieldmark/internal/words"
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
	matched(r.Context(), &page, summary, query)
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
	for _, name := range append(identify.FilterNames(), "taxon", "photos", "exact_places", "original_photos") {
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
	page.Field, page.Problem = "taxon", words.T(r.Context(), "No taxon is called %q.", typed)
	if len(near) > 0 {
		page.Problem = words.T(r.Context(), "No taxon is called just %q. Did you mean one of these?", typed)
	}
	for _, m := range near {
		query.Set("taxon_id", strconv.FormatInt(int64(m.ID), 10))
		name := nameOf(r.Context(), m.Taxon)
		link := templates.Link{Text: name, Detail: unlike(m.ScientificName, name), Path: exportPath(query, "taxon", "")}
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
		if m.Same {
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
func matched(ctx context.Context, page *templates.ExportPage, x identify.ExportSummary, query url.Values) {
	if x.Observations == 0 {
		return
	}
	page.Figures = []templates.ExportFigure{
		exportFigure(ctx, words.Key("%d observations"), x.Observations), exportFigure(ctx, words.Key("%d names given"), x.Identifications),
		exportFigure(ctx, words.Key("%d exemplars"), x.Exemplars), exportFigure(ctx, words.Key("%d photos"), x.Photos)}
	if x.Sensitive > 0 && query.Get("exact_places") == "" {
		page.Hidden = words.T(ctx, "%d observations are of sensitive taxa: their places leave generalised.", x.Sensitive)
	} else if x.Sensitive > 0 {
		page.Hidden = words.T(ctx, "Exact places of %d observations of sensitive taxa leave. Mind who gets them.", x.Sensitive)
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
		page.Downloads = append(page.Downloads, templates.Download{Name: f.Name, Title: f.Title, About: formatAbout(ctx, f),
			Size: words.T(ctx, "about %s", roughly(ctx, f.Bytes(x, photos))), Path: "/api/v1/export?" + link.Encode()})
	}
}

// exportFigure shows a number apart from what it counts: key says both, the number
// first.
func exportFigure(ctx context.Context, key words.Key, n int) templates.ExportFigure {
	number := words.Number(ctx, n)
	return templates.ExportFigure{Number: number, Of: strings.TrimPrefix(words.T(ctx, key, n), number+" ")}
}

// formatAbout says what a form of export has.
func formatAbout(ctx context.Context, f exchange.Format) string {
	switch f.Name {
	case "csv":
		return words.T(ctx, "One row for each identification, withdrawn ones too. Opens in a spreadsheet.")
	case "dwca":
		return words.T(ctx, "Occurrences with their photos' licences and their history of identifications, as GBIF and other aggregators read it.")
	case "coco":
		return words.T(ctx, "Photos with a JSON of images, categories and annotations. Names that stand.")
	case "fiftyone":
		return words.T(ctx, "A folder that FiftyOne opens as an image classification dataset. Photos with the name that stands.")
	case "npz":
		return words.T(ctx, "The exemplars' embeddings and labels as arrays. Another Fieldmark can import it.")
	case "parquet":
		return words.T(ctx, "The exemplars with embeddings, names, people and times, one a row, as pandas, DuckDB and Spark read it.")
	}
	return f.About
}

// roughly is a number of bytes as people read it.
func roughly(ctx context.Context, n int64) string {
	if n >= 1e9 {
		return words.T(ctx, "%.1f GB", float64(n)/1e9)
	}
	return words.Size(ctx, n)
}
