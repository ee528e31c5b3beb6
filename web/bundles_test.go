package web

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"net/http"
	"net/http/httptest"
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
	let     chan struct{} // RunMerge waits for it; nil: for nothing
	look    chan struct{} // PlanMerge waits for it; nil: for nothing
	refuse  error         // of PlanMerge
	more    int           // names that are not listed
}

func (f *fakeBundles) Bundle(context.Context, identify.User, identify.BundleRequest) (*identify.OutgoingBundle, error) {
	return nil, identify.Errorf(identify.Invalid, "status", "Not this one.")
}

func (f *fakeBundles) PlanMerge(ctx context.Context, _ identify.User, source identify.ImportSource, b *bundle.Bundle, d identify.MergeDecisions, told func(identify.ImportProgress)) (identify.MergePlan, error) {
	f.decided = d
	if f.look != nil {
		told(identify.ImportProgress{Done: 1, Total: 4, Left: 3 * time.Minute})
		select {
		case <-f.look:
		case <-ctx.Done():
			return identify.MergePlan{}, ctx.Err()
		}
	}
	p := identify.MergePlan{MergePreview: identify.MergePreview{Source: source, Manifest: b.Manifest, Seq: f.seq, New: 2, TakeNew: !d.LeaveNew, Known: 3,
		Signer: identify.BundleSigner{Key: b.Signer(), Fingerprint: bundle.Fingerprint(b.Signer())},
		Groups: []identify.MergeGroup{{Key: "photo-7-9", Kind: identify.SamePhoto, Theirs: "Adonis <Blue>", Ours: "Common Blue", Rows: 1, Take: true,
			Examples: []identify.MergeExample{{Observation: 5}}},
			{Key: "photo-8-9", Kind: identify.SamePhoto, Theirs: "Chalkhill Blue", Ours: "Common Blue", Rows: 1, Take: true}},
		Taxa: []identify.TaxonQuestion{{ID: 11, Taxon: bundle.Taxon{ID: 11, ScientificName: "Pond Wanderer", Rank: "unranked"}, Rows: 2, Examples: []identify.PhotoHash{"abc"},
			Decision: identify.TaxonDecision{Create: true}},
			{ID: 12, Taxon: bundle.Taxon{ID: 12, ScientificName: "Marsh Wanderer", Rank: "unranked"}, Rows: 1, Decision: identify.TaxonDecision{Create: true}}},
		MoreTaxa: f.more, Others: d.Others}}
	p.Source.Total = 3
	return p, f.refuse
}

func (f *fakeBundles) MergePicture(_ context.Context, _ identify.User, _ *bundle.Bundle, photo identify.PhotoHash) ([]byte, error) {
	if photo != "abc" {
		return nil, identify.Errorf(identify.NotFound, "photo", "This photo did not come with the bundle.")
	}
	return []byte("\xff\xd8"), nil
}

func (f *fakeBundles) RunMerge(ctx context.Context, _ identify.User, _ identify.MergePlan, told func(identify.ImportProgress)) (identify.Import, error) {
	m := identify.Import{ID: 4, ImportSource: identify.ImportSource{Total: 3}}
	if f.let != nil {
		m.Done = 1
		told(identify.ImportProgress{Done: 1, Total: 3, Left: 3 * time.Minute})
		select {
		case <-f.let:
		case <-ctx.Done():
			return m, ctx.Err()
		}
	}
	f.ran = true
	now := time.Now()
	m.Done, m.EndedAt = 3, &now
	return m, nil
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

// bundleForm uploads a bundle.
func bundleForm(t *testing.T, data []byte) *http.Request {
	t.Helper()
	return fileForm(t, "/bundles", "lab-b.fieldmark", string(data))
}

// bundleBench serves the pages about bundles of a fake.
func bundleBench(t *testing.T, u identify.User, change ...func(*Config)) (*bench, *fakeBundles) {
	t.Helper()
	var f *fakeBundles
	b := newBench(t, u, append([]func(*Config){func(c *Config) {
		f = &fakeBundles{fake: c.Service.(*fake)}
		c.Bundles, c.Shelf = f, spool.NewShelf(t.TempDir())
	}}, change...)...)
	return b, f
}

// A bundle is uploaded, looked at, decided about and taken, without JavaScript.
func TestABundleIsDecidedAbout(t *testing.T) {
	b, f := bundleBench(t, owner)
	b.want(b.get("/bundles", 200), "Lab C")
	data := emptyBundle(t)
	b.want(b.do(bundleForm(t, data[:len(data)-1]), 422), "no bundle")
	at := b.do(bundleForm(t, data), http.StatusSeeOther).Header.Get("Location")
	if !strings.HasPrefix(at, "/bundles/") {
		t.Fatal(at)
	}
	b.want(b.get(at, 200), "From Lab B", "lab-b.fieldmark", "Nobody here knows the key", "2 lessons are", "Adonis <Blue>", "Common Blue", "Pond Wanderer", "3 lessons would be taught")
	path := at
	if to := b.do(form(path+"/signer", "key", strings.Repeat("00", 32), "signer", "Lab B"), http.StatusSeeOther).Header.Get("Location"); to != at || f.named != "Lab B" {
		t.Errorf("its signer: %q", f.named)
	}
	b.do(form(path+"/signer", "key", "zz", "signer", "Lab B"), 422)
	decided := []string{"new", "leave", "group-photo-7-9", "leave", "taxon-11", "leave"}
	if to := b.do(form(path, append(decided, "do", "look")...), http.StatusSeeOther).Header.Get("Location"); to != at || f.ran {
		t.Error("counting again teaches")
	}
	if take, said := f.decided.Groups["photo-7-9"]; !f.decided.LeaveNew || take || !said || !f.decided.Taxa[11].Leave {
		t.Errorf("decided %+v", f.decided)
	}
	job := b.do(form(path, append(decided, "do", "take")...), http.StatusSeeOther).Header.Get("Location")
	p := b.get(job, 200)
	b.want(p, "A bundle is taken in", "lab-b.fieldmark : 3 lessons taught.", "See what came")
	if !f.ran || strings.Contains(p.body, "http-equiv") {
		t.Errorf("ran: %v; an end is no page to be read anew", f.ran)
	}
	b.get(at, http.StatusNotFound) // it is off the shelf
	b.get("/bundles/file", 422)
}

// Taking a bundle in goes on without its page, says how far it is with and without
// scripts, is begun once, and can be stopped: then the bundle is still there.
func TestABundleIsTakenInInTheBackground(t *testing.T) {
	b, f := bundleBench(t, owner)
	f.let = make(chan struct{})
	at := b.do(bundleForm(t, emptyBundle(t)), http.StatusSeeOther).Header.Get("Location")
	take := func(status int) reply { return b.do(form(at, "do", "take"), status) }
	job := take(http.StatusSeeOther).Header.Get("Location")
	p := b.get(job, 200)
	b.want(p, "1 of 3 rows taken in, about 3 minutes left.", "goes on when this page is closed")
	if !strings.Contains(p.body, `<noscript><meta http-equiv="refresh" content="3">`) {
		t.Error("without scripts the page stands still")
	}
	renew := attr(p.find("#import-jobs")[0], "hx-get")
	if p := b.do(fragment(httptest.NewRequest("GET", renew, nil)), 200); p.Header.Get("HX-Refresh") != "" || !strings.Contains(p.body, "1 of 3 rows") {
		t.Errorf("renewed: %s", p.body)
	}
	b.want(take(http.StatusConflict), "being taken in already", "1 of 3 rows") // it is listed there too
	b.want(b.get("/imports", 200), "lab-b.fieldmark")
	b.want(b.get(b.do(form(job+"/stop"), http.StatusSeeOther).Header.Get("Location"), 200), "it stopped. What came before stays: 1 of 3 rows.", "Look at it again")
	if p := b.do(fragment(httptest.NewRequest("GET", renew, nil)), 200); p.Header.Get("HX-Refresh") != "true" {
		t.Error("the end is not shown")
	}
	b.get(at, 200) // it waits still
	close(f.let)
	if job := take(http.StatusSeeOther).Header.Get("Location"); !strings.Contains(b.get(job, 200).body, "3 lessons taught") {
		t.Error("it does not go on")
	}
	b.get("/jobs/99", http.StatusNotFound)
	b.do(form("/jobs/99/stop"), http.StatusNotFound)
}

func TestBundlePagesAreForCurators(t *testing.T) {
	b, _ := bundleBench(t, viewer)
	b.get("/bundles", http.StatusForbidden)
	b.do(bundleForm(t, emptyBundle(t)), http.StatusForbidden)
	b.do(form("/bundles/"+strings.Repeat("0", 32), "do", "take"), http.StatusForbidden)
}
