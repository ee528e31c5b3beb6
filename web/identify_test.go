package web

import (
	"net/http"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

const teach = "/observations/1/identifications"

func TestAcceptASuggestion(t *testing.T) {
	b := newBench(t, owner)
	b.observe(picture(red))
	p := b.do(fragment(form(teach, "suggestion", "2", "label_set", "0", "next", "/?shown=1")), 200)
	if got := p.text(".lesson"); !strings.Contains(got, "Taught as Eurasian Blue Tit by you") || !strings.Contains(got, "Undo") {
		t.Errorf("the lesson says %q", got)
	}
	before, after := p.text(".reading-before"), p.text(".reading-after")
	if !strings.Contains(before, "It said Tits and chickadees") || !strings.Contains(after, "Now it says Eurasian Blue Tit") {
		t.Errorf("before: %q, after: %q", before, after)
	}
	b.want(p, "Learned in 12 ms", "taught by Ana", "the memory counts")
	b.want(p, "75%")
	if i, _ := b.fake.list[0].Current(); !i.FromSuggestion {
		t.Error("it is not recorded as picked from the answers")
	}
}

func TestTeachWithoutJavaScript(t *testing.T) {
	b := newBench(t, owner)
	b.observe(picture(red))
	p := b.do(form(teach, "q", "european robin", "next", "/?shown=1"), http.StatusSeeOther)
	if got := p.Header.Get("Location"); got != "/?shown=1#o1" {
		t.Errorf("leads to %q", got)
	}
	i, named := b.fake.list[0].Current()
	if !named || i.TaxonLabel != "European Robin" || i.FromSuggestion {
		t.Errorf("taught %+v", i)
	}
	// The page that follows shows before and after, and the way back.
	page := b.get("/?shown=1", 200)
	b.want(page, "It said at first", "Now it says", "Undo")
}

func TestTeachAsksWhichIsMeant(t *testing.T) {
	for name, c := range map[string]struct {
		typed   string
		says    string
		matches int
		offered bool
	}{
		"several":  {"clover", "Which of these do you mean?", 3, true},
		"none":     {"Dotty", "No taxon has this name", 1, true},
		"nothing":  {"   ", "Type the name", 0, false},
		"too long": {strings.Repeat("x", 10_000), "too long", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range []*http.Request{form(teach, "q", c.typed), fragment(form(teach, "q", c.typed))} {
				b := newBench(t, owner)
				b.observe(picture(red))
				p := b.do(r, 422)
				b.want(p, c.says)
				if got := len(p.find(".match")); got != c.matches {
					t.Errorf("%d names to choose from, want %d", got, c.matches)
				}
				if (len(p.find(".match-new")) == 1) != c.offered {
					t.Errorf("a new name is offered: %t", !c.offered)
				}
				if len(p.body) > 60_000 {
					t.Error("what was typed is put back whole")
				}
				if _, named := b.fake.list[0].Current(); named {
					t.Error("it was taught")
				}
			}
		})
	}
}

func TestTeachANewName(t *testing.T) {
	b := newBench(t, owner)
	b.observe(picture(red))
	p := b.do(fragment(form(teach, "q", "Dotty", "new", "1")), 200)
	b.want(p, "Taught as Dotty")
	if i, _ := b.fake.list[0].Current(); i.Taxon < identify.FirstLocalTaxon {
		t.Errorf("taught %+v", i)
	}
	// Another photo of the same thing is named as taught.
	again := b.do(fragment(upload(t, "0", picture(red))), http.StatusCreated)
	if got := again.text("h2"); got != "Dotty" {
		t.Errorf("the second photo is named %q", got)
	}
}

func TestTeachWhatIsNoTaxon(t *testing.T) {
	b := newBench(t, owner)
	b.observe(picture(red))
	b.do(form(teach, "taxon", "seven"), 422)
	b.do(form(teach, "taxon", "7777"), 422)
}

func TestUndo(t *testing.T) {
	b := newBench(t, owner)
	b.observe(picture(red))
	b.do(fragment(form(teach, "suggestion", "2")), 200)
	p := b.do(fragment(form(teach+"/1/withdraw")), 200)
	b.want(p, "With the lesson", "Without it", "Undone in")
	if len(p.find(".lesson")) != 0 || len(p.find(".candidates")) == 0 {
		t.Error("the card is not open for another answer")
	}
	b.do(form(teach+"/1/withdraw"), http.StatusNotFound)
	b.do(fragment(form(teach, "suggestion", "1")), 200)
	if p := b.do(form(teach+"/2/withdraw"), http.StatusSeeOther); p.Header.Get("Location") != "/observations/1#o1" {
		t.Errorf("leads to %q", p.Header.Get("Location"))
	}
}

// On an observation's own page the history comes along.
func TestCorrectionOnThePageOfOne(t *testing.T) {
	b := newBench(t, owner)
	b.observe(picture(red))
	p := b.do(fragment(form(teach, "suggestion", "2", "large", "1")), 200)
	history := p.find("#history")
	if len(history) != 1 || attr(history[0], "hx-swap-oob") != "true" || !strings.Contains(textOf(history[0]), "picked from the answers") {
		t.Errorf("no history in %s", p.body)
	}
}

// A form never leads to another site.
func TestNextStaysHere(t *testing.T) {
	for _, next := range []string{"https://elsewhere.example/", "//elsewhere.example", `/\elsewhere.example`, "javascript:alert(1)", ""} {
		b := newBench(t, owner)
		b.observe(picture(red))
		p := b.do(form(teach, "suggestion", "2", "next", next), http.StatusSeeOther)
		if got := p.Header.Get("Location"); got != "/observations/1#o1" {
			t.Errorf("next %q leads to %q", next, got)
		}
	}
}
