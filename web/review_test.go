package web

import (
	"fmt"
	"image/color"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"fieldmark/internal/identify"
)

// newReview is a bench whose queue has n photos.
func newReview(t *testing.T, u identify.User, n int) (*bench, *fakeReview) {
	t.Helper()
	f := &fakeReview{}
	b := newBench(t, u, func(c *Config) { c.Review = f })
	f.fake = b.fake
	for i := range n {
		_, _, err := b.fake.Observe(t.Context(), owner, identify.Upload{Photo: picture(color.RGBA{uint8(10 * i), 30, 20, 255})}, identify.Question{})
		if err != nil {
			t.Fatal(err)
		}
	}
	return b, f
}

// with are the elements that have an attribute.
func (r reply) with(key string) []*html.Node {
	var found []*html.Node
	for n := range r.root.Descendants() {
		if hasAttr(n, key) {
			found = append(found, n)
		}
	}
	return found
}

func hasAttr(n *html.Node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}

// shown is the photo that a page asks to decide on.
func (r reply) shown() string {
	for _, n := range r.with("data-card") {
		return attr(n, "data-card")
	}
	return ""
}

func TestReviewOneByOne(t *testing.T) {
	b, f := newReview(t, owner, 4)
	p := b.get("/review", 200)
	b.want(p, "4 photos wait to be named", "Tits and chickadees")
	if p.shown() != "1" || attr(p.with("data-next-photo")[0], "data-next-photo") != "2" {
		t.Fatalf("it shows %q", p.shown())
	}
	if got := len(p.with("data-accept")); got != acceptKeys {
		t.Errorf("%d names to accept", got)
	}
	// An answer is accepted, and what was to follow follows.
	p = b.do(fragment(form("/review/decisions", "observation", "1", "next", "3,2", "suggestion", "2")), 200)
	if i, _ := b.fake.list[0].Current(); i.Taxon != 2 || !i.FromSuggestion {
		t.Errorf("taught %+v", i)
	}
	b.want(p, "Taught as Eurasian Blue Tit.", "3 photos wait")
	if p.shown() != "3" || len(p.find("main")) != 0 {
		t.Errorf("the next is %q", p.shown())
	}
	if got := attr(p.with("data-review")[0], "data-said"); !strings.HasPrefix(got, "Taught as Eurasian Blue Tit. Next: ") {
		t.Errorf("it says %q", got)
	}
	if got := attr(p.find(".elsewhere")[0], "hx-get"); got != "/review/changed?seq=1" {
		t.Errorf("what changed is at %q", got)
	}
	p = b.do(fragment(form("/review/decisions", "observation", "3", "next", "2", "do", "skip")), 200)
	if p.shown() != "2" || f.decisions[1].Kind != identify.DecidedSkipped {
		t.Errorf("after the skip %q, %+v", p.shown(), f.decisions)
	}
	p = b.do(fragment(form("/review/decisions", "observation", "2", "next", "4", "do", "aside")), 200)
	b.want(p, "Set aside, nobody can tell: 1 photo.", "2 photos wait")
	p = b.do(fragment(form("/review/undo", "decision", "3")), 200)
	if p.shown() != "2" {
		t.Errorf("the undo leads to %q", p.shown())
	}
	b.do(fragment(form("/review/undo", "decision", "3")), http.StatusConflict)
}

func TestReviewWithoutJavaScript(t *testing.T) {
	b, _ := newReview(t, owner, 3)
	for _, c := range []struct {
		path string
		form []string
		to   string
	}{
		{"/review/decisions", []string{"observation", "1", "next", "2,3", "q", "great tit"}, "/review?at=2&changed=1"},
		{"/review/decisions", []string{"observation", "2", "next", "3", "do", "skip", "order", "time"}, "/review?at=3&order=time"},
		{"/review/decisions", []string{"observation", "3", "do", "aside"}, "/review"},
		{"/review/undo", []string{"decision", "3"}, "/review?at=3"},
	} {
		p := b.do(form(c.path, c.form...), http.StatusSeeOther)
		if got := p.Header.Get("Location"); got != c.to {
			t.Errorf("%v leads to %q, want %q", c.form, got, c.to)
		}
		b.get(p.Header.Get("Location"), 200)
	}
}

// A name that is no taxon's is asked about, with the same photo on the page and the
// same selection.
func TestReviewAsksWhichIsMeant(t *testing.T) {
	b, _ := newReview(t, owner, 3)
	p := b.do(fragment(form("/review/decisions", "observation", "2", "next", "3", "q", "clover")), 422)
	b.want(p, "Which of these do you mean?", "Red clover")
	if p.shown() != "2" || len(p.find(".match")) != 3 {
		t.Errorf("it shows %q with %d matches", p.shown(), len(p.find(".match")))
	}
	p = b.do(fragment(form("/review/decisions", "view", "groups", "observation", "1", "observation", "3", "q", "clover")), 422)
	if on := selectedTiles(p); strings.Join(on, " ") != "1 3" {
		t.Errorf("selected are %v", on)
	}
	p = b.do(fragment(form("/review/decisions", "view", "groups", "suggestion", "1")), 422)
	b.want(p, "Select at least one photo.")
}

// Whatever of the look-alikes was selected, the same ones are shown when a decision
// about them cannot be taken.
func TestReviewShowsTheSameLookAlikesAgain(t *testing.T) {
	for name, c := range map[string]struct {
		decision []string
		says     string
		on       string
	}{
		"a name that is none": {[]string{"observation", "3", "q", "clover"}, "Which of these do you mean?", "3"},
		"none selected":       {[]string{"suggestion", "1"}, "Select at least one photo.", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b, _ := newReview(t, owner, 4)
			if b.get("/review/like?at=2", 200).count("input", "name", "lead") != 1 {
				t.Error("the form does not say what it is about")
			}
			p := b.do(fragment(form("/review/decisions", append(c.decision, "view", "like", "lead", "2")...)), 422)
			b.want(p, c.says)
			var all []string
			for _, n := range p.with("data-tile") {
				all = append(all, attr(n, "value"))
			}
			if on := selectedTiles(p); strings.Join(all, " ") != "2 3 4" || strings.Join(on, " ") != c.on {
				t.Errorf("it shows %v with %v selected", all, on)
			}
		})
	}
}

func TestReviewGroups(t *testing.T) {
	b, f := newReview(t, owner, 4)
	p := b.get("/review/groups", 200)
	b.want(p, "4 photos that look alike", "4 of 4 selected")
	if len(p.with("data-next")) != 0 || len(p.with("data-previous")) != 0 {
		t.Error("there is but one group, and a way to another")
	}
	p = b.do(fragment(form("/review/decisions", "view", "groups", "observation", "1", "observation", "3", "observation", "4", "taxon", "4")), 200)
	if len(f.decisions) != 1 || len(f.decisions[0].Items) != 3 {
		t.Fatalf("decided %+v", f.decisions)
	}
	b.want(p, "Taught as European Robin: 3 photos.", "No two of the photos that wait look alike.")
	p = b.do(fragment(form("/review/undo", "decision", "1", "view", "groups")), 200)
	b.want(p, "4 of 4 selected")

	// One by one, the undo leads back to the photo whose answer was shown, if it was one
	// of those; else to the first of them.
	for _, x := range []struct{ was, shown string }{{"3", "3"}, {"4", "1"}} {
		p = b.do(fragment(form("/review/decisions", "view", "like", "observation", "1", "observation", "3", "taxon", "4")), 200)
		if p.count("input", "name", "was") != 1 {
			t.Error("it does not know where that was")
		}
		if p = b.do(fragment(form("/review/undo", "decision", "1", "was", x.was)), 200); p.shown() != x.shown {
			t.Errorf("from %s it leads to %s", x.was, p.shown())
		}
	}
	b.want(b.get("/review/like?at=3", 200), "2 of 2 selected")
	b.get("/review/like?at=99", 404)
}

// Of look-alikes those are selected at first that read as the first one does, so that one
// key names no photo otherwise than it would be named alone; the first one always is,
// however it was read before.
func TestWhichLookAlikesAreSelected(t *testing.T) {
	blue := identify.Reading{Label: "Eurasian Blue Tit", Taxon: 2, Chance: 0.6}
	for name, c := range map[string]struct {
		reads    map[identify.ObservationID]identify.Reading
		selected string
		lead     string
	}{
		"all read the same":      {nil, "1 2 3 4", "4 photos that look alike. The answer is the first one’s."},
		"one reads otherwise":    {map[identify.ObservationID]identify.Reading{3: blue}, "1 2 4", "those that read the same are selected at first."},
		"the first read so once": {map[identify.ObservationID]identify.Reading{1: blue, 2: blue}, "1 3 4", "those that read the same are selected at first."},
		"one was never read":     {map[identify.ObservationID]identify.Reading{4: {}}, "1 2 3", "those that read the same are selected at first."},
	} {
		t.Run(name, func(t *testing.T) {
			b, f := newReview(t, owner, 4)
			f.reads = c.reads
			for _, path := range []string{"/review/groups", "/review/like?at=1"} {
				p := b.get(path, 200)
				if got := strings.Join(selectedTiles(p), " "); got != c.selected {
					t.Errorf("%s selects %s, want %s", path, got, c.selected)
				}
				b.want(p, c.lead, fmt.Sprintf("%d of 4 selected", len(selectedTiles(p))))
			}
		})
	}
}

// selectedTiles are the look-alikes that a page would decide on, by number.
func selectedTiles(p reply) (on []string) {
	for _, n := range p.with("data-tile") {
		if hasAttr(n, "checked") {
			on = append(on, attr(n, "value"))
		}
	}
	return on
}

func TestReviewRefusals(t *testing.T) {
	b, _ := newReview(t, viewer, 2)
	p := b.get("/review", 200)
	b.want(p, "takes the role “expert”")
	if p.shown() != "" {
		t.Error("a viewer is asked to decide")
	}
	b, _ = newReview(t, owner, 0)
	b.want(b.get("/review", 200), "Nothing waits to be named.")
	for _, path := range []string{"/review?at=x", "/review?whose=his", "/review?order=size", "/review/changed?seq=x"} {
		b.get(path, 422)
	}
	b.do(form("/review/decisions", "observation", "x", "suggestion", "1"), 422)
	newBench(t, owner).get("/review", 404)
}

func TestChangedElsewhere(t *testing.T) {
	b, f := newReview(t, owner, 3)
	f.changed = identify.Changed{Seq: 7, Looked: 200, Waiting: 312, List: []identify.ChangedReading{
		{Observation: 2, Before: identify.Reading{Taxon: 1, Label: "Great Tit", Chance: 0.41}, After: identify.Reading{Taxon: 4, Label: "European Robin", Chance: 0.88}},
	}}
	p := b.do(fragment(httptest.NewRequest("GET", "/review/changed?seq=7", nil)), 200)
	b.want(p, "1 other photo reads differently, of the 200 nearest of 312 photos looked at", "Great Tit", "41%", "European Robin", "88%")
	if got := attr(p.find("a")[0], "href"); got != "/review?at=2&whose=all" {
		t.Errorf("it leads to %q", got)
	}
	b.want(b.get("/review/changed?seq=9", 200), "not known any more")
	// On the first page the card of a correction asks for it.
	p = b.do(fragment(form("/observations/1/identifications", "suggestion", "2")), 200)
	if got := attr(p.with("hx-trigger")[0], "hx-get"); !strings.HasPrefix(got, "/review/changed?seq=") {
		t.Errorf("the card asks for %q", got)
	}
}

func TestSetAside(t *testing.T) {
	b, _ := newReview(t, owner, 2)
	b.want(b.get("/review/aside", 200), "Nothing is set aside.")
	b.do(form("/review/decisions", "observation", "2", "do", "aside"), http.StatusSeeOther)
	b.want(b.get("/review/aside", 200), "by you", "Put back")
	b.do(form("/review/aside", "decision", "1", "observation", "2"), http.StatusSeeOther)
	b.want(b.get("/review", 200), "2 photos wait")
	b.do(form("/review/aside", "decision", "x"), 422)
}

func TestPeopleDisagree(t *testing.T) {
	b, f := newReview(t, owner, 1)
	for _, taxon := range []identify.TaxonID{1, 2} {
		if _, err := f.Identify(t.Context(), owner, 1, identify.Answer{Taxon: taxon}, identify.Question{}); err != nil {
			t.Fatal(err)
		}
	}
	b.want(b.get("/observations/1", 200), "Disputed", "Tits and chickadees", "2 of 3 agree on this. What exactly is disputed.")
	b.get("/observations?status=disputed", 200)
}
