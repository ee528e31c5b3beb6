package web

import (
	"bytes"
	"context"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fieldmark/internal/exchange"
	"fieldmark/internal/identify"
)

// fakeImports keeps imports in memory.
type fakeImports struct {
	imports []identify.Import
	refuse  error // of PlanImport
	skipped bool  // bad rows are to be left out
	current bool  // what it was told of the file's encoder
}

func (f *fakeImports) PlanImport(_ context.Context, _ identify.User, source identify.ImportSource, file identify.ImportFile, o identify.ImportOptions) (identify.ImportPlan, error) {
	f.current, f.skipped = o.Current, o.SkipBad
	source.Total = file.Rows()
	return identify.ImportPlan{Source: source, Labels: []identify.ImportLabel{{Label: "Velvet Moss", Rows: file.Rows()}}}, f.refuse
}

func (f *fakeImports) RunImport(_ context.Context, u identify.User, plan identify.ImportPlan, _ identify.ImportFile, told func(identify.ImportProgress)) (identify.Import, error) {
	m := identify.Import{ID: identify.ImportID(len(f.imports) + 1), ImportSource: plan.Source, Done: plan.Source.Total, Known: 1, UserName: u.Name, BeganAt: noon, EndedAt: &noon}
	f.imports = append(f.imports, m)
	return m, nil
}

func (f *fakeImports) WithdrawImport(_ context.Context, _ identify.User, id identify.ImportID, _ func(identify.ImportProgress)) (identify.Import, error) {
	if int(id) > len(f.imports) {
		return identify.Import{}, identify.Errorf(identify.NotFound, "id", "There is no import with the id %d.", id)
	}
	m := &f.imports[id-1]
	m.Withdrawn, m.WithdrawnAt = m.Done, &noon
	return *m, nil
}

func (f *fakeImports) Imports(_ context.Context, u identify.User) ([]identify.Import, error) {
	if !u.Role.Allows(identify.Curator) {
		return nil, identify.Errorf(identify.Forbidden, "", "To see imports takes the role curator.")
	}
	return f.imports, nil
}

// importForm is the form of an import with the file last.
func importForm(t *testing.T, file string, pairs ...string) *http.Request {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(pairs); i += 2 {
		if err := w.WriteField(pairs[i], pairs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("file", "birds.npz")
	if err == nil {
		_, err = part.Write([]byte(file))
	}
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	r := httptest.NewRequest("POST", "/imports", &b)
	r.Header.Set("Content-Type", w.FormDataContentType())
	return r
}

func smallNPZ(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	v := []float32{1, 2}
	err := exchange.WriteNPZ(&b, exchange.Exemplars{Dim: 2, Labels: []string{"a", "b"}, Taxa: make([]int64, 2), Observations: make([]int64, 2),
		Vectors: func(visit func([]float32) error) error {
			if err := visit(v); err != nil {
				return err
			}
			return visit(v)
		}})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestImports(t *testing.T) {
	b := newBench(t, owner)
	b.want(b.get("/imports", 200), "Nothing has been imported yet", "What came in")
	p := b.do(importForm(t, smallNPZ(t), "do", "check", "encoder", "current"), 200)
	b.want(p, "birds.npz", "2 rows of 1 taxon", "Velvet Moss", "Nothing has been taught yet")
	if !b.fake.current || !strings.Contains(p.body, `value="current" checked`) || len(b.fake.imports) != 0 {
		t.Errorf("told current %v, %d imports", b.fake.current, len(b.fake.imports))
	}
	b.do(importForm(t, smallNPZ(t), "do", "import"), http.StatusSeeOther)
	if b.fake.current {
		t.Error("without the tick, the file's encoder is taken for ours")
	}
	p = b.get("/imports", 200)
	b.want(p, "birds.npz", "1 lesson taught, 1 known before", "Take it back")
	b.do(form("/imports/1/withdraw"), http.StatusSeeOther)
	b.want(b.get("/imports", 200), "taken back")
	b.do(form("/imports/9/withdraw"), http.StatusNotFound)

	b.want(b.do(importForm(t, "just words"), 422), "no kind of file that can be imported")
	b.want(b.do(importForm(t, ""), 422), "an empty one")
	b.do(form("/imports"), 422)
	b.fake.refuse = &identify.Error{Kind: identify.Invalid, Field: "file", Message: "2 rows cannot be taken.",
		Err: &identify.BadRows{Rows: []identify.BadRow{{Row: 7, Why: identify.Errorf(identify.Invalid, "row", "its embedding is all zeros")}}}}
	b.want(b.do(importForm(t, smallNPZ(t)), 422), "2 rows cannot be taken", "Row 7", "its embedding is all zeros")
	if len(b.fake.imports) != 1 {
		t.Errorf("%d imports", len(b.fake.imports))
	}
	newBench(t, viewer).get("/imports", 403)
	if p := newBench(t, viewer).get("/about", 200); strings.Contains(p.body, "/imports") {
		t.Error("a viewer is offered what is refused")
	}
}

// An observation that came without its photo says so wherever its picture would be.
func TestWithoutAPhoto(t *testing.T) {
	b := newBench(t, owner)
	b.do(upload(t, "0", picture(red)), http.StatusSeeOther)
	const id = 1
	o := &b.fake.list[0]
	o.Photo.Bytes, o.Import = 0, &identify.ImportOrigin{Import: 4, Name: "birds.npz", Row: 17, Ref: "B-9"}
	page := b.get(observationPath(id), 200)
	b.want(page, "never came", "import 4, birds.npz, row 17", "B-9")
	if !strings.Contains(page.body, "(it came without a photo)") {
		t.Error("the picture's text does not say so")
	}
	if strings.Contains(page.body, "size=original") {
		t.Error("a link leads to a photo that is not there")
	}
	p := b.get(observationPath(id)+"/photo?size=thumb", http.StatusFound)
	if at := p.Header.Get("Location"); !strings.HasSuffix(at, "/icons/no-photo.svg") {
		t.Errorf("Location %q", at)
	} else if icon := b.get(at, 200); icon.Header.Get("Content-Type") != "image/svg+xml" {
		t.Errorf("%s", icon.Header.Get("Content-Type"))
	}
	b.get("/observations/999/photo?size=thumb", 404)
}

// Of a photo that stayed where it came from the glimpse is shown, and said to be one.
func TestAGlimpseIsSaidToBeOne(t *testing.T) {
	b := newBench(t, owner)
	b.do(upload(t, "0", picture(red)), http.StatusSeeOther)
	o := &b.fake.list[0]
	o.Photo.Bytes, o.Photo.Glimpse = 0, true
	page := b.get(observationPath(1), 200)
	b.want(page, "never came: only a small picture came with the bundle")
	if !strings.Contains(textOf(page.find("figcaption")[0]), "only a small picture came") {
		t.Error("below the picture it is not said")
	}
	if !strings.Contains(page.body, "(only a small picture of it came)") || strings.Contains(page.body, "size=original") {
		t.Error("its text does not say so, or a link leads to a photo that is not there")
	}
	p := b.get(observationPath(1)+"/photo?size=thumb", 200)
	if p.Header.Get("Content-Type") != "image/jpeg" || p.Header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("%v: the photo may come yet", p.Header)
	}
	o.Photo.Bytes = 7
	if p := b.get(observationPath(1)+"/photo?size=thumb", 200); !strings.Contains(p.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("%v", p.Header)
	}
}

// A file that is checked is kept: it is imported, or left, without being sent
// again, and by nobody else.
func TestAFileIsHeld(t *testing.T) {
	b := newBench(t, owner)
	if p := b.do(importForm(t, smallNPZ(t), "do", "check"), 200); !strings.Contains(p.body, `action="/imports/held/1"`) {
		t.Error("the file that was checked cannot be imported")
	}
	b.do(form("/imports/held/1", "do", "import"), http.StatusSeeOther)
	b.want(b.get("/imports", 200), "1 lesson taught, 1 known before")
	b.do(form("/imports/held/1", "do", "import"), http.StatusNotFound) // it is done
	b.do(importForm(t, smallNPZ(t), "do", "check"), 200)
	b.do(form("/imports/held/2", "do", "drop"), http.StatusSeeOther)
	b.do(form("/imports/held/2", "do", "import"), http.StatusNotFound)
	if len(b.fake.imports) != 1 {
		t.Errorf("%d imports", len(b.fake.imports))
	}

	b.fake.refuse = &identify.Error{Kind: identify.Invalid, Field: "file", Message: "1 row cannot be taken.",
		Err: &identify.BadRows{Count: 1, Good: 1, Rows: []identify.BadRow{{Row: 1, Name: identify.PlainNotice("Luna Moth/2.jpg"), Why: identify.Errorf(identify.Invalid, "row", "it is no photo")}}}}
	p := b.do(importForm(t, smallNPZ(t), "do", "import"), 422)
	b.want(p, "1 row of this file cannot be taken", "Luna Moth/2.jpg", "it is no photo", "Take the 1 good row")
	b.do(form("/imports/held/3", "do", "import", "bad", "skip"), http.StatusSeeOther)
	b.want(b.get("/imports", 200), "it stopped", "1 row cannot be taken") // the fake refuses still
	if !b.fake.skipped {
		t.Error("it was not told to leave bad rows out")
	}
}
