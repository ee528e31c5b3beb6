package web

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"fieldmark/internal/identify"
	"fieldmark/templates"
)

// renderExport fills in the form.
func (s *site) renderExport(w http.ResponseWriter, r *http.Request, status int, query url.Values, e templates.ExportPage) error {
	form, err := s.exportForm(r, query)
	if err != nil {
		return err
	}
	sensitive, err := s.Export.SensitiveTaxa(r.Context(), s.User(r))
	if err != nil {
		return err
	}
	for _, t := range sensitive {
		e.Sensitive = append(e.Sensitive, templates.SensitiveTaxon{ID: int64(t.Taxon), Name: cmp.Or(t.Label, t.Name), Scientific: unlike(t.Name, t.Label), By: t.AddedBy})
	}
	e.Form, e.Filtered, e.Coarse = form, len(query) > 0, fmt.Sprintf("%g degrees", identify.Coarse)
	page := s.page(r, "Export", "memory")
	page.Styles = []string{"export.css"}
	return s.render(w, r, status, templates.Export(page, e))
}

func (s *site) exportForm(r *http.Request, query url.Values) (templates.ExportForm, error) {
	f := templates.ExportForm{Taxon: query.Get("taxon"), TaxonID: query.Get("taxon_id"), Query: query.Get("q"), From: query.Get("from"), To: query.Get("to"),
		TaughtFrom: query.Get("taught_from"), TaughtTo: query.Get("taught_to"), Near: query.Get("near"), Within: query.Get("within_km"), Box: query.Get("bbox"),
		Exact: query.Get("exact_places") != ""}
	f.Open = f.Near != "" || f.Within != "" || f.Box != "" || f.TaughtFrom != "" || f.TaughtTo != "" || f.Query != ""
	if id, err := strconv.ParseInt(f.TaxonID, 10, 64); err == nil {
		t, err := s.Service.Taxon(r.Context(), identify.TaxonID(id))
		if err != nil {
			return f, err
		}
		f.TaxonName, f.WithoutTaxon = t.Label(), exportPath(query, "taxon_id", "")
	}
	choices, err := s.Export.ExportChoices(r.Context(), s.User(r))
	if err != nil {
		return f, err
	}
	sets, err := s.Service.LabelSets(r.Context())
	if err != nil {
		return f, err
	}
	options := func(name string, pairs ...string) (list []templates.Option) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, templates.Option{Value: pairs[i], Label: pairs[i+1], Selected: query.Get(name) == pairs[i]})
		}
		return list
	}
	ofSets, people, licenses := []string{"", "Any"}, []string{"", "Anyone"}, []string{"", "Any", identify.NoLicense, "None given"}
	for _, x := range sets {
		ofSets = append(ofSets, strconv.FormatInt(int64(x.ID), 10), x.Name)
	}
	for _, u := range choices.People {
		people = append(people, strconv.FormatInt(int64(u.ID), 10), u.Name)
	}
	for _, l := range choices.Licenses {
		licenses = append(licenses, l, l)
	}
	f.Sets, f.People, f.Licenses = options("label_set", ofSets...), options("identified_by", people...), options("license", licenses...)
	f.States = options("state", "", "All, undone ones too", identify.StateStanding, "Those that stand", identify.StateWithdrawn, "Those that were undone")
	f.Statuses = options("status", "", "All", "identified", "With a name", "unidentified", "Without a name")
	f.Photos = options("photos", "", "As each form has it", "true", "Yes", "false", "No")
	return f, nil
}

// addSensitive adds a taxon by its name.
func (s *site) addSensitive(w http.ResponseWriter, r *http.Request) error {
	name := strings.TrimSpace(r.PostFormValue("taxon"))
	if name == "" {
		return identify.Errorf(identify.Invalid, "taxon", "Write the name of a taxon first.")
	}
	t, near, err := s.taxonNamed(r.Context(), name)
	if err != nil {
		return err
	}
	if t == 0 && len(near) > 0 {
		return identify.Errorf(identify.Invalid, "taxon", "No taxon is called just %q. The nearest name is %s: write it in full.", name, near[0].Label())
	} else if t == 0 {
		return identify.Errorf(identify.Invalid, "taxon", "No taxon is called %q. Look it up on the page Names.", name)
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
