package api

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"image/color"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"fieldmark/internal/exchange"
	"fieldmark/internal/identify"
	"fieldmark/web/auth"
)

func (f *fake) Exemplars(_ context.Context, u identify.User, filter identify.ObservationFilter) (*identify.Exemplars, error) {
	f.user, f.filter = u, filter
	return &identify.Exemplars{Encoder: identify.EncoderInfo{Digest: "d", Dim: 2}}, f.err
}

func (f *fake) PlanImport(_ context.Context, u identify.User, source identify.ImportSource, _ identify.ImportFile, _ identify.ImportOptions) (identify.ImportPlan, error) {
	f.user = u
	return identify.ImportPlan{Source: source}, f.err
}

func (f *fake) RunImport(_ context.Context, _ identify.User, plan identify.ImportPlan, _ identify.ImportFile, told func(identify.ImportProgress)) (identify.Import, error) {
	told(identify.ImportProgress{Done: 1, Total: 2})
	return identify.Import{ID: 3, ImportSource: plan.Source}, f.err
}

func (f *fake) WithdrawImport(_ context.Context, u identify.User, id identify.ImportID, told func(identify.ImportProgress)) (identify.Import, error) {
	f.user = u
	return identify.Import{ID: id}, f.err
}

func (f *fake) Imports(_ context.Context, u identify.User) ([]identify.Import, error) {
	f.user = u
	return []identify.Import{{ID: 3}}, f.err
}

// npzOf is an npz of four-dimensional embeddings of the test's encoder.
func npzOf(t *testing.T, encoder string, labels []string, vectors ...[]float32) string {
	t.Helper()
	var file bytes.Buffer
	err := exchange.WriteNPZ(&file, exchange.Exemplars{Dim: 4, Encoder: encoder, Labels: labels, Taxa: make([]int64, len(labels)), Observations: make([]int64, len(labels)),
		Vectors: func(visit func([]float32) error) error {
			for _, v := range vectors {
				if err := visit(v); err != nil {
					return err
				}
			}
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// linesOf reads the lines of an answer.
func linesOf(t *testing.T, body io.Reader) (list []importLine) {
	t.Helper()
	for s := bufio.NewScanner(body); s.Scan(); {
		var l importLine
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			t.Fatalf("%q: %v", s.Text(), err)
		}
		list = append(list, l)
	}
	return list
}

// An npz is planned, imported, exported again as it was, and withdrawn.
func TestImportOverTheAPI(t *testing.T) {
	h, owner := whole(t)
	const digest = "sha256:colours"
	file := npzOf(t, digest, []string{"Red Rosella", "tree sparrow", "Red Rosella"}, []float32{0.7, 0, 0, 0.1}, []float32{0, 0.7, 0, 0.1}, []float32{0.8, 0, 0, 0.1})
	planned := ask(h, owner, http.MethodPost, "/api/v1/import?name=birds.npz", "application/octet-stream", file)
	if l := linesOf(t, planned.Body); planned.Code != 200 || len(l) != 1 || l[0].Plan == nil || l[0].Plan.Rows != 3 || len(l[0].Plan.Labels) != 2 ||
		l[0].Plan.Labels[1].TaxonID != 3 || len(l[0].Plan.New) != 1 || l[0].Plan.New[0] != "Red Rosella" {
		t.Fatalf("%d, %+v", planned.Code, l)
	}
	w := ask(h, owner, http.MethodPost, "/api/v1/import?name=../birds.npz&yes=true", "application/octet-stream", file)
	l := linesOf(t, w.Body)
	if w.Header().Get("Content-Type") != "application/x-ndjson" || len(l) != 3 || l[1].Progress == nil || l[1].Progress.Done != 3 ||
		l[2].Import == nil || l[2].Import.Taught != 3 || l[2].Import.State != "complete" || l[2].Import.Name != "birds.npz" {
		t.Fatalf("%d, %+v", w.Code, l)
	}
	contentType, body := form(t, "photo", plainPNG(t, color.RGBA{190, 5, 5, 255}))
	if p := decode[Prediction](t, ask(h, owner, http.MethodPost, "/api/v1/classify", contentType, body), 200); p.Predictions[0].Label != "Red Rosella" || p.MemorySeq != 3 {
		t.Errorf("%+v", p.Predictions)
	}
	wantProblem(t, "a photo that never came", ask(h, owner, http.MethodGet, "/api/v1/observations/1/photo?size=thumb", "", ""), 404, "id")
	wantProblem(t, "the same file again", ask(h, owner, http.MethodPost, "/api/v1/import?yes=true", "", file), 409, "file")

	out := ask(h, owner, http.MethodGet, "/api/v1/export?format=npz", "", "")
	z, err := exchange.OpenNPZ(bytes.NewReader(out.Body.Bytes()), int64(out.Body.Len()))
	if err != nil || z.Rows() != 3 || z.Encoder() != digest || out.Header().Get("Content-Type") != "application/x-npz" {
		t.Fatalf("%d, %v", out.Code, err)
	}
	if err := z.Each(func(r identify.EmbeddingRow) error {
		if r.Row == 1 && (r.Label != "Tree Sparrow" || r.Taxon != 3 || r.Embedding[1] != 0.7) {
			t.Errorf("%+v", r)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	w = ask(h, owner, http.MethodDelete, "/api/v1/imports/1", "", "")
	if l := linesOf(t, w.Body); w.Code != 200 || l[len(l)-1].Import == nil || l[len(l)-1].Import.State != "withdrawn" {
		t.Errorf("%d, %+v", w.Code, l)
	}
	wantProblem(t, "a second withdrawal", ask(h, owner, http.MethodDelete, "/api/v1/imports/1", "", ""), 409, "id")
	wantProblem(t, "no such import", ask(h, owner, http.MethodDelete, "/api/v1/imports/9", "", ""), 404, "id")
	if list := decode[struct{ Imports []imported }](t, ask(h, owner, http.MethodGet, "/api/v1/imports", "", ""), 200); len(list.Imports) != 1 || list.Imports[0].Withdrawn != 3 {
		t.Errorf("%+v", list)
	}
}

func TestImportRefusals(t *testing.T) {
	h, owner := whole(t)
	v := []float32{1, 0, 0, 0}
	for name, c := range map[string]struct {
		query, body string
		status      int
		field       string
	}{
		"no file":           {"", "", 422, "file"},
		"no npz":            {"", "just words", 422, "file"},
		"another encoder's": {"", npzOf(t, "other", []string{"a"}, v), 422, "encoder"},
		"no encoder":        {"", npzOf(t, "", []string{"a"}, v), 422, "encoder"},
		"another choice":    {"encoder=any", npzOf(t, "", []string{"a"}, v), 422, "encoder"},
		"all zeros":         {"encoder=current", npzOf(t, "", []string{"a", "b"}, v, make([]float32, 4)), 422, "file"},
	} {
		w := ask(h, owner, http.MethodPost, "/api/v1/import?yes=true&"+c.query, "application/octet-stream", c.body)
		if name == "all zeros" {
			p := problemOf(t, w)
			if len(p.Errors) != 2 || p.Errors[1] != (FieldError{"row 1", "its embedding is all zeros"}) {
				t.Errorf("%s: %+v", name, p.Errors)
			}
			continue
		}
		wantProblem(t, name, w, c.status, c.field)
	}
	for _, x := range []struct{ method, path string }{{"POST", "/api/v1/import"}, {"GET", "/api/v1/imports"}, {"DELETE", "/api/v1/imports/1"}, {"GET", "/api/v1/export?format=npz"}} {
		wantProblem(t, x.path, ask(h, identify.User{ID: owner.ID, Role: identify.Expert}, x.method, x.path, "", "x"), 403, "")
	}
	if s := decode[struct{ Observations, Taxa int }](t, ask(h, owner, http.MethodGet, "/api/v1/stats", "", ""), 200); s.Observations != 0 || s.Taxa != 3 {
		t.Errorf("something was stored: %+v", s)
	}
}

// Each line comes as soon as it is so, and what breaks off an import that has
// begun to answer is its last line.
func TestImportStreams(t *testing.T) {
	f := &brokenImport{fake: &fake{}, told: make(chan bool)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler(t, f).ServeHTTP(w, r.WithContext(auth.WithUser(r.Context(), curator)))
	}))
	defer server.Close()
	resp, err := http.Post(server.URL+"/api/v1/import?yes=true", "application/octet-stream", strings.NewReader(npzOf(t, "", []string{"a"}, []float32{1, 0, 0, 0})))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	in := bufio.NewReader(resp.Body)
	for i, want := range []string{`"plan"`, `"progress"`, `"problem"`} {
		line, err := in.ReadString('\n')
		if err != nil || !strings.Contains(line, want) {
			t.Errorf("line %s: %q, %v; want %s", strconv.Itoa(i), line, err, want)
		}
		if want == `"progress"` {
			close(f.told) // only now does the import go on
		}
	}
}

// brokenImport fails after it has told of its progress.
type brokenImport struct {
	*fake
	told chan bool
}

func (f *brokenImport) RunImport(_ context.Context, _ identify.User, _ identify.ImportPlan, _ identify.ImportFile, told func(identify.ImportProgress)) (identify.Import, error) {
	told(identify.ImportProgress{Done: 1, Total: 2})
	<-f.told
	return identify.Import{}, identify.Errorf(identify.Conflict, "", "It was withdrawn.")
}

// A zip of photos is imported, its bad rows by name; the good ones can be taken
// alone.
func TestPhotosOverTheAPI(t *testing.T) {
	h, owner := whole(t)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, data := range map[string]string{"Red Rosella/1.png": plainPNG(t, color.RGBA{190, 5, 5, 255}), "Tree Sparow/2.png": plainPNG(t, color.RGBA{9, 190, 5, 255}),
		"Red Rosella/3.png": "words"} {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write([]byte(data))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	refused := problemOf(t, ask(h, owner, http.MethodPost, "/api/v1/import?yes=true", "application/octet-stream", b.String()))
	if len(refused.Errors) != 2 || refused.Errors[1].Field != "Red Rosella/3.png" {
		t.Errorf("%+v", refused)
	}
	l := linesOf(t, ask(h, owner, http.MethodPost, "/api/v1/import?yes=true&skip_bad=true&name=a.zip", "application/octet-stream", b.String()).Body)
	if len(l) != 3 || l[0].Plan == nil || len(l[0].Plan.Bad) != 1 || len(l[0].Plan.New) != 2 || l[1].Progress == nil ||
		l[2].Import == nil || l[2].Import.Taught != 2 || l[2].Import.Skipped != 1 || l[2].Import.Kind != "photos" {
		t.Fatalf("%+v", l)
	}
	for _, x := range l[0].Plan.Labels {
		if x.Label == "Tree Sparow" && (len(x.Near) != 1 || x.Near[0].TaxonID != 3) {
			t.Errorf("%+v", x)
		}
	}
	contentType, body := form(t, "photo", plainPNG(t, color.RGBA{190, 5, 5, 255}))
	if p := decode[Prediction](t, ask(h, owner, http.MethodPost, "/api/v1/classify", contentType, body), 200); p.Predictions[0].Label != "Red Rosella" {
		t.Errorf("%+v", p.Predictions)
	}
}

// A form is told from a file, by each operation that takes a file as its body.
func TestAFormIsNoFile(t *testing.T) {
	h, owner := whole(t)
	for _, path := range []string{"/api/v1/import", "/api/v1/checklists"} {
		w := ask(h, owner, http.MethodPost, path, "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.zip\"\r\n\r\nPK\r\n--b--\r\n")
		if p := problemOf(t, w); p.Status != 422 || len(p.Errors) != 1 || p.Errors[0].Field != "file" || !strings.Contains(p.Detail, "--data-binary") {
			t.Errorf("%s: %+v", path, p)
		}
	}
}
