package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

func TestPagesAreSaidPeople(t *testing.T) {
	b, _, _ := peopleBench(t, owner)
	for _, page := range []string{"/people", "/account", "/account?saved=name", "/account?saved=password", "/account?saved=sessions", "/account?saved=weak", "/sign-in", "/join"} {
		b.said(b.marked(page, 200), "Ana")
	}
	b.said(b.markedAnswer(form("/people/invitations", "role", "expert", "uses", "30", "guest", "on"), 201), "Ana")
	b.said(b.markedAnswer(form("/people/tokens", "name", "camera", "role", "expert"), 201), "Ana")
	for _, u := range []identify.User{viewer, {ID: 3, Name: "Gus", Role: identify.Expert, Guest: true}, {ID: 4, Name: "Cy", Role: identify.Curator}} {
		b, _, _ := peopleBench(t, u)
		b.said(b.marked("/account", 200), u.Name)
	}
	nobody, _, _ := peopleBench(t, identify.User{})
	ended := httptest.NewRequest("GET", "/sign-in", nil)
	ended.AddCookie(&http.Cookie{Name: "session", Value: "ended"})
	nobody.said(nobody.markedAnswer(ended, 200))
	for _, typed := range []string{"short", "twelve chars", "sixteen chars ...", "five words go together"} {
		nobody.said(nobody.markedAnswer(fragment(form("/password", "password", typed)), 200))
	}
	for _, code := range []string{"FREE-CODE", "GUEST-CODE", "NAMED-CODE", "BACK-CODE"} {
		nobody.said(nobody.marked("/join/"+code, 200))
	}
	nobody.said(nobody.markedAnswer(form("/join/GUEST-CODE", "name", "taken"), 409), "There is already a user named taken.")
	b.said(b.marked("/join/BACK-CODE", 200), "Ana")
	nobody.said(nobody.marked("/setup/secret", 200))
	local := newBench(t, owner, func(c *Config) { c.People = newFakePeople() })
	local.said(local.marked("/people", 200), "Ana")
	local.said(local.marked("/account", 200), "Ana")
	local.said(local.marked("/sign-in", 200), "Ana")
}

// fakeWorkshops has one workshop, with one guest.
type fakeWorkshops struct {
	WorkshopService
	workshop identify.Workshop
	guests   []identify.WorkshopGuest
	board    identify.WorkshopBoard
}

func (f *fakeWorkshops) Workshops(context.Context, identify.User) ([]identify.Workshop, error) {
	return []identify.Workshop{f.workshop}, nil
}

func (f *fakeWorkshops) Workshop(context.Context, identify.User, identify.WorkshopID) (identify.Workshop, []identify.WorkshopGuest, error) {
	return f.workshop, f.guests, nil
}

func (f *fakeWorkshops) Mine(context.Context, identify.User) (identify.Workshop, error) {
	return f.workshop, nil
}

func (f *fakeWorkshops) Board(context.Context, identify.User, identify.WorkshopID) (identify.WorkshopBoard, error) {
	return f.board, nil
}

func TestPagesAreSaidWorkshop(t *testing.T) {
	f := &fakeWorkshops{workshop: identify.Workshop{ID: 1, Title: "Moth night", Role: identify.Expert, HostName: "Ana", LabelSet: 1, StartedAt: noon, EndsAt: time.Now().Add(time.Hour)}}
	f.workshop.Code = "K7QF-2MWD"
	reach := Reach{Origins: []string{"http://192.168.1.7:8080"}}
	b := newBench(t, owner, func(c *Config) {
		c.Workshops, c.People, c.Sources, c.Reach = f, newFakePeople(), &fakeCuration{}, func() Reach { return reach }
	})
	pages := func() {
		t.Helper()
		f.board.Workshop, f.board.Now = f.workshop, time.Now()
		for _, page := range []string{"/workshop", "/workshop/1", "/workshop/1/reset", "/workshop/1/projector", "/workshop/mine",
			"/workshop/1?did=reset&n=3", "/workshop/1?did=restore&n=1", "/workshop/1?did=end", "/workshop/1?did=extend"} {
			b.said(b.marked(page, 200), "Ana", "Moth night")
		}
	}
	pages()
	b.want(b.get("/workshop/mine", 200), "Take a photo")
	f.workshop.Photos, f.workshop.Lessons, f.workshop.Own, f.workshop.Guests = 4, 2, 1, 2
	f.guests = []identify.WorkshopGuest{{User: identify.User{ID: 5, Name: "Gus", Role: identify.Expert}, Lessons: 2, Standing: 2, Photos: 4, SeenAt: &noon},
		{User: identify.User{ID: 6, Name: "Dot", Role: identify.Viewer}, Disabled: true, Quarantined: true}}
	f.board.Fused, f.board.ZeroShot = identify.Score{Asked: 2, Right: 1}, identify.Score{Asked: 2}
	f.board.Curve = []identify.CurvePoint{{Lesson: 3, At: noon, Fused: 1}, {Lesson: 4, At: noon, Fused: .5}}
	f.guests[0].Guest = true
	b.said(b.markedAnswer(form("/workshop/1/guests/5/return"), 201), "Ana", "Moth night")
	reach = Reach{Local: true, Listen: "0.0.0.0:8080", Origins: []string{"http://192.168.1.7:8080", "http://10.0.0.2:8080"}}
	pages()
	f.workshop.EndedAt, f.workshop.ResetAt, f.workshop.Role = &noon, &noon, identify.Viewer
	reach = Reach{SelfSigned: true}
	pages()
	reach = Reach{Local: true}
	pages()
}

func TestPagesAreSaidLesson(t *testing.T) {
	b := newBench(t, owner)
	for _, page := range []string{"/lesson", "/lesson?step=2", "/lesson?step=3", "/lesson?step=4", "/lesson?step=5", "/lesson?cleared=yes"} {
		b.said(b.marked(page, 200), "Ana")
	}
	b.do(form("/lesson/teach", "picture", "1"), 303)
	b.said(b.marked("/lesson", 200), "Ana")
	b = newBench(t, viewer)
	b.said(b.marked("/lesson", 200), "Vic")
}
