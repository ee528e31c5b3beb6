package api

import (
	"archive/zip"
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// fakeExports exports observations of 1,000 bytes each, with an identification,
// and keeps what it was asked.
type fakeExports struct {
	identify.ExportReader // what no test asks for
	exported              int
	request               identify.ExportRequest
	failing               error
	sensitive             []identify.TaxonID
}

func (f *fakeExports) Export(ctx context.Context, u identify.User, r identify.ExportRequest) (*identify.Export, error) {
	f.request = r
	if !u.Role.Allows(identify.Curator) {
		return nil, identify.Errorf(identify.Forbidden, "", "To export takes the role curator.")
	}
	return identify.NewExport(ctx, exportReader{f}, nil, identify.EncoderInfo{Dim: 2}, r)
}

func (f *fakeExports) ExportSummary(_ context.Context, u identify.User, filter identify.ObservationFilter) (identify.ExportSummary, error) {
	f.request.Filter = filter
	if !u.Role.Allows(identify.Curator) {
		return identify.ExportSummary{}, identify.Errorf(identify.Forbidden, "", "To export takes the role curator.")
	}
	return identify.ExportSummary{Observations: 5, Identifications: 4, Exemplars: 3, Photos: 2, PhotoBytes: 1_000_000, Dim: 512}, nil
}

func (f *fakeExports) SensitiveTaxa(context.Context, identify.User) ([]identify.SensitiveTaxon, error) {
	var list []identify.SensitiveTaxon
	for _, t := range f.sensitive {
		list = append(list, identify.SensitiveTaxon{Taxon: t, Label: "Lady's Slipper", Name: "Cypripedium calceolus"})
	}
	return list, nil
}

func (f *fakeExports) AddSensitiveTaxon(_ context.Context, _ identify.User, t identify.TaxonID) error {
	f.sensitive = append(f.sensitive, t)
	return nil
}

func (f *fakeExports) RemoveSensitiveTaxon(context.Context, identify.User, identify.TaxonID) error {
	f.sensitive = nil
	return nil
}

// exportReader is the store of a fakeExports.
type exportReader struct{ *fakeExports }

func (exportReader) Taxa(context.Context) ([]identify.Taxon, error) { return nil, nil }

func (f exportReader) ExportSummary(context.Context, string, identify.ObservationFilter) (identify.ExportSummary, error) {
	return identify.ExportSummary{}, nil
}

func (exportReader) Instance(context.Context) (string, error) {
	return "6ba7b810-9dad-41d1-80b4-00c04fd430c8", nil
}

func (exportReader) SensitiveTaxa(context.Context) ([]identify.SensitiveTaxon, error) {
	return nil, nil
}

func (f exportReader) AddSensitiveTaxon(context.Context, identify.TaxonID, identify.UserID, time.Time) error {
	return nil
}

func (f exportReader) RemoveSensitiveTaxon(context.Context, identify.TaxonID) error { return nil }

func (f exportReader) Selection(context.Context, identify.ObservationFilter) ([]identify.ObservationID, error) {
	var ids []identify.ObservationID
	for id := f.exported; id > 0; id-- {
		ids = append(ids, identify.ObservationID(id))
	}
	if f.exported == 0 {
		return nil, f.failing
	}
	return ids, nil
}

func (f exportReader) ObservationsByID(_ context.Context, ids []identify.ObservationID) ([]identify.Observation, error) {
	var list []identify.Observation
	for _, id := range ids {
		if id == 1 && f.failing != nil {
			return nil, f.failing
		}
		list = append(list, identify.Observation{ID: id, Notes: strings.Repeat("n", 1000), Identifications: []identify.Identification{{ID: 4, User: 3}}})
	}
	return list, nil
}

func TestExport(t *testing.T) {
	f := &fake{fakeExports: fakeExports{exported: 2}}
	h := handler(t, f)
	w := ask(h, curator, http.MethodGet, "/api/v1/export?taxon_id=4&state=standing&identified_by=3&bbox=170,-10,-170,10&exact_places=true", "", "")
	x := f.request
	if lines := strings.Count(w.Body.String(), "\r\n"); w.Code != 200 || lines != 3 || x.Filter.Taxon != 4 || x.Filter.Said.By != 3 || !x.ExactPlaces ||
		*x.Filter.Box != (identify.Box{West: 170, South: -10, East: -170, North: 10}) ||
		!strings.HasPrefix(w.Header().Get("Content-Type"), "text/csv") || !strings.Contains(w.Header().Get("Content-Disposition"), "attachment") {
		t.Errorf("status %d, %d lines, %+v, %v", w.Code, lines, x, w.Header())
	}
	w = ask(h, curator, http.MethodGet, "/api/v1/export?format=dwca", "", "")
	if z, err := zip.NewReader(bytes.NewReader(w.Body.Bytes()), int64(w.Body.Len())); err != nil || len(z.File) != 5 ||
		w.Header().Get("Content-Type") != "application/zip" {
		t.Errorf("an archive: %v, %v", err, w.Header())
	}
	w = ask(h, curator, http.MethodGet, "/api/v1/export?format=bundle", "", "")
	if said := w.Body.String(); !strings.Contains(said, "GET /api/v1/bundle") {
		t.Errorf("a bundle: %s", said)
	}
	expert := identify.User{ID: 3, Role: identify.Expert}
	wantProblem(t, "an expert", ask(h, expert, http.MethodGet, "/api/v1/export", "", ""), 403, "")
	for query, field := range map[string]string{"near=48": "near", "within_km=3": "near", "near=48,11&within_km=0": "within_km", "bbox=1,2,3": "bbox",
		"bbox=0,50,1,40": "bbox", "taught_from=May": "taught_from", "from=2026-05-04&to=2026-05-02": "to", "format=coco&state=withdrawn": "state", "photos=perhaps": "photos",
		"format=bundle": "format"} {
		wantProblem(t, query, ask(h, curator, http.MethodGet, "/api/v1/export?"+query, "", ""), 422, field)
	}
}

// An error before anything is sent is a problem; after that the connection is
// cut, so that half an export does not look like a whole one.
func TestExportBreaksOff(t *testing.T) {
	f := &fake{fakeExports: fakeExports{failing: identify.Errorf(identify.Invalid, "status", "This is wrong.")}}
	h := handler(t, f)
	wantProblem(t, "an error before anything is sent", ask(h, curator, http.MethodGet, "/api/v1/export", "", ""), 422, "status")

	f.exported = 1000 // a megabyte: much is sent before the error
	server := serve(t, h)
	resp, err := http.Get(server.URL + "/api/v1/export")
	if err == nil {
		defer resp.Body.Close()
		_, err = readAll(resp)
	}
	if err == nil {
		t.Error("an export that broke off looks like a whole one")
	}
}

func TestPreviewExport(t *testing.T) {
	f := &fake{}
	got := decode[exportSummary](t, ask(handler(t, f), curator, http.MethodGet, "/api/v1/export/preview?label_set=2&license=none", "", ""), 200)
	if got.Observations != 5 || got.Identifications != 4 || got.Exemplars != 3 || got.Photos != 2 || got.Licenses == nil ||
		f.request.Filter.LabelSet != 2 || f.request.Filter.License != identify.NoLicense {
		t.Errorf("%+v, asked %+v", got, f.request)
	}
	for _, x := range got.Bytes {
		// Three embeddings of 512 float32 are 6,144 bytes; the photos a megabyte.
		if x.Format == "npz" && (x.Bytes < 6144 || x.Bytes > 10_000) || x.Format == "coco" && x.Bytes < 1_000_000 {
			t.Errorf("%+v", x)
		}
	}
}

func TestSensitiveTaxa(t *testing.T) {
	f := &fake{}
	h := handler(t, f)
	if w := ask(h, curator, http.MethodPut, "/api/v1/sensitive-taxa/8", "", ""); w.Code != 204 {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	type list struct {
		Taxa []sensitiveTaxon `json:"taxa"`
	}
	got := decode[list](t, ask(h, curator, http.MethodGet, "/api/v1/sensitive-taxa", "", ""), 200)
	if len(got.Taxa) != 1 || got.Taxa[0].TaxonID != 8 || got.Taxa[0].ScientificName != "Cypripedium calceolus" {
		t.Errorf("%+v", got)
	}
	if w := ask(h, curator, http.MethodDelete, "/api/v1/sensitive-taxa/8", "", ""); w.Code != 204 || f.sensitive != nil {
		t.Errorf("status %d, left %v", w.Code, f.sensitive)
	}
	if w := ask(h, curator, http.MethodGet, "/api/v1/sensitive-taxa", "", ""); w.Body.String() != "{\"taxa\":[]}\n" {
		t.Errorf("%s", w.Body)
	}
}
