package web

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/bundle"
	"fieldmark/internal/identify"
	"fieldmark/web/spool"
)

// fakeBundles plans the same merge of every bundle, and remembers what was decided.
type fakeBundles struct {
	*fake
	decided identify.MergeDecisions
	ran     bool
	named   string
}

func (f *fakeBundles) Bundle(context.Context, identify.User, identify.BundleRequest) (*identify.OutgoingBundle, error) {
	return nil, identify.Errorf(identify.Invalid, "status", "Not this one.")
}

func (f *fakeBundles) PlanMerge(_ context.Context, _ identify.User, source identify.ImportSource, b *bundle.Bundle, d identify.MergeDecisions) (identify.MergePlan, error) {
	f.decided = d
	p := identify.MergePlan{Source: source, Manifest: b.Manifest, New: 2, TakeNew: !d.LeaveNew, Known: 3,
		Signer: identify.BundleSigner{Key: b.Signer(), Fingerprint: bundle.Fingerprint(b.Signer())},
		Groups: []identify.MergeGroup{{Key: "photo-7-9", Kind: identify.SamePhoto, Theirs: "Adonis <Blue>", Ours: "Common Blue", Rows: 1, Take: true,
			Examples: []identify.MergeExample{{Observation: 5}}}},
		Taxa: []identify.TaxonQuestion{{ID: 11, Taxon: bundle.Taxon{ID: 11, ScientificName: "Pond Wanderer", Rank: "unranked"}, Rows: 2,
			Decision: identify.TaxonDecision{Create: true}}}}
	p.Source.Total = 3
	return p, nil
}

func (f *fakeBundles) RunMerge(context.Context, identify.User, identify.MergePlan, func(identify.ImportProgress)) (identify.Import, error) {
	f.ran = true
	return identify.Import{ID: 4}, nil
}

func (f *fakeBundles) Imports(context.Context, identify.User) ([]identify.Import, error) {
	now := time.Now()
	return []identify.Import{{ID: 4, Done: 3, EndedAt: &now}}, nil
}

func (f *fakeBundles) Site(_ context.Context, u identify.User) (identify.Site, error) {
	if !u.Role.Allows(identify.Curator) {
		return identify.Site{}, identify.Errorf(identify.Forbidden, "", "Your role does not allow it.")
	}
	return identify.Site{ID: strings.Repeat("a", 32), Name: "Lab A", Key: ed25519.NewKeyFromSeed(make([]byte, 32))}, nil
}

func (f *fakeBundles) RenameSite(context.Context, identify.User, string) error { return nil }

func (f *fakeBundles) Signers(ctx context.Context, u identify.User) ([]identify.Signer, error) {
	_, err := f.Site(ctx, u)
	return []identify.Signer{{Key: make([]byte, 32), Name: "Lab C", ByName: "Ana"}}, err
}

func (f *fakeBundles) KnowSigner(_ context.Context, _ identify.User, key ed25519.PublicKey, name string) error {
	if len(key) != ed25519.PublicKeySize {
		return identify.Errorf(identify.Invalid, "key", "This is no key.")
	}
	f.named = name
	return nil
}

func (f *fakeBundles) ForgetSigner(context.Context, identify.User, ed25519.PublicKey) error {
	return nil
}

type noLessons struct{}

func (noLessons) Taxa(func(bundle.Taxon) error) error                { return nil }
func (noLessons) Exemplars(func(bundle.Exemplar) error) error        { return nil }
func (noLessons) Embeddings(func([]float32) error) error             { return nil }
func (noLessons) Views(func([][]float32) error) error                { return nil }
func (noLessons) Thumbnails(func(string, []byte) error) error        { return nil }
func (noLessons) Photos(func(photo string, data []byte) error) error { return nil }

func emptyBundle(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	m := bundle.Manifest{Instance: bundle.Instance{ID: strings.Repeat("b", 32), Name: "Lab B"}, Scope: bundle.Standing,
		Encoder: bundle.Encoder{Digest: "x", Dim: 2}}
	if _, err := bundle.Write(&b, ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, 32)), m, noLessons{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A bundle is uploaded, looked at, decided about and taken, without JavaScript.
func TestABundleIsDecidedAbout(t *testing.T) {
	f := &fakeBundles{fake: newFake()}
	role := identify.Curator
	h, err := New(Config{Service: f.fake, Bundles: f, Shelf: spool.NewShelf(t.TempDir()), Log: slog.New(slog.DiscardHandler),
		User: func(*http.Request) identify.User { return identify.User{ID: 1, Name: "Ana", Role: role} }})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, at, contentType string, body []byte) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, at, bytes.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	post := func(at string, form url.Values) *httptest.ResponseRecorder {
		return ask(http.MethodPost, at, "application/x-www-form-urlencoded", []byte(form.Encode()))
	}
	upload := func(data []byte) *httptest.ResponseRecorder {
		var b bytes.Buffer
		m := multipart.NewWriter(&b)
		part, err := m.CreateFormFile("file", "lab-b.fieldmark")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		return ask(http.MethodPost, "/bundles", m.FormDataContentType(), b.Bytes())
	}
	if w := ask(http.MethodGet, "/bundles?taken=4", "", nil); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "3 lessons taught") || !strings.Contains(w.Body.String(), "Lab C") {
		t.Errorf("the page: %d", w.Code)
	}
	data := emptyBundle(t)
	if w := upload(data[:len(data)-1]); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), "no bundle") {
		t.Errorf("a torn one: %d", w.Code)
	}
	w := upload(data)
	at := w.Header().Get("Location")
	if w.Code != http.StatusSeeOther || !strings.HasPrefix(at, "/bundles/") || !strings.HasSuffix(at, "?name=lab-b.fieldmark") {
		t.Fatalf("upload: %d, %s", w.Code, at)
	}
	page := ask(http.MethodGet, at, "", nil)
	for _, want := range []string{"From Lab B", "Nobody here knows the key", "2 lessons are", "Adonis &lt;Blue&gt;", "Common Blue", "Pond Wanderer", "3 lessons would be taught"} {
		if !strings.Contains(page.Body.String(), want) {
			t.Errorf("%d: the page does not say %q", page.Code, want)
		}
	}
	path, _, _ := strings.Cut(at, "?")
	if w := post(path+"/signer", url.Values{"key": {strings.Repeat("00", 32)}, "signer": {"Lab B"}}); w.Code != http.StatusSeeOther || f.named != "Lab B" {
		t.Errorf("its signer: %d, %q", w.Code, f.named)
	}
	if w := post(path+"/signer", url.Values{"key": {"zz"}, "signer": {"Lab B"}}); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("no key: %d", w.Code)
	}
	form := url.Values{"do": {"look"}, "new": {"leave"}, "group-photo-7-9": {"leave"}, "taxon-11": {"leave"}}
	if w := post(path, form); w.Code != http.StatusOK || f.ran {
		t.Errorf("count again: %d", w.Code)
	}
	if take, said := f.decided.Groups["photo-7-9"]; !f.decided.LeaveNew || take || !said || !f.decided.Taxa[11].Leave {
		t.Errorf("decided %+v", f.decided)
	}
	form.Set("do", "take")
	if w := post(path, form); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/bundles?taken=4" || !f.ran {
		t.Errorf("take: %d, %s", w.Code, w.Header().Get("Location"))
	}
	if w := ask(http.MethodGet, at, "", nil); w.Code != http.StatusNotFound {
		t.Errorf("it is kept: %d", w.Code)
	}
	if w := ask(http.MethodGet, "/bundles/file", "", nil); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("a refused export: %d", w.Code)
	}
	role = identify.Expert
	for _, w := range []*httptest.ResponseRecorder{ask(http.MethodGet, "/bundles", "", nil), upload(data), post(path, form)} {
		if w.Code != http.StatusForbidden {
			t.Errorf("an expert gets %d", w.Code)
		}
	}
}
