package web

import (
	"archive/zip"
	"context"
	"net/http"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

// fakeOwnData has nothing of anybody.
type fakeOwnData struct{ wentOn int }

func (f *fakeOwnData) OwnData(ctx context.Context, u identify.User) (observed, said *identify.Export, err error) {
	return &identify.Export{}, &identify.Export{}, nil
}

func (f *fakeOwnData) GoOnWithLeavers() { f.wentOn++ }

func leavingBench(t *testing.T, u identify.User) (*bench, *fakePeople, *fakeOwnData) {
	t.Helper()
	own := &fakeOwnData{}
	people := newFakePeople()
	return newBench(t, u, func(c *Config) { c.People, c.Sessions, c.OwnData = people, &fakeSessions{}, own }), people, own
}

// Somebody saves what is kept of them, and leaves, with their lessons or without.
func TestLeaving(t *testing.T) {
	b, people, own := leavingBench(t, viewer)
	b.want(b.get("/account", 200), "Save my data", "Leave for good", "Your present password")
	p := b.get("/account/data", 200)
	z, err := zip.NewReader(strings.NewReader(p.body), int64(len(p.body)))
	if err != nil || len(z.File) != 3 || !strings.Contains(p.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("%v, %v", err, p.Header)
	}
	b.want(b.do(form("/account/leave", "password", "old", "lessons", "withdraw"), 422), "Say that you are sure")
	p = b.do(form("/account/leave", "password", "wrong", "sure", "yes", "lessons", "withdraw"), 422)
	b.want(p, "not your present password")
	if attr(p.find("#leave-password")[0], "aria-invalid") != "true" || !strings.Contains(p.body, `value="withdraw" checked`) || !strings.Contains(p.body, `<details class="people-after" open>`) {
		t.Error("the form is not as it was sent")
	}
	if len(people.did) > 0 || own.wentOn > 0 {
		t.Errorf("done all the same: %q", people.did)
	}
	for _, lessons := range []string{"", "withdraw"} {
		p := b.do(form("/account/leave", "password", "old", "sure", "yes", "lessons", lessons), http.StatusSeeOther)
		if to := p.Header.Get("Location"); to != "/sign-in?left=1" || p.Header.Get("Clear-Site-Data") == "" {
			t.Errorf("to %s, %v", to, p.Header)
		}
	}
	people.wantDone(t, "leave false", "leave true")
	if own.wentOn != 1 {
		t.Errorf("lessons were withdrawn %d times", own.wentOn)
	}
	nobody, _, _ := leavingBench(t, identify.User{})
	nobody.want(nobody.get("/sign-in?left=1", 200), "You have left, and your name is gone.")
}

// Those who left are said to have, in the reader's language.
func TestPagesAreSaidLeaving(t *testing.T) {
	for _, u := range []identify.User{owner, viewer, {ID: 3, Name: "Gus", Role: identify.Expert, Guest: true}} {
		b, _, _ := leavingBench(t, u)
		b.said(b.marked("/account", 200), u.Name)
		b.said(b.markedAnswer(form("/account/leave", "password", "old"), 422), u.Name)
	}
	nobody, _, _ := leavingBench(t, identify.User{})
	nobody.said(nobody.marked("/sign-in?left=1", 200))
}
