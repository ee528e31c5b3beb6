package store

import (
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// invited makes a code by which a guest comes back, good for a quarter of an hour after at.
func (m meeting) invited(t *testing.T, code string, guest identify.User, at time.Time) {
	t.Helper()
	_, err := m.AddInvitation(t.Context(), hashOf(code), identify.Invitation{Role: guest.Role, Name: guest.Name, Guest: true, Uses: 1, Returning: guest.ID,
		CreatedAt: at, CreatedBy: m.host.ID, ExpiresAt: at.Add(15 * time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
}

// A guest comes back as who they are, with the role that they have by then, once; wherever
// they were signed in they are not any more, and the audit trail tells who let them in.
func TestAGuestComesBack(t *testing.T) {
	m, ctx := meet(t), t.Context()
	saw(t, m.Store, m.ann, 2, 4)
	m.invited(t, "back", m.ann, noon)
	if i, err := m.InvitationByKey(ctx, hashOf("back"), noon); err != nil || i.Returning != m.ann.ID || i.Name != "Ann" {
		t.Fatalf("%+v, %v", i, err)
	}
	if err := m.SetRole(ctx, m.ann.ID, identify.Viewer, m.host.ID, noon); err != nil {
		t.Fatal(err)
	}
	u, err := m.Join(ctx, hashOf("back"), identify.NewAccount{Name: "Somebody", At: noon})
	if err != nil || u.ID != m.ann.ID || u.Name != "Ann" || u.Role != identify.Viewer || !u.Guest {
		t.Fatalf("%+v, %v; want Ann, a viewer now", u, err)
	}
	if _, _, err := m.UserBySession(ctx, hashOf("Ann"), noon); identify.KindOf(err) != identify.NotFound {
		t.Errorf("the phone of before is still signed in: %v", err)
	}
	if _, _, err := m.UserBySession(ctx, hashOf("Ben"), noon); err != nil {
		t.Errorf("another guest is signed out: %v", err)
	}
	begin(t, m.Store, "Ann again", u.ID, time.Hour)
	_, err = m.Join(ctx, hashOf("back"), identify.NewAccount{At: noon})
	wantKind(t, err, identify.NotFound, "")
	if _, _, err := m.UserBySession(ctx, hashOf("Ann again"), noon); err != nil {
		t.Errorf("who tried the code once more has signed her out: %v", err)
	}
	if w := m.again(t); w.Guests != 2 || w.Lessons != 1 {
		t.Errorf("%d guests, %d lessons; want 2 and 1", w.Guests, w.Lessons)
	}
	list, _, err := m.History(ctx, identify.HistoryFilter{Kind: identify.DidLetBackIn, Limit: 9})
	if err != nil || len(list) != 1 || list[0].Subject != "Ann" || list[0].UserName != "Hana" {
		t.Errorf("the audit trail says %+v, %v", list, err)
	}
	check(t, m.Store)
}

// A code to come back by opens nothing once it is too late, another was made, or its guest
// may come in no more: disabled, with a password, or when the workshop is over.
func TestWhatOpensNoReturn(t *testing.T) {
	for name, c := range map[string]struct {
		then func(m meeting) error
		at   time.Duration
		open bool
	}{
		"in time":                {nil, 14 * time.Minute, true},
		"too late":               {nil, 15 * time.Minute, false},
		"disabled":               {func(m meeting) error { return m.DisableUser(t.Context(), m.ann.ID, m.host.ID, noon) }, 0, false},
		"the workshop was ended": {func(m meeting) error { return m.EndWorkshop(t.Context(), m.ID, m.host.ID, noon) }, 0, false},
		"the workshop's time is up": {func(m meeting) error {
			return m.ExtendWorkshop(t.Context(), m.ID, noon.Add(time.Minute), m.host.ID, noon)
		}, time.Minute, false},
		"a password": {func(m meeting) error {
			return m.SetPassword(t.Context(), m.ann.ID, "", "hash", identify.PasswordChange{At: noon, First: true})
		}, 0, false},
		"a newer code": {func(m meeting) error { m.invited(t, "newer", m.ann, noon); return nil }, 0, false},
		"of another":   {func(m meeting) error { m.invited(t, "newer", m.ben, noon); return nil }, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			m := meet(t)
			m.invited(t, "back", m.ann, noon)
			if c.then != nil {
				if err := c.then(m); err != nil {
					t.Fatal(err)
				}
			}
			_, asked := m.InvitationByKey(t.Context(), hashOf("back"), noon.Add(c.at))
			_, joined := m.Join(t.Context(), hashOf("back"), identify.NewAccount{At: noon.Add(c.at)})
			for what, err := range map[string]error{"asked": asked, "joined": joined} {
				if (err == nil) != c.open || err != nil && identify.KindOf(err) != identify.NotFound {
					t.Errorf("%s: %v, want it open: %v", what, err, c.open)
				}
			}
		})
	}
}
