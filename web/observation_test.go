package web

import (
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

func TestObservationPage(t *testing.T) {
	b := newBench(t, owner)
	b.observe(picture(red))
	p := b.get("/observations/1", 200)
	b.want(p, "Nobody has named this one yet", "Observer Ana", "3 May 2026", "40 × 30 pixels", "The memory holds nothing yet")
	if got := p.text("title"); got != "Observation 1 · Fieldmark" {
		t.Errorf("title %q", got)
	}
	b.do(form(teach, "suggestion", "2"), 303)
	b.do(form(teach+"/1/withdraw"), 303)
	b.do(form(teach, "q", "Great Tit"), 303)
	p = b.get("/observations/1", 200)
	entries := p.find(".entry")
	if len(entries) != 2 || !strings.Contains(textOf(entries[0]), "Great Tit") || !strings.Contains(textOf(entries[1]), "undone") {
		t.Errorf("history: %d entries", len(entries))
	}
	if got := p.text("title"); got != "Great Tit · Fieldmark" {
		t.Errorf("title %q", got)
	}
}

func TestObservationForAViewer(t *testing.T) {
	b := newBench(t, viewer)
	o := identify.Observation{ID: 1, Photo: identify.Photo{MediaType: "image/png"}, CreatedAt: noon}
	b.fake.list, b.fake.photos[1] = append(b.fake.list, o), picture(red)
	p := b.get("/observations/1", 200)
	if len(p.find(".teach")) != 0 || len(p.find(".lesson")) != 0 {
		t.Error("a viewer is offered to teach")
	}
	if len(p.find(".candidate")) == 0 {
		t.Error("a viewer does not see the answer")
	}
	for _, key := range p.find(".candidate-key") {
		if textOf(key) != "" {
			t.Error("a viewer is shown a key that does nothing")
		}
	}
}

func TestPhoto(t *testing.T) {
	b := newBench(t, owner)
	b.observe(picture(red))
	for path, want := range map[string]int{"?size=small": 200, "?size=thumb": 200, "?size=display": 200, "?size=original": 200, "": 200, "?size=huge": 422} {
		p := b.get("/observations/1/photo"+path, want)
		if want == 200 && (p.Header.Get("Content-Type") != "image/png" || p.body != string(picture(red)) ||
			!strings.HasPrefix(p.Header.Get("Cache-Control"), "private")) {
			t.Errorf("%q: headers %v", path, p.Header)
		}
	}
	b.get("/observations/2/photo?size=thumb", 404)
}
