package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// runWorkshop is a workshop of which an admin's decisions are noted.
type runWorkshop struct {
	fakeWorkshops
	did   []string
	lasts time.Duration
	own   bool
}

func (f *runWorkshop) Extend(_ context.Context, _ identify.User, _ identify.WorkshopID, lasts time.Duration) error {
	if lasts < time.Minute {
		return identify.Errorf(identify.Invalid, "hours", "Give the hours that are left: 1, for example, and up to a month.")
	}
	f.did, f.lasts = append(f.did, "extend"), lasts
	return nil
}

func (f *runWorkshop) End(context.Context, identify.User, identify.WorkshopID) error {
	f.did = append(f.did, "end")
	return nil
}

func (f *runWorkshop) Reset(_ context.Context, _ identify.User, _ identify.WorkshopID, own bool) (int, error) {
	f.did, f.own = append(f.did, "reset"), own
	return 3, nil
}

// workshopBench is a bench of a workshop that has an hour to go.
func workshopBench(t *testing.T) (*bench, *runWorkshop) {
	t.Helper()
	f := &runWorkshop{}
	f.workshop = identify.Workshop{ID: 1, Title: "Moth night", Role: identify.Expert, HostName: "Ana", StartedAt: noon, EndsAt: time.Now().Add(time.Hour), Code: "K7QF-2MWD", Own: 2}
	f.guests = []identify.WorkshopGuest{{User: identify.User{ID: 5, Name: "Gus", Role: identify.Expert, Guest: true}, Lessons: 3, Standing: 3}}
	f.board.Workshop, f.board.Now = f.workshop, time.Now()
	return newBench(t, owner, func(c *Config) {
		c.Workshops, c.People, c.Sources = f, newFakePeople(), &fakeCuration{}
	}), f
}

// TestResetIsAskedOnceMore: the page says how much it is about and changes nothing; what
// the host taught stays unless the box is ticked.
func TestResetIsAskedOnceMore(t *testing.T) {
	b, f := workshopBench(t)
	p := b.get("/workshop/1/reset", 200)
	b.want(p, "3 lessons", "Moth night")
	if len(f.did) > 0 || !strings.Contains(p.body, `<input type="checkbox" name="own" value="yes">`) {
		t.Errorf("asking did %v, or takes the host's own lessons unasked", f.did)
	}
	b.do(form("/workshop/1/reset"), http.StatusSeeOther)
	if len(f.did) != 1 || f.own {
		t.Errorf("did %v, own %v", f.did, f.own)
	}
	b.do(form("/workshop/1/reset", "own", "yes"), http.StatusSeeOther)
	if !f.own {
		t.Error("the host's own lessons stay although the box is ticked")
	}
}

// TestExtendAndEnd: hours are typed; what is no time is refused beside the field.
func TestExtendAndEnd(t *testing.T) {
	b, f := workshopBench(t)
	b.do(form("/workshop/1/extend", "hours", "1.5"), http.StatusSeeOther)
	if f.lasts != 90*time.Minute {
		t.Errorf("it lasts %v", f.lasts)
	}
	b.want(b.do(form("/workshop/1/extend", "hours", "0"), 422), "Give the hours that are left")
	b.do(form("/workshop/1/end"), http.StatusSeeOther)
	if strings.Join(f.did, " ") != "extend end" {
		t.Errorf("did %v", f.did)
	}
}

// TestAnEndedWorkshop offers neither its code nor to end it once more.
func TestAnEndedWorkshop(t *testing.T) {
	b, f := workshopBench(t)
	f.workshop.EndedAt, f.workshop.Code = &noon, ""
	p := b.get("/workshop/1", 200)
	for _, action := range []string{"/workshop/1/end", "/workshop/1/extend", "K7QF-2MWD"} {
		if strings.Contains(p.body, action) {
			t.Errorf("the page of an ended workshop has %s", action)
		}
	}
}

// TestAGuestIsLetBackIn: the code is shown once, with what it opens; a GET makes none, and
// it is offered for no one who has another way in, or none.
func TestAGuestIsLetBackIn(t *testing.T) {
	b, f := workshopBench(t)
	people := b.config.People.(*fakePeople)
	const action = "/workshop/1/guests/5/return"
	b.get(action, http.StatusMethodNotAllowed)
	b.want(b.do(form(action), 201), "Gus comes back with this code", "B4CK-2MWD")
	if strings.Join(people.did, " ") != "let back in 5" {
		t.Errorf("did %v", people.did)
	}
	f.guests = append(f.guests, identify.WorkshopGuest{User: identify.User{ID: 6, Name: "Pia"}}, // has a password
		identify.WorkshopGuest{User: identify.User{ID: 7, Name: "Dot", Guest: true}, Disabled: true})
	b.want(b.do(form("/workshop/1/guests/6/return"), 409), "Nobody comes back by a code but a guest")
	b.do(form("/workshop/1/guests/9/return"), 404)
	offered := func() (list []string) {
		for _, form := range b.get("/workshop/1", 200).find("form") {
			if path := attr(form, "action"); strings.HasSuffix(path, "/return") {
				list = append(list, path)
			}
		}
		return list
	}
	if got := offered(); len(got) != 1 || got[0] != action {
		t.Errorf("it is offered for %v", got)
	}
	f.workshop.EndsAt = noon
	if got := offered(); len(got) > 0 {
		t.Errorf("when it is over it is offered for %v", got)
	}
}

// TestTheHostsPageIsFollowed: a fragment has the parts that change, and no page around them.
func TestTheHostsPageIsFollowed(t *testing.T) {
	b, f := workshopBench(t)
	f.guests[0].Photos = 4
	page := b.get("/workshop/1", 200)
	fresh := b.do(fragment(httptest.NewRequest("GET", "/workshop/1", nil)), 200)
	for _, id := range []string{"#workshop-figures", "#workshop-end", "#guest-5"} {
		if len(page.find(id)) != 1 || len(fresh.find(id)) != 1 {
			t.Errorf("%s: %d in the page, %d in the fragment", id, len(page.find(id)), len(fresh.find(id)))
		}
	}
	b.want(fresh, "4 photos")
	if strings.Contains(fresh.body, "K7QF-2MWD") || len(fresh.find("main")) > 0 {
		t.Error("the fragment is a page")
	}
	if len(page.with("data-anew")) != 1 || page.count("a", "href", "/workshop/1") != 1 {
		t.Error("without scripts nothing leads to the page as it is by then")
	}
}

// TestTheProjectorWithoutScripts has all on its page; the code is there to be read.
func TestTheProjectorWithoutScripts(t *testing.T) {
	b, _ := workshopBench(t)
	p := b.get("/workshop/1/projector", 200)
	b.want(p, "Moth night", "K7QF-2MWD")
}
