package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"fieldmark/internal/identify"
	"fieldmark/templates"
)

// Enter takes a name only if it is the very one that was typed.
func TestOptionsMarkTheExactName(t *testing.T) {
	b := newBench(t, owner)
	for query, want := range map[string]int{"tit": 0, "coal tit": 1, "PARUS MAJOR": 1, "clover": 0} {
		r := httptest.NewRequest("GET", "/taxa?q="+strings.ReplaceAll(query, " ", "+"), nil)
		p := b.do(fragment(r), 200)
		if got := strings.Count(p.body, "data-exact"); got != want {
			t.Errorf("%q: %d names are marked as exact, want %d", query, got, want)
		}
	}
}

// Of what a name may mean, the photo's own answers come first.
func TestAnsweredFirst(t *testing.T) {
	list := []templates.Match{{Taxon: 1}, {Taxon: 2}, {Taxon: 3}, {Taxon: 4}}
	answeredFirst(list, func(id int64) bool { return id%2 == 0 })
	for i, want := range []int64{2, 4, 1, 3} {
		if list[i].Taxon != want {
			t.Errorf("place %d has %d, want %d", i, list[i].Taxon, want)
		}
	}
	b := newBench(t, owner)
	p := b.do(fragment(httptest.NewRequest("GET", "/taxa?q=tit&answered=9,3", nil)), 200)
	if got := attr(p.find(".match")[0], "data-taxon"); got != "3" {
		t.Errorf("the first name is that of %s, want 3, which the photo was answered with", got)
	}
}

// Photos mostly have no time zone, which is kept as UTC: the server's own zone
// does not move their days.
func TestDaysAreUTC(t *testing.T) {
	local := time.Local
	t.Cleanup(func() { time.Local = local })
	time.Local = time.FixedZone("far east", 12*3600)
	f, err := listFilter(map[string][]string{"from": {"2026-05-03"}, "to": {"2026-05-03"}})
	if err != nil {
		t.Fatal(err)
	}
	first, after := time.Date(2026, 5, 3, 0, 0, 0, 0, time.UTC), time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)
	if !f.From.Equal(first) || !f.To.Equal(after) {
		t.Errorf("from %v to %v, want %v and %v", f.From, f.To, first, after)
	}
	b := newBench(t, owner)
	b.want(b.get("/observations", 200), "photos that have no date are left out")
}

// stale is a domain in which another form was quicker.
type stale struct{ *fake }

func (stale) Identify(context.Context, identify.User, identify.ObservationID, identify.Answer, identify.Question) (identify.Correction, error) {
	return identify.Correction{}, identify.Errorf(identify.Conflict, "", "You said so already.")
}

func (stale) Withdraw(context.Context, identify.User, identify.ObservationID, identify.IdentificationID, identify.Question) (identify.Correction, error) {
	return identify.Correction{}, identify.Errorf(identify.Conflict, "", "It is withdrawn already.")
}

// A form that is sent twice leads back to its observation, or draws it anew.
func TestOvertakenForms(t *testing.T) {
	for path, says := range map[string]string{teach: "You said so already", teach + "/1/withdraw": "It is withdrawn already"} {
		b := newBench(t, owner, func(c *Config) { c.Service = stale{c.Service.(*fake)} })
		b.observe(picture(red))
		p := b.do(form(path, "suggestion", "2", "next", "/?shown=1"), http.StatusConflict)
		b.want(p, says, "Back to the observation")
		if !strings.Contains(p.body, `href="/?shown=1#o1"`) {
			t.Errorf("%s: no way back in %s", path, p.body)
		}
		p = b.do(fragment(form(path, "suggestion", "2")), http.StatusConflict)
		if b.want(p, says); len(p.find("#o1")) != 1 {
			t.Errorf("%s: the card is not drawn anew: %s", path, p.body)
		}
	}
}

// What one page does not show is told of.
func TestObserveMoreThanOnePageShows(t *testing.T) {
	b := newBench(t, owner)
	photos := make([][]byte, maxShown+10)
	for i := range photos {
		photos[i] = picture(red)
	}
	p := b.do(upload(t, "0", photos...), http.StatusSeeOther)
	to := p.Header.Get("Location")
	if !strings.HasSuffix(to, "60&more=10#results") {
		t.Fatalf("leads to %q", to)
	}
	b.want(b.get(strings.TrimSuffix(to, "#results"), 200), "10 more photos came in", "All observations")
}

// A chosen label set says what its percentages are shares of.
func TestAmong(t *testing.T) {
	b := newBench(t, owner)
	b.observe(picture(red))
	b.want(b.get("/observations/1?label_set=2", 200), "of these 4 names")
	if p := b.get("/observations/1", 200); len(p.find(".headline-among")) != 0 {
		t.Error("the default question says it too")
	}
}

func TestRanked(t *testing.T) {
	for rank, want := range map[identify.Rank]string{"genus": "Robinia (genus)", "species": "Robinia", identify.RankUnranked: "Robinia", "": "Robinia"} {
		if got := ranked(t.Context(), "Robinia", rank); got != want {
			t.Errorf("%q: %q, want %q", rank, got, want)
		}
	}
}

// Every page has one first heading, leaves no level out, and has no picture
// without an address.
func TestHeadings(t *testing.T) {
	b := newBench(t, owner)
	b.observe(picture(red))
	b.do(form(teach, "suggestion", "2"), http.StatusSeeOther)
	for _, path := range []string{"/", "/?shown=1", "/observations", "/observations/1", "/label-sets", "/about", "/taxa?q=tit", "/sign-in"} {
		p := b.get(path, 200)
		before, first := 0, 0
		for n := range p.root.Descendants() {
			if level := slices.Index([]string{"", "h1", "h2", "h3", "h4"}, n.Data); n.Type == html.ElementNode && level > 0 {
				if level > before+1 {
					t.Errorf("%s: <h%d> after <h%d>", path, level, before)
				}
				if before = level; level == 1 {
					first++
				}
			}
			if n.Data == "img" && attr(n, "src") == "" {
				t.Errorf("%s: a picture without an address", path)
			}
		}
		if first != 1 {
			t.Errorf("%s: %d first headings", path, first)
		}
	}
}

// Where nobody can sign in, whoever has no role is told why, and not sent round
// in circles.
func TestElsewhere(t *testing.T) {
	b := newBench(t, identify.User{})
	for _, path := range []string{"/", "/observations", "/sign-in"} {
		b.want(b.get(path, http.StatusForbidden), "came through a proxy", "webapp token create")
	}
	p := b.do(fragment(form(teach, "suggestion", "2")), http.StatusForbidden)
	b.want(p, "came through a proxy")
}

func TestViewersAreToldHowToTeach(t *testing.T) {
	b := newBench(t, viewer)
	b.want(b.get("/", 200), "Ask whoever runs this Fieldmark for it")
}
