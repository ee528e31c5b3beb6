package web

import (
	"image/color"
	"strings"
	"testing"
)

func TestObservationsEmpty(t *testing.T) {
	b := newBench(t, owner)
	b.want(b.get("/observations", 200), "No photo has come in yet")
	b.want(b.get("/observations?q=tit", 200), "Nothing matches")
}

func TestObservationsFilters(t *testing.T) {
	b := newBench(t, owner)
	b.observe(picture(red), picture(blue))
	b.do(form(teach, "suggestion", "2"), 303)
	for path, want := range map[string]int{
		"": 2, "?status=identified": 1, "?status=unidentified": 1, "?taxon=2": 1, "?taxon=1": 0, "?q=Blue": 1,
		"?from=2026-05-03&to=2026-05-03": 2, "?from=2026-05-04": 0, "?to=2026-05-02": 0,
	} {
		if got := len(b.get("/observations"+path, 200).find(".plate")); got != want {
			t.Errorf("%q lists %d, want %d", path, got, want)
		}
	}
	b.want(b.get("/observations?taxon=2&status=identified", 200), "Eurasian Blue Tit ×")
}

func TestObservationsInvalidFilters(t *testing.T) {
	b := newBench(t, owner)
	for _, path := range []string{"?from=yesterday", "?from=2026-05-04&to=2026-05-01", "?before=-1"} {
		p := b.get("/observations"+path, 422)
		if len(p.find(".filters")) != 1 || len(p.find(".problem")) != 1 {
			t.Errorf("%q: no form with a sentence", path)
		}
	}
	b.get("/observations?taxon=99", 404)
}

// Pages follow each other by a cursor and keep the filters.
func TestObservationsPaging(t *testing.T) {
	b := newBench(t, owner)
	for i := range pageSize + 3 {
		b.observe(picture(color.RGBA{uint8(i), 0, 0, 255}))
	}
	p := b.get("/observations?status=unidentified", 200)
	older := ""
	for _, a := range p.find("a") {
		if attr(a, "rel") == "next" {
			older = attr(a, "href")
		}
	}
	// 27 observations, 24 to a page: the first page ends at number 4.
	if !strings.Contains(older, "before=4") || !strings.Contains(older, "status=unidentified") {
		t.Fatalf("older leads to %q", older)
	}
	p = b.get(older, 200)
	if got := len(p.find(".plate")); got != 3 {
		t.Errorf("the last page lists %d, want 3", got)
	}
	b.want(p, "Newest")
}
