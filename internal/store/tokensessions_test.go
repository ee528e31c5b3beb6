package store

import (
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// Whoever has a token can paste it into the form for signing in: the session is no
// more than the token, and ends with it.
func TestASessionOfATokenIsNoMoreThanTheToken(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ada := account(t, s, "Ada", identify.Admin)
	end := noon.Add(time.Hour)
	token := func(name string, role identify.Role, expires *time.Time) identify.User {
		made, err := s.AddToken(ctx, hashOf(name), identify.Token{User: ada.ID, Name: name, Role: role, CreatedAt: noon, ExpiresAt: expires})
		if err != nil {
			t.Fatal(err)
		}
		u, _, err := s.UserByToken(ctx, hashOf(name), noon)
		if err != nil || u.Token != made.ID {
			t.Fatalf("%+v, %v", u, err)
		}
		err = s.AddSession(ctx, hashOf("by "+name), identify.Session{User: u.ID, Token: u.Token, CreatedAt: noon, SeenAt: noon, ExpiresAt: noon.Add(48 * time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	reading, short := token("reading", identify.Viewer, nil), token("short", identify.Admin, &end)
	if u, of, err := s.UserBySession(ctx, hashOf("by reading"), noon); err != nil || u.Role != identify.Viewer || u.Token != reading.Token || of.Token != reading.Token {
		t.Errorf("an admin's token that only reads opened a session of %+v, %v", u, err)
	}
	if u, _, err := s.UserBySession(ctx, hashOf("by short"), end.Add(-time.Second)); err != nil || u.Role != identify.Admin {
		t.Errorf("%+v, %v", u, err)
	}
	_, _, err := s.UserBySession(ctx, hashOf("by short"), end)
	wantKind(t, err, identify.NotFound, "")

	begin(t, s, "by password", ada.ID, time.Hour)
	for _, id := range []identify.TokenID{reading.Token, short.Token} {
		if err := s.RevokeToken(ctx, id, ada.ID, noon); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"by reading", "by short"} {
		_, _, err := s.UserBySession(ctx, hashOf(name), noon)
		wantKind(t, err, identify.NotFound, "")
	}
	if u, _, err := s.UserBySession(ctx, hashOf("by password"), noon); err != nil || u.Role != identify.Admin || u.Token != 0 {
		t.Errorf("%+v, %v", u, err)
	}
	if list, err := s.Sessions(ctx, ada.ID, noon); err != nil || len(list) != 1 {
		t.Errorf("%d sessions are left (%v), want the one by password", len(list), err)
	}
}
