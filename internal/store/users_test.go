package store

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

func TestUsers(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ann, err := s.CreateUser(ctx, "Ann", identify.Curator, hashOf("ann"), noon)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.UserByToken(ctx, hashOf("ann")); err != nil || got != ann || got.Role != identify.Curator || got.Name != "Ann" {
		t.Errorf("%+v, %v; want %+v", got, err, ann)
	}
	_, err = s.UserByToken(ctx, hashOf("bob"))
	wantKind(t, err, identify.NotFound, "")
	_, err = s.UserByToken(ctx, nil)
	wantKind(t, err, identify.NotFound, "")
	_, err = s.CreateUser(ctx, "Bob", "king", hashOf("bob"), noon)
	wantKind(t, err, identify.Invalid, "role")
	_, err = s.CreateUser(ctx, " ", identify.Viewer, hashOf("bob"), noon)
	wantKind(t, err, identify.Invalid, "name")
	if _, err := s.CreateUser(ctx, "Bob", identify.Viewer, []byte("short"), noon); err == nil {
		t.Error("a hash that is none was taken")
	}
	if _, err := s.CreateUser(ctx, "Bob", identify.Viewer, hashOf("ann"), noon); err == nil {
		t.Error("two users with one token")
	}

	if err := s.AddSession(ctx, hashOf("session"), ann.ID, noon, noon.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := s.RevokeUser(ctx, ann.ID, noon); err != nil {
		t.Fatal(err)
	}
	wantKind(t, s.RevokeUser(ctx, ann.ID, noon), identify.NotFound, "")
	_, err = s.UserByToken(ctx, hashOf("ann"))
	wantKind(t, err, identify.NotFound, "")
	_, err = s.UserBySession(ctx, hashOf("session"), noon)
	wantKind(t, err, identify.NotFound, "")
}

func TestNamesOfUsers(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ann := user(t, s, "Zoë O'Hara")
	tests := []struct {
		name string
		kind identify.ErrorKind // "": taken
	}{
		{"Zoë O'Hara", identify.Conflict},
		{" zoe  OHARA ", identify.Conflict},
		{"owner", identify.Conflict},
		{"", identify.Invalid},
		{" \t", identify.Invalid},
		{"Bob\x1b[2J", identify.Invalid},
		{"Bob\u202e", identify.Invalid},
		{"Bob\xff", identify.Invalid},
		{strings.Repeat("ö", 201), identify.Invalid},
		{strings.Repeat("ö", 200), ""},
		{"Zoë O'Hara 2", ""},
	}
	for i, tt := range tests {
		_, err := s.CreateUser(ctx, tt.name, identify.Viewer, hashOf(fmt.Sprint(i)), noon)
		if identify.KindOf(err) != tt.kind || tt.kind == "" && err != nil {
			t.Errorf("%.20q: %v, want kind %q", tt.name, err, tt.kind)
		}
	}
	_, err := s.CreateUser(ctx, "zoe o'hara", identify.Viewer, hashOf("x"), noon)
	if want := "There is already a user named Zoë O'Hara; choose another name."; err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
	if err := s.RevokeUser(ctx, ann.ID, noon); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CreateUser(ctx, "Zoë O'Hara", identify.Viewer, hashOf("y"), noon); err != nil {
		t.Errorf("who lost a token cannot get another: %v", err)
	}
}

func TestOwner(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if u, err := s.Owner(ctx); err != nil || u.Role != identify.Admin || u.ID != 1 {
				t.Errorf("%+v, %v", u, err)
			}
		})
	}
	group.Wait()
	wantKind(t, s.RevokeUser(ctx, 1, noon), identify.NotFound, "")
	if c, err := s.Counts(ctx); err != nil || c.Users != 1 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestSessions(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ann := user(t, s, "ann")
	for name, hours := range map[string]int{"short": 1, "long": 10} {
		if err := s.AddSession(ctx, hashOf(name), ann.ID, noon, noon.Add(time.Duration(hours)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if u, err := s.UserBySession(ctx, hashOf("short"), noon.Add(59*time.Minute)); err != nil || u != ann {
		t.Errorf("%+v, %v", u, err)
	}
	_, err := s.UserBySession(ctx, hashOf("short"), noon.Add(time.Hour))
	wantKind(t, err, identify.NotFound, "")

	if err := s.AddSession(ctx, hashOf("later"), ann.ID, noon.Add(2*time.Hour), noon.Add(3*time.Hour)); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := s.write.QueryRow("SELECT count(*) FROM sessions").Scan(&left); err != nil || left != 2 {
		t.Errorf("%d sessions are kept (%v), want 2: the one that expired is forgotten", left, err)
	}
	for range 2 {
		if err := s.EndSession(ctx, hashOf("long")); err != nil {
			t.Error(err)
		}
	}
	_, err = s.UserBySession(ctx, hashOf("long"), noon)
	wantKind(t, err, identify.NotFound, "")
}
