package store

import (
	"slices"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// Of a change of a password is kept when it was and where from; the sessions that it
// ended, and no others, can be asked why, until they would have been over.
func TestPasswordChanges(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	bo, cy := account(t, s, "Bo", identify.Expert), account(t, s, "Cy", identify.Expert)
	begin(t, s, "bo", bo.ID, time.Hour)
	begin(t, s, "cy", cy.ID, time.Hour)
	if p := person(t, s, bo.ID); p.PasswordAt != nil {
		t.Errorf("the first password was changed at %v", p.PasswordAt)
	}
	first := identify.PasswordChange{At: noon, Agent: "a phone"}
	second := identify.PasswordChange{At: noon.Add(time.Minute), Agent: "a desk", First: true}
	if err := s.SetPassword(ctx, bo.ID, "hash of Bo", "second", first); err != nil {
		t.Fatal(err)
	}
	if err := s.SetPassword(ctx, bo.ID, "second", "third", second); err != nil {
		t.Fatal(err)
	}
	wantKind(t, s.SetPassword(ctx, cy.ID, "wrong", "stolen", first), identify.NotFound, "")
	for id, want := range map[identify.UserID][]identify.PasswordChange{bo.ID: {second, first}, cy.ID: nil} {
		if list, err := s.PasswordChanges(ctx, id); err != nil || !slices.Equal(list, want) {
			t.Errorf("%d: %+v, %v, want %+v", id, list, err, want)
		}
	}
	if p := person(t, s, bo.ID); p.PasswordAt == nil || !p.PasswordAt.Equal(second.At) {
		t.Errorf("last changed at %v, want %v", p.PasswordAt, second.At)
	}

	if c, err := s.ChangeThatEnded(ctx, hashOf("bo")); err != nil || c != first {
		t.Errorf("%+v, %v, want %+v", c, err, first)
	}
	for _, name := range []string{"cy", "nobody"} {
		_, err := s.ChangeThatEnded(ctx, hashOf(name))
		wantKind(t, err, identify.NotFound, "")
	}
	err := s.AddSession(ctx, hashOf("later"), identify.Session{User: bo.ID, CreatedAt: noon.Add(time.Hour), ExpiresAt: noon.Add(2 * time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.ChangeThatEnded(ctx, hashOf("bo"))
	wantKind(t, err, identify.NotFound, "")
}
