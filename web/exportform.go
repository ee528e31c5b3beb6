package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// renderExport fills in the form.
func (s *site) renderExport(w http.ResponseWriter, r *http.Request, status int, query url.Values, e templates.ExportPage) error {
	if isFragment(r) {
		return s.render(w, r, status, templates.ExportMatching(e))
	}
	form, err := s.exportForm(r, query)
	if err != nil {
		return err
	}
	sensitive, err := s.Export.SensitiveTaxa(r.Context(), s.User(r))
	if err != nil {
		return err
	}
	for _, t := range sensitive {
		name := called(r.Context(), t.Taxon, t.Label)
		e.Sensitive = append(e.Sensitive, templates.SensitiveTaxon{ID: int64(t.Taxon), Name: cmp.Or(name, t.Name), Scientific: unlike(t.Name, name), By: t.AddedBy})
	}
	e.Form, e.Filtered, e.Coarse = form, len(query) > 0, words.T(r.Context(), "%.1f degrees", identify.Coarse)
	page := s.page(r, words.T(r.Context(), "Export"), "memory")
	page.Styles = []string{"export.css"}
	return s.render(w, r, status, templates.Export(page, e))
}

func (s *site) exportForm(r *http.Request, query url.Values) (templates.ExportForm, error) {
	f := templates.ExportForm{Taxon: query.Get("taxon"), TaxonID: query.Get("taxon_id"), Query: query.Get("q"), From: query.Get("from"), To: query.Get("to"),
		TaughtFrom: query.Get("taught_from"), TaughtTo: query.Get("taught_to"), Near: query.Get("near"), Within: query.Get("within_km"), Box: query.Get("bbox"),
		Exact: query.Get("exact_places") != "", Originals: query.Get("original_photos") != ""}
	f.Open = f.Near != "" || f.Within != "" || f.Box != "" || f.TaughtFrom != "" || f.TaughtTo != "" || f.Query != ""
	if id, err := strconv.ParseInt(f.TaxonID, 10, 64); err == nil {
		t, err := s.Service.Taxon(r.Context(), identify.TaxonID(id))
		if err != nil {
			return f, err
		}
		f.TaxonName, f.WithoutTaxon = nameOf(r.Context(), t), exportPath(query, "taxon_id", "")
	}
	choices, err := s.Export.ExportChoices(r.Context(), s.User(r))
	if err != nil {
		return f, err
	}
	sets, err := s.Service.LabelSets(r.Context())
	if err != nil {
		return f, err
	}
	exportChoices(r.Context(), &f, sets, choices)
	for name, list := range map[string][]templates.Option{"label_set": f.Sets, "identified_by": f.People, "license": f.Licenses,
		"state": f.States, "status": f.Statuses, "photos": f.Photos} {
		for i := range list {
			list[i].Selected = list[i].Value == query.Get(name)
		}
	}
	return f, nil
}

// exportChoices fills in what can be chosen.
func exportChoices(ctx context.Context, f *templates.ExportForm, sets []identify.LabelSet, choices identify.ExportChoices) {
	f.Sets = []templates.Option{{Label: words.T(ctx, "Any")}}
	for _, x := range sets {
		f.Sets = append(f.Sets, templates.Option{Value: strconv.FormatInt(int64(x.ID), 10), Label: labelSetName(ctx, x), Data: !x.Builtin})
	}
	f.People = []templates.Option{{Label: words.T(ctx, "Anyone")}}
	for _, u := range choices.People {
		f.People = append(f.People, templates.Option{Value: strconv.FormatInt(int64(u.ID), 10), Label: u.Name, Data: true})
	}
	f.Licenses = []templates.Option{{Label: words.T(ctx, "Any")}, {Value: identify.NoLicense, Label: words.T(ctx, "None given")}}
	for _, l := range choices.Licenses {
		f.Licenses = append(f.Licenses, templates.Option{Value: l, Label: l, Data: true})
	}
	f.States = []templates.Option{{Label: words.T(ctx, "All, undone ones too")}, {Value: identify.StateStanding, Label: words.T(ctx, "Those that stand")},
		{Value: identify.StateWithdrawn, Label: words.T(ctx, "Those that were undone")}}
	f.Statuses = []templates.Option{{Label: words.T(ctx, "All")}, {Value: "identified", Label: words.T(ctx, "With a name")},
		{Value: "unidentified", Label: words.T(ctx, "Without a name")}}
	f.Photos = []templates.Option{{Label: words.T(ctx, "As each form has it")}, {Value: "true", Label: words.T(ctx, "Yes")}, {Value: "false", Label: words.T(ctx, "No")}}
}

// addSensitive adds a taxon by its name.
func (s *site) addSensitive(w http.ResponseWriter, r *http.Request) error {
	name := strings.TrimSpace(r.PostFormValue("taxon"))
	if name == "" {
		return identify.Errorf(identify.Invalid, "taxon", "Write the name of a taxon first.")
	}
	t, err := s.namedTaxon(r.Context(), name)
	if err != nil {
		return err
	}
	if err := s.Export.AddSensitiveTaxon(r.Context(), s.User(r), t); err != nil {
		return err
	}
	return seeOther(w, r, "/export#sensitive")
}

func (s *site) removeSensitive(w http.ResponseWriter, r *http.Request) error {
	id, err := idParam(r, "id")
	if err != nil {
		return err
	}
	if err := s.Export.RemoveSensitiveTaxon(r.Context(), s.User(r), identify.TaxonID(id)); err != nil {
		return err
	}
	return seeOther(w, r, "/export#sensitive")
}
