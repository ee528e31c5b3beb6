package web

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"fieldmark/internal/identify"
)

func taxaOf(b *bench) *fakeTaxa { return b.config.Taxa.(*fakeTaxa) }

// fileForm is a form with a file, and other fields.
func fileForm(t *testing.T, path, name, content string, pairs ...string) *http.Request {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for i := 0; i < len(pairs); i += 2 {
		if err := w.WriteField(pairs[i], pairs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	f, err := w.CreateFormFile("file", name)
	if err == nil {
		_, err = f.Write([]byte(content))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", path, &body)
	r.Header.Set("Content-Type", w.FormDataContentType())
	return r
}

func TestTaxonPage(t *testing.T) {
	b := newBench(t, owner)
	b.want(b.get("/taxa/1", 200), "Great Tit", "Parus major", "Tits and chickadees", "German", "Kohlmeise", "has learned to see it", "Birds", "Change its names")
	b.want(b.get("/taxa/5", 200), "Below it", "Coal Tit")
	b.get("/taxa/99", 404)
	b.get("/taxa/x", 404)
	if p := newBench(t, viewer).get("/taxa/1", 200); len(p.find("textarea")) != 0 {
		t.Error("a viewer is offered to change it")
	}
}

func TestEditTaxon(t *testing.T) {
	b := newBench(t, owner)
	b.do(form("/taxa/1", "scientific_name", "Parus maior", "english_name", "Great Tit", "rank", "species", "parent", "Tits and chickadees",
		"synonyms", "Parus major\r\n\r\nBig Tit", "vernacular", "de: Kohlmeise"), http.StatusSeeOther)
	got := taxaOf(b).edited[1]
	if got.ScientificName != "Parus maior" || got.Parent != 5 || !slices.Equal(got.Synonyms, []string{"Parus major", "Big Tit"}) ||
		!slices.Equal(got.Vernacular, []identify.VernacularName{{Language: "de", Name: "Kohlmeise"}}) {
		t.Errorf("%+v", got)
	}
	p := b.do(form("/taxa/1", "scientific_name", "Typed", "rank", "species", "vernacular", "Kohlmeise"), 422)
	b.want(p, "does not say which language")
	if attr(p.find("#t-scientific_name")[0], "value") != "Typed" {
		t.Error("what was typed is gone")
	}
	b.want(b.do(form("/taxa/1", "scientific_name", "X", "rank", "species", "parent", "Unicorns"), 422), "No taxon, or more than one")
	newBench(t, viewer).do(form("/taxa/1", "scientific_name", "X", "rank", "species"), http.StatusForbidden)
}

func TestChecklistPages(t *testing.T) {
	b := newBench(t, owner)
	b.want(b.get("/taxa/import", 200), "See what would come of it")
	b.want(b.do(fileForm(t, "/taxa/import", "x.csv", "colour\nred\n"), 422), "does not name taxa")
	p := b.do(fileForm(t, "/taxa/import", "reserve.csv", "scientificName\nParus novus\n"), http.StatusSeeOther)
	at := p.Header.Get("Location")
	p = b.get(at, 200)
	b.want(p, "reserve.csv", "Parus novus", "Great Tit → Big Tit", "another kingdom: the taxon 9, Pica", "Nothing has been changed yet.")
	p = b.do(form(at, "changes", "1", "set", "Birds"), http.StatusConflict)
	b.want(p, "already")
	if attr(p.find("#c-set")[0], "value") != "Birds" {
		t.Error("what was typed is gone")
	}
	p = b.do(form(at, "changes", "1", "set", "Reserve"), http.StatusSeeOther)
	if got := taxaOf(b).taken; len(got) != 1 || got[0] != (identify.ChecklistChoice{Changes: true, Set: "Reserve"}) {
		t.Errorf("%+v", got)
	}
	b.want(b.get(p.Header.Get("Location"), 200), "reserve.csv : 1 taxon new, 1 changed.", "Look at the label set")
	b.want(b.get("/taxa/import", 200), "1 taxon new, 1 changed.")
	b.get(at, 404) // it is no longer kept
	newBench(t, viewer).get("/taxa/import", http.StatusForbidden)
}

func TestLabelSetPage(t *testing.T) {
	b := newBench(t, owner)
	if p := b.get("/label-sets/1", 200); len(p.find("textarea")) != 0 {
		t.Error("a built-in label set is offered to be changed")
	}
	// From a file, with a name that is misspelled and one that is unknown: the form asks.
	p := b.do(fileForm(t, "/label-sets", "g.csv", "scientific_name,x\nParus major,1\nTrifolium repens,2\n", "name", "Garden", "names", "Graet Tit\nUnicorn"), 422)
	b.want(p, "Graet Tit", "Leave it out", "Keep it as it is")
	if len(b.fake.sets) != 3 {
		t.Fatal("it was made all the same")
	}
	names := p.text("textarea")
	if !strings.Contains(names, "Parus major") {
		t.Errorf("the names of the file are gone: %q", names)
	}
	b.do(form("/label-sets", "name", "Garden", "names", "Graet Tit\nUnicorn\nParus major\nTrifolium repens",
		"unknown", "Graet Tit", "choice", "Great Tit", "unknown", "Unicorn", "choice", "-"), http.StatusSeeOther)
	if got := b.fake.sets[3]; !slices.Equal(got.Taxa, []identify.TaxonID{1, 7}) {
		t.Errorf("%+v; Great Tit and Parus major are one", got)
	}
	b.want(b.get("/label-sets/4", 200), "Garden", "White clover", "never learned to see", "Delete the label set Garden")
	b.do(form("/label-sets/4", "name", "My garden", "names", "Coal Tit"), http.StatusSeeOther)
	if got := b.fake.sets[3]; got.Name != "My garden" || !slices.Equal(got.Taxa, []identify.TaxonID{3}) {
		t.Errorf("%+v", got)
	}
	b.want(b.do(form("/label-sets/4", "name", "My garden", "names", ""), 422), "at least one name")
	if got, want := b.get("/label-sets/4.csv", 200).body, "scientific_name,english_name,rank,taxon_id,seen\nPeriparus ater,Coal Tit,species,3,true\n"; got != want {
		t.Errorf("%q", got)
	}
	b.get("/label-sets/99", 404)
}

func TestBeginWithALabelSet(t *testing.T) {
	b := newBench(t, owner)
	p := b.do(form("/label-sets/2/begin"), http.StatusSeeOther)
	cookie := p.Cookies()[0]
	r := httptest.NewRequest("GET", "/", nil)
	r.AddCookie(cookie)
	chosen := func(p reply) string {
		for _, o := range p.find("option") {
			if slices.ContainsFunc(o.Attr, func(a html.Attribute) bool { return a.Key == "selected" }) {
				return attr(o, "value")
			}
		}
		return ""
	}
	if got := chosen(b.do(r, 200)); got != "2" {
		t.Errorf("the first page begins with %q", got)
	}
	// One that is gone is none.
	r = httptest.NewRequest("GET", "/", nil)
	r.AddCookie(&http.Cookie{Name: setCookie, Value: "77"})
	if got := chosen(b.do(r, 200)); got != "0" {
		t.Errorf("the first page begins with %q", got)
	}
	if p := b.do(form("/label-sets/begin"), http.StatusSeeOther); p.Cookies()[0].MaxAge >= 0 {
		t.Error("it is not forgotten")
	}
}
