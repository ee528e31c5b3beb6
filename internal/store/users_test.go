package store

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// program is a token to be made.
func program(name string, role identify.Role) identify.Token {
	return identify.Token{Name: name, Role: role, CreatedAt: noon}
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
		_, err := s.AddProgram(ctx, hashOf(fmt.Sprint(i)), program(tt.name, identify.Viewer))
		if identify.KindOf(err) != tt.kind || tt.kind == "" && err != nil {
			t.Errorf("%.20q: %v, want kind %q", tt.name, err, tt.kind)
		}
	}
	_, err := s.AddProgram(ctx, hashOf("x"), program("zoe o'hara", identify.Viewer))
	if want := "There is already a user named Zoë O'Hara; choose another name."; err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
	wantKind(t, s.RenameUser(ctx, ann.ID, "Zoë O'Hara 2"), identify.Conflict, "name")
	wantKind(t, s.RenameUser(ctx, ann.ID, "Owner"), identify.Conflict, "name")
	wantKind(t, s.RenameUser(ctx, ann.ID, "A\x00"), identify.Invalid, "name")
	if err := s.RenameUser(ctx, ann.ID, "zoe ohara"); err != nil {
		t.Errorf("one's own name in another spelling: %v", err)
	}
	if err := s.DisableUser(ctx, ann.ID, 0, noon); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddProgram(ctx, hashOf("y"), program("Zoë O'Hara", identify.Viewer)); err != nil {
		t.Errorf("who lost a token cannot get another: %v", err)
	}
	wantKind(t, s.EnableUser(ctx, ann.ID), identify.Conflict, "name")
	if p := person(t, s, ann.ID); p.DisabledAt == nil {
		t.Error("let in under a name that someone else has")
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
	wantKind(t, s.DisableUser(ctx, 1, 1, noon), identify.NotFound, "")
	wantKind(t, s.SetRole(ctx, 1, identify.Viewer, 1, noon), identify.NotFound, "")
	wantKind(t, s.RenameUser(ctx, 1, "Me"), identify.NotFound, "")
	wantKind(t, s.SetPassword(ctx, 1, "", "hash", identify.PasswordChange{At: noon}), identify.NotFound, "")
	_, err := s.AccountByName(ctx, "Owner")
	wantKind(t, err, identify.NotFound, "")
	if c, err := s.Counts(ctx); err != nil || c.Users != 1 {
		t.Errorf("%+v, %v", c, err)
	}
}

// person is how the list of people shows one.
func person(t *testing.T, s *Store, id identify.UserID) identify.Person {
	t.Helper()
	list, err := s.People(t.Context(), noon)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if p.ID == id {
			return p
		}
	}
	t.Fatalf("there is no person %d among %+v", id, list)
	return identify.Person{}
}

// account makes a person with a password by an invitation of theirs alone.
func account(t *testing.T, s *Store, name string, role identify.Role) identify.User {
	t.Helper()
	owner, err := s.Owner(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	key := hashOf("for " + name)
	if _, err := s.AddInvitation(t.Context(), key, identify.Invitation{Role: role, Uses: 1, CreatedAt: noon, CreatedBy: owner.ID, ExpiresAt: noon.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	u, err := s.Join(t.Context(), key, identify.NewAccount{Name: name, Password: "hash of " + name, At: noon})
	if err != nil {
		t.Fatal(err)
	}
	return u
}
