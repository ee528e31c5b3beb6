package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fieldmark/internal/identify"
	"fieldmark/web/auth"
)

// fake is a Service that answers with what a test puts into it, and keeps what
// it was asked.
type fake struct {
	fakeEncoders
	fakeExports
	fakeDetails
	fakeSources
	fakeSynonymies
	err          error
	panics       bool
	photo        []byte
	upload       identify.Upload
	question     identify.Question
	user         identify.User
	answer       identify.Answer
	filter       identify.ObservationFilter
	labels       []string
	taxa         []identify.TaxonID
	observations []identify.Observation
	more         bool
}

func (f *fake) Classify(_ context.Context, photo []byte, q identify.Question) (identify.Prediction, error) {
	if f.panics {
		panic("boom")
	}
	f.photo, f.question = photo, q
	return answered(), f.err
}

func (f *fake) Observe(_ context.Context, u identify.User, up identify.Upload, q identify.Question) (identify.Observation, identify.Prediction, error) {
	f.user, f.upload, f.question = u, up, q
	return identify.Observation{ID: 7}, answered(), f.err
}

func (f *fake) Identify(_ context.Context, u identify.User, id identify.ObservationID, a identify.Answer, q identify.Question) (identify.Correction, error) {
	f.user, f.answer, f.question = u, a, q
	return corrected(id), f.err
}

func (f *fake) Withdraw(_ context.Context, u identify.User, o identify.ObservationID, i identify.IdentificationID, q identify.Question) (identify.Correction, error) {
	f.user, f.question = u, q
	c := corrected(o)
	c.Identification.ID = i
	return c, f.err
}

func (f *fake) Observation(_ context.Context, u identify.User, id identify.ObservationID) (identify.Observation, error) {
	f.user = u
	return identify.Observation{ID: id, ObserverName: "Ann", Observer: 2}, f.err
}

func (f *fake) Observations(_ context.Context, u identify.User, filter identify.ObservationFilter) ([]identify.Observation, bool, error) {
	f.user, f.filter = u, filter
	return f.observations, f.more, f.err
}

func (f *fake) PhotoFile(_ context.Context, u identify.User, _ identify.ObservationID, form string) (identify.PhotoCopy, error) {
	f.user = u
	return identify.PhotoCopy{Data: []byte("photo " + form), MediaType: "image/png", Tag: "tag-" + form}, f.err
}

func (f *fake) SearchTaxa(_ context.Context, query string, limit int) ([]identify.TaxonMatch, error) {
	return []identify.TaxonMatch{{Taxon: identify.Taxon{ID: identify.TaxonID(limit), ScientificName: query}, MatchedName: query}}, f.err
}

func (f *fake) Taxon(_ context.Context, id identify.TaxonID) (identify.Taxon, error) {
	return identify.Taxon{ID: id, ScientificName: "Passer", Parent: 2, Rank: "genus", Vernacular: []identify.VernacularName{{Language: "de", Name: "Sperlinge"}}}, f.err
}

func (f *fake) Ancestors(context.Context, identify.TaxonID) ([]identify.Taxon, error) {
	return []identify.Taxon{{ID: 2, ScientificName: "Aves", EnglishName: "Birds", Rank: "class"}}, f.err
}

func (f *fake) LabelSets(context.Context) ([]identify.LabelSet, error) {
	return []identify.LabelSet{{ID: 1, Name: "Birds", Builtin: true, Taxa: []identify.TaxonID{4, 5}, Seen: 1}, {ID: 2, Name: "Mine", Seen: -1}}, f.err
}

func (f *fake) LabelSet(_ context.Context, id identify.LabelSetID) (identify.LabelSet, error) {
	return identify.LabelSet{ID: id, Name: "Birds", Taxa: []identify.TaxonID{4, 5}, Seen: -1}, f.err
}

func (f *fake) AddLabelSet(_ context.Context, u identify.User, name string, labels []string, taxa []identify.TaxonID) (identify.LabelSet, error) {
	f.user, f.labels, f.taxa = u, labels, taxa
	return identify.LabelSet{ID: 9, Name: name, Taxa: taxa, Seen: -1}, f.err
}

func (f *fake) ChangeLabelSet(_ context.Context, u identify.User, id identify.LabelSetID, name string, labels []string, taxa []identify.TaxonID) (identify.LabelSet, error) {
	f.user, f.labels, f.taxa = u, labels, taxa
	return identify.LabelSet{ID: id, Name: name, Taxa: taxa, Seen: -1}, f.err
}

func (f *fake) DeleteLabelSet(_ context.Context, u identify.User, _ identify.LabelSetID) error {
	f.user = u
	return f.err
}

func (f *fake) Stats(context.Context) (identify.Stats, error) {
	return identify.Stats{Seq: 5, Exemplars: 4, Labels: 3, Leaves: 2, Pending: 1, Users: 6,
		Encoder: identify.EncoderInfo{Name: "test", Digest: "d", Dim: 512}, Work: f.work}, f.err
}

func answered() identify.Prediction {
	return identify.Prediction{
		Candidates: []identify.Candidate{{Label: "House Sparrow", Taxon: 4, Probability: 0.75}, {Label: "a cloud", Probability: 0.25}},
		Neighbours: []identify.Neighbour{{Observation: 3, Label: "House Sparrow", Similarity: 0.5}},
		Total:      2, WeightExemplar: 0.5, Seq: 11, Encoder: "test", Rule: "aim-emb", System: "tree",
	}
}

func corrected(id identify.ObservationID) identify.Correction {
	return identify.Correction{Identification: identify.Identification{ID: 8, Observation: id, Taxon: 4}, Seq: 12,
		Learned: 1_500_000, Before: answered(), After: answered()}
}

var curator = identify.User{ID: 2, Name: "Ann", Role: identify.Curator}

func handler(t testing.TB, s Service) http.Handler {
	t.Helper()
	return handlerOf(t, s, &fakeReview{}, &fakeMemory{}, &fakePeople{})
}

func handlerOf(t testing.TB, s Service, review *fakeReview, memory *fakeMemory, people *fakePeople) http.Handler {
	t.Helper()
	h, err := New(s, Options{Log: slog.New(slog.DiscardHandler), MaxPhoto: 1 << 20, Backups: fakeBackups{}, Bundles: &fakeBundles{},
		Review: review, Memory: memory, History: review, Workshops: people, People: people, Checklists: noChecklists{}})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// ask sends a request as u and returns the answer.
func ask(h http.Handler, u identify.User, method, path, contentType, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r.WithContext(auth.WithUser(r.Context(), u)))
	return w
}

// form makes the body of a form from pairs of field and value; the field
// "photo" becomes a file.
func form(t testing.TB, pairs ...string) (contentType, body string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		var field io.Writer
		var err error
		if pairs[i] == "photo" {
			field, err = w.CreateFormFile("photo", "x.jpg")
		} else {
			field, err = w.CreateFormField(pairs[i])
		}
		if err == nil {
			_, err = io.WriteString(field, pairs[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), b.String()
}

// problemOf reads the problem of an answer.
func problemOf(t testing.TB, w *httptest.ResponseRecorder) Problem {
	t.Helper()
	var p Problem
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		t.Fatalf("status %d, not a problem: %v", w.Code, err)
	}
	return p
}

// wantProblem fails unless w is a proper problem with that status about that field.
func wantProblem(t testing.TB, what string, w *httptest.ResponseRecorder, status int, field string) {
	t.Helper()
	var p Problem
	dec := json.NewDecoder(w.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		t.Errorf("%s: status %d, not a problem: %v", what, w.Code, err)
		return
	}
	got := ""
	if len(p.Errors) > 0 {
		got = p.Errors[0].Field
	}
	if w.Code != status || p.Status != status || p.Type != "about:blank" || p.Title != http.StatusText(status) ||
		!strings.HasSuffix(p.Detail, ".") || got != field || w.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("%s: %s %+v; want status %d about %q", what, w.Header().Get("Content-Type"), p, status, field)
	}
}

// decode reads a JSON answer of that status.
func decode[T any](t testing.TB, w *httptest.ResponseRecorder, status int) T {
	t.Helper()
	var v T
	if w.Code != status || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("status %d, %s: %.300s; want %d", w.Code, w.Header().Get("Content-Type"), w.Body.String(), status)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestErrorsOfTheDomain(t *testing.T) {
	for kind, status := range map[identify.ErrorKind]int{
		identify.Invalid: 422, identify.NotFound: 404, identify.Conflict: 409, identify.TooLarge: 413, identify.NotAPhoto: 415,
		identify.Forbidden: 403, identify.NotReady: 503, identify.Overloaded: 429, identify.Busy: 503,
	} {
		f := &fake{err: identify.Errorf(kind, "label", "This is wrong.")}
		w := ask(handler(t, f), curator, http.MethodGet, "/api/v1/observations/1", "", "")
		if retry := w.Header().Get("Retry-After"); (retry != "") != (status == 503 || status == 429) {
			t.Errorf("%s: Retry-After %q", kind, retry)
		}
		wantProblem(t, string(kind), w, status, "label")
	}
}

func TestFaultsAreNotTold(t *testing.T) {
	secret := errors.New("open /home/ann/secret: no such file")
	w := ask(handler(t, &fake{err: secret}), curator, http.MethodGet, "/api/v1/stats", "", "")
	if strings.Contains(w.Body.String(), "secret") {
		t.Errorf("it tells %s", w.Body)
	}
	wantProblem(t, "a fault", w, 500, "")

	contentType, body := form(t, "photo", "x")
	w = ask(handler(t, &fake{panics: true}), curator, http.MethodPost, "/api/v1/classify", contentType, body)
	wantProblem(t, "a panic", w, 500, "")
}

func TestErrorsOfTheForm(t *testing.T) {
	h := handler(t, &fake{})
	long := strings.Repeat("x", 2<<20)
	for name, c := range map[string]struct {
		method, path, contentType, body string
		status                          int
		field                           string
	}{
		"no such address":     {"GET", "/api/v1/nothing", "", "", 404, ""},
		"no such method":      {"POST", "/api/v1/stats", "", "", 405, ""},
		"an id that is none":  {"GET", "/api/v1/observations/abc", "", "", 422, "id"},
		"a negative id":       {"GET", "/api/v1/observations/-1", "", "", 422, "id"},
		"a huge id":           {"GET", "/api/v1/observations/99999999999999999999", "", "", 422, "id"},
		"a limit too high":    {"GET", "/api/v1/observations?limit=201", "", "", 422, "limit"},
		"a status":            {"GET", "/api/v1/observations?status=maybe", "", "", 422, "status"},
		"a cursor":            {"GET", "/api/v1/observations?cursor=x", "", "", 422, "cursor"},
		"a time":              {"GET", "/api/v1/observations?from=yesterday", "", "", 422, "from"},
		"a size":              {"GET", "/api/v1/observations/1/photo?size=huge", "", "", 422, "size"},
		"a limit of taxa":     {"GET", "/api/v1/taxa?q=a&limit=0", "", "", 422, "limit"},
		"a format":            {"GET", "/api/v1/export?format=pdf", "", "", 422, "format"},
		"nothing said":        {"POST", "/api/v1/observations/1/identifications", "application/json", "{}", 422, "label"},
		"no body":             {"POST", "/api/v1/observations/1/identifications", "application/json", "", 400, ""},
		"no JSON":             {"POST", "/api/v1/observations/1/identifications", "application/json", "{", 400, ""},
		"another type":        {"POST", "/api/v1/observations/1/identifications", "text/csv", "a,b", 415, ""},
		"a label as number":   {"POST", "/api/v1/observations/1/identifications", "application/json", `{"label":5}`, 422, "label"},
		"an unknown property": {"POST", "/api/v1/observations/1/identifications", "application/json", `{"lable":"x"}`, 422, "lable"},
		"a fusion":            {"POST", "/api/v1/observations/1/identifications?fusion=cold", "application/json", `{"label":"x"}`, 422, "fusion"},
		"a body too long":     {"POST", "/api/v1/observations/1/identifications", "application/json", `{"label":"` + long + `"}`, 413, ""},
		"a set without name":  {"POST", "/api/v1/label-sets", "application/json", `{}`, 422, "name"},
		"ids of a set":        {"POST", "/api/v1/label-sets", "application/json", `{"name":"x","taxon_ids":["a"]}`, 422, "taxon_ids[0]"},
		"no form":             {"POST", "/api/v1/classify", "application/json", "{}", 415, "photo"},
		"no boundary":         {"POST", "/api/v1/classify", "multipart/form-data", "x", 415, "photo"},
		"half a form":         {"POST", "/api/v1/classify", "multipart/form-data; boundary=b", "--b\r\nContent-Dispos", 400, "photo"},
	} {
		w := ask(h, curator, c.method, c.path, c.contentType, c.body)
		if len(w.Body.Bytes()) > 2000 {
			t.Errorf("%s: the problem has %d bytes", name, w.Body.Len())
		}
		wantProblem(t, name, w, c.status, c.field)
	}
	if allow := ask(h, curator, http.MethodPost, "/api/v1/label-sets/1", "", "").Header().Get("Allow"); allow != "GET, PUT, DELETE" {
		t.Errorf("Allow: %q", allow)
	}
}
