package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestTaxa(t *testing.T) {
	b := newBench(t, owner)
	p := b.do(fragment(httptest.NewRequest("GET", "/taxa?q=clover", nil)), 200)
	// Two clovers, and the name that was typed as a new one.
	if got := strings.Count(p.body, `role="option"`); got != 3 {
		t.Errorf("%d options, want 3: %s", got, p.body)
	}
	p = b.do(fragment(httptest.NewRequest("GET", "/taxa?q=red+CLOVER", nil)), 200)
	if strings.Contains(p.body, "data-new") {
		t.Error("a name that a taxon has is offered as new")
	}
	if p = b.do(fragment(httptest.NewRequest("GET", "/taxa?q=", nil)), 200); strings.TrimSpace(p.body) != "" {
		t.Errorf("options for nothing: %s", p.body)
	}
	b.want(b.get("/taxa?q=tit", 200), "Eurasian Blue Tit")
	b.want(b.get("/taxa", 200), "From the top", "Great Tit")
	b.want(b.get("/taxa?q=unicorn", 200), "No name is like “unicorn”")
	b.get("/taxa?q="+strings.Repeat("x", 10_000), 422)
}

func TestLabelSets(t *testing.T) {
	b := newBench(t, owner)
	p := b.get("/label-sets", 200)
	b.want(p, "The encoder has learned to see all of them.", "never learned to see any of these", "see 4 of them", "learn the other 2 from your corrections", "learn these from your corrections")
	b.do(form("/label-sets", "name", "My garden", "names", "Great Tit\r\n\r\n European Robin ;Coal Tit"), http.StatusSeeOther)
	if got := b.fake.sets[3]; got.Name != "My garden" || len(got.Taxa) != 3 {
		t.Errorf("made %+v", got)
	}
	b.do(form("/label-sets", "name", "By the wall", "names", "Great Tit", "q", "European Robin"), http.StatusSeeOther)
	if set := b.fake.sets[len(b.fake.sets)-1]; set.Name != "By the wall" || len(set.Taxa) != 2 {
		t.Errorf("with a name in the field beside the list: %+v", set)
	}
	p = b.do(form("/label-sets", "name", "Mine", "names", "Great Tit\nUnicorn"), 422)
	b.want(p, `No taxon has the name "Unicorn"`)
	if got := p.text("textarea"); got != "Great Tit Unicorn" {
		t.Errorf("the names are gone: %q", got)
	}
	p = b.do(form("/label-sets", "name", "", "names", "Great Tit"), 422)
	if attr(p.find("#set-name")[0], "aria-invalid") != "true" {
		t.Error("the field is not marked")
	}
	b.do(form("/label-sets/4/delete"), http.StatusSeeOther)
	if len(b.fake.sets) != 4 {
		t.Error("it was not deleted")
	}
	b.do(form("/label-sets/1/delete"), http.StatusConflict)
	if p := newBench(t, viewer).get("/label-sets", 200); len(p.find("textarea")) != 0 {
		t.Error("a viewer is offered to make one")
	}
}

func TestAbout(t *testing.T) {
	b := newBench(t, owner)
	b.observe(picture(red))
	b.want(b.get("/about", 200), "1 observation", "fake-1", "512", "0123456789ab…", "search for another name")
}
