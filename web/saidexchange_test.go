package web

import (
	"net/http"
	"testing"

	"fieldmark/internal/identify"
)

// said reports what a page says otherwise than by words.T; data are the names in it
// that no element marks.
func (b *bench) said(page string, data ...string) {
	b.Helper()
	for _, found := range unsaid(page, append(data, "Fieldmark", "API")...) {
		b.Errorf("not said in the reader's language: %q", found)
	}
}

func TestPagesAreSaidExchange(t *testing.T) {
	b := newBench(t, owner)
	b.said(b.marked("/imports", 200), "Ana")
	b.fake.imports = []identify.Import{
		{ID: 1, ImportSource: identify.ImportSource{Name: "birds.npz", Total: 9}, Done: 9, Known: 1, Skipped: 2, UserName: "Bea", BeganAt: noon, EndedAt: &noon},
		{ID: 2, ImportSource: identify.ImportSource{Total: 9}, Done: 4, UserName: "Bea", BeganAt: noon},
		{ID: 5, ImportSource: identify.ImportSource{Kind: identify.BundleKind, Name: "a.fieldmark", Total: 9}, Done: 4, UserName: "Bea", BeganAt: noon},
		{ID: 3, ImportSource: identify.ImportSource{Name: "moths.zip", Total: 9}, Done: 9, Withdrawn: 4, UserName: "Bea", BeganAt: noon, WithdrawnAt: &noon},
		{ID: 4, ImportSource: identify.ImportSource{Name: "moths.zip", Total: 9}, Done: 9, Withdrawn: 9, UserName: "Bea", BeganAt: noon, WithdrawnAt: &noon}}
	b.said(b.marked("/imports", 200), "Ana")
	b.said(b.markedAnswer(importForm(t, smallNPZ(t), "do", "check"), 200), "Ana")
	b.fake.refuse = &identify.Error{Kind: identify.Invalid, Field: "file", Message: "2 rows cannot be taken.",
		Err: &identify.BadRows{Count: 3, Good: 1, Rows: []identify.BadRow{{Row: 7, Why: identify.Errorf(identify.Invalid, "row", "it is no photo")}, {Row: 8, Name: identify.PlainNotice("a.jpg"), Why: identify.Errorf(identify.Invalid, "row", "it is no photo")}}}}
	b.said(b.markedAnswer(importForm(t, smallNPZ(t)), 422), "Ana")
	b.do(form("/imports/held/2", "do", "import", "bad", "skip"), http.StatusSeeOther)
	b.said(b.marked("/imports", 200), "Ana", "2 rows cannot be taken.")
	b.said(newBench(t, viewer).marked("/imports", 403), "Vic", "To see imports takes the role curator.")
}

func TestPagesAreSaidExport(t *testing.T) {
	f := &fakeExport{all: 3, matching: 2}
	b := exportBench(t, owner, f)
	b.said(b.marked("/export", 200), "Ana")
	f.sensitive = []identify.SensitiveTaxon{{Taxon: 1, Label: "Great Tit", Name: "Parus major", AddedBy: "Ann"}}
	b.said(b.marked("/export?taxon_id=1&near=48,11&within_km=5", 200), "Ana")
	b.said(b.marked("/export?exact_places=true", 200), "Ana")
	b.said(b.marked("/export?taxon=tit", 422), "Ana")
	b.said(b.marked("/export?taxon=yeti", 422), "Ana")
	f.matching = 0
	b.said(b.marked("/export?q=zebra", 200), "Ana")
	b.said(exportBench(t, owner, &fakeExport{}).marked("/export", 200), "Ana")
}

func TestPagesAreSaidBundles(t *testing.T) {
	b, f := bundleBench(t, owner)
	b.said(b.marked("/bundles", 200), "Ana")
	b.said(b.marked("/bundles/file", 422), "Ana", "Not this one.")
	f.let, f.look, f.more = make(chan struct{}), make(chan struct{}), 3
	at := b.do(bundleForm(t, emptyBundle(t)), http.StatusSeeOther).Header.Get("Location")
	look := b.get(at, http.StatusSeeOther).Header.Get("Location")
	b.said(b.marked(look, 200), "Ana")
	b.said(b.marked("/imports", 200), "Ana")
	b.said(b.markedAnswer(form(at, "do", "drop"), http.StatusConflict), "Ana")
	b.do(form(look+"/stop"), http.StatusSeeOther)
	b.said(b.marked(look, 200), "Ana")
	close(f.look)
	b.said(b.marked(at, 200), "Ana", "Lab B")
	job := b.do(form(at, "do", "take"), http.StatusSeeOther).Header.Get("Location")
	b.said(b.marked(job, 200), "Ana")
	b.said(b.markedAnswer(form(at, "do", "take"), http.StatusConflict), "Ana")
	b.do(form(job+"/stop"), http.StatusSeeOther)
	b.said(b.marked(job, 200), "Ana")
	close(f.let)
	b.said(b.marked(b.do(form(at, "do", "take"), http.StatusSeeOther).Header.Get("Location"), 200), "Ana")
}
