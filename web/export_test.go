package web

import (
	"context"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"fieldmark/internal/exchange"
	"fieldmark/internal/identify"
)

// fakeExport says of everything, and of what was asked, how much there is.
type fakeExport struct {
	filter    identify.ObservationFilter // asked last
	matching  int                        // observations that match a filter
	all       int
	sensitive []identify.SensitiveTaxon
}

func (f *fakeExport) ExportSummary(_ context.Context, u identify.User, x identify.ObservationFilter) (identify.ExportSummary, error) {
	if !u.Role.Allows(identify.Curator) {
		return identify.ExportSummary{}, identify.Errorf(identify.Forbidden, "", "To export takes the role curator.")
	}
	n := f.all
	x.Limit = 0
	if x != (identify.ObservationFilter{}) {
		n, f.filter = f.matching, x
	}
	return identify.ExportSummary{Observations: n, Identifications: 2 * n, Exemplars: n, Photos: n, PhotoBytes: int64(n) << 20, Dim: 512, Sensitive: len(f.sensitive)}, nil
}

func (f *fakeExport) ExportChoices(context.Context, identify.User) (identify.ExportChoices, error) {
	return identify.ExportChoices{People: []identify.User{{ID: 7, Name: "Ann"}}, Licenses: []string{"CC-BY-4.0"}}, nil
}

func (f *fakeExport) SensitiveTaxa(context.Context, identify.User) ([]identify.SensitiveTaxon, error) {
	return f.sensitive, nil
}

func (f *fakeExport) AddSensitiveTaxon(_ context.Context, _ identify.User, t identify.TaxonID) error {
	f.sensitive = append(f.sensitive, identify.SensitiveTaxon{Taxon: t, Label: "Great Tit", Name: "Parus major", AddedBy: "Ann", AddedAt: noon})
	return nil
}

func (f *fakeExport) RemoveSensitiveTaxon(_ context.Context, _ identify.User, t identify.TaxonID) error {
	f.sensitive = slices.DeleteFunc(f.sensitive, func(x identify.SensitiveTaxon) bool { return x.Taxon == t })
	return nil
}

func exportBench(t *testing.T, u identify.User, f *fakeExport) *bench {
	return newBench(t, u, func(c *Config) { c.Export = f })
}

func TestExportPage(t *testing.T) {
	f := &fakeExport{matching: 1234, all: 5000}
	b := exportBench(t, owner, f)
	p := b.get("/export?taxon=great+tit&label_set=2&identified_by=7&license=CC-BY-4.0&from=2026-05-01&near=48,11&within_km=5", 200)
	b.want(p, "1,234", "2,468", "Darwin Core Archive", "COCO Camera Traps", "FiftyOne", "NumPy npz", "Parquet", "Great Tit")
	if x := f.filter; x.Taxon != 1 || x.LabelSet != 2 || x.Said.By != 7 || x.License != "CC-BY-4.0" || x.From == nil || x.Near.Km != 5 {
		t.Errorf("asked %+v", x)
	}
	// The links are to the API, with the same filters; the taxon by its id.
	want := url.Values{"taxon_id": {"1"}, "label_set": {"2"}, "identified_by": {"7"}, "license": {"CC-BY-4.0"}, "from": {"2026-05-01"},
		"near": {"48,11"}, "within_km": {"5"}, "format": {"dwca"}}
	if link := "/api/v1/export?" + want.Encode(); !strings.Contains(p.body, strings.ReplaceAll(link, "&", "&amp;")) {
		t.Errorf("there is no link to %s", link)
	}
	// What was withdrawn is in the forms that have a history, and in no other.
	p = b.get("/export?state=withdrawn", 200)
	if !strings.Contains(p.body, "format=csv") || strings.Contains(p.body, "format=npz") || strings.Contains(p.body, "format=coco") {
		t.Error("the forms of what was withdrawn are not csv and dwca")
	}
}

// What matches follows each change of the form.
func TestExportFormChanges(t *testing.T) {
	f := &fakeExport{matching: 1234, all: 5000}
	b := exportBench(t, owner, f)
	p := b.do(fragment(httptest.NewRequest("GET", "/export?from=&identified_by=7", nil)), 200)
	b.want(p, "1,234 observations, 2,468 names given")
	if len(p.find("form")) != 0 || f.filter.Said.By != 7 || !strings.Contains(p.body, "/api/v1/export?format=csv&amp;identified_by=7") {
		t.Errorf("asked %+v; %s", f.filter, p.body)
	}
	p = b.do(fragment(httptest.NewRequest("GET", "/export?taxon=tit", nil)), 422)
	b.want(p, "Did you mean", "Put the form right first.")
	if strings.Contains(p.body, "/api/v1/export") {
		t.Error("what is not understood can be saved")
	}
	f.matching = 0
	b.want(b.do(fragment(httptest.NewRequest("GET", "/export?q=zebra", nil)), 200), "Nothing matches.")
}

func TestExportPageRefuses(t *testing.T) {
	b := exportBench(t, owner, &fakeExport{matching: 3, all: 3})
	p := b.get("/export?taxon=tit", 422)
	b.want(p, "Did you mean", "Coal Tit")
	if !strings.Contains(p.body, `href="/export?taxon_id=3"`) {
		t.Error("a name that is near has no link")
	}
	b.want(b.get("/export?taxon=yeti", 422), "No taxon is called")
	b.want(b.get("/export?near=here", 422), "latitude,longitude", "Put the form right first")
	b.want(b.get("/export?from=2026-05-03&to=2026-05-01", 422), "Swap them")
	exportBench(t, identify.User{ID: 3, Role: identify.Expert}, &fakeExport{}).get("/export", 403)
}

func TestExportPageWithNothing(t *testing.T) {
	b := exportBench(t, owner, &fakeExport{all: 3})
	p := b.get("/export?q=zebra", 200)
	b.want(p, "Nothing matches")
	if strings.Contains(p.body, "/api/v1/export?") {
		t.Error("there is a link to an export of nothing")
	}
	b.want(exportBench(t, owner, &fakeExport{}).get("/export", 200), "There is nothing to export yet", "None yet")
}

func TestSensitiveTaxaOnThePage(t *testing.T) {
	f := &fakeExport{all: 3}
	b := exportBench(t, owner, f)
	b.do(form("/export/sensitive", "taxon", "Parus major"), 303)
	p := b.get("/export", 200)
	b.want(p, "1 observation is of a sensitive taxon: its place leaves generalised", "added by Ann")
	if !strings.Contains(p.body, `action="/export/sensitive/1/remove"`) {
		t.Error("it cannot be removed")
	}
	b.want(b.get("/export?exact_places=true", 200), "Mind who gets them")
	b.do(form("/export/sensitive", "taxon", "yeti"), 422)
	b.do(form("/export/sensitive/1/remove"), 303)
	if len(f.sensitive) != 0 {
		t.Errorf("left %v", f.sensitive)
	}
}

// What a form of export has is said on the page as the domain has it.
func TestFormatsAreSaid(t *testing.T) {
	for _, f := range exchange.Formats() {
		if said := formatAbout(t.Context(), exchange.Format{Name: f.Name}); said != f.About {
			t.Errorf("%s has %q, and the page says %q", f.Name, f.About, said)
		}
	}
}
