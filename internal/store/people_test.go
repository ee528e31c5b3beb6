package store

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

func TestRolesAndAccess(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ada := account(t, s, "Ada", identify.Admin)
	bo := account(t, s, "Bo", identify.Expert)
	for _, hash := range []string{"bo 1", "bo 2"} {
		begin(t, s, hash, bo.ID, time.Hour)
	}
	later := noon.Add(time.Minute)
	if err := s.SetRole(ctx, bo.ID, identify.Curator, ada.ID, later); err != nil {
		t.Fatal(err)
	}
	if p := person(t, s, bo.ID); p.Role != identify.Curator || p.ChangedBy != "Ada" || !p.ChangedAt.Equal(later) || p.CreatedBy != "Owner" || !p.Password {
		t.Errorf("%+v", p)
	}
	_, _, err := s.UserBySession(ctx, hashOf("bo 1"), noon)
	wantKind(t, err, identify.NotFound, "")

	begin(t, s, "bo 3", bo.ID, time.Hour)
	if err := s.DisableUser(ctx, bo.ID, ada.ID, later); err != nil {
		t.Fatal(err)
	}
	wantKind(t, s.DisableUser(ctx, bo.ID, ada.ID, later), identify.NotFound, "")
	_, _, err = s.UserBySession(ctx, hashOf("bo 3"), noon)
	wantKind(t, err, identify.NotFound, "")
	_, err = s.AccountByName(ctx, "Bo")
	wantKind(t, err, identify.NotFound, "")
	if p := person(t, s, bo.ID); p.DisabledBy != "Ada" || !p.DisabledAt.Equal(later) {
		t.Errorf("%+v", p)
	}
	if err := s.EnableUser(ctx, bo.ID); err != nil {
		t.Fatal(err)
	}
	if a, err := s.AccountByName(ctx, " bo "); err != nil || a.ID != bo.ID || a.Password != "hash of Bo" {
		t.Errorf("%+v, %v", a, err)
	}
	wantKind(t, s.SetRole(ctx, 99, identify.Viewer, ada.ID, noon), identify.NotFound, "")
}

func TestAnAdminIsLeft(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	expert := account(t, s, "Eve", identify.Expert)
	if err := s.SetRole(ctx, expert.ID, identify.Viewer, 0, noon); err != nil {
		t.Errorf("there never was an admin, so none is lost: %v", err)
	}
	ada := account(t, s, "Ada", identify.Admin)
	wantKind(t, s.SetRole(ctx, ada.ID, identify.Curator, ada.ID, noon), identify.Conflict, "")
	wantKind(t, s.DisableUser(ctx, ada.ID, ada.ID, noon), identify.Conflict, "")
	if p := person(t, s, ada.ID); p.Role != identify.Admin || p.DisabledAt != nil {
		t.Errorf("it was done all the same: %+v", p)
	}
	robot, err := s.AddProgram(ctx, hashOf("robot"), program("robot", identify.Admin))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetRole(ctx, ada.ID, identify.Curator, ada.ID, noon); err != nil {
		t.Errorf("an admin with a token is left: %v", err)
	}
	wantKind(t, s.DisableUser(ctx, robot.ID, 0, noon), identify.Conflict, "")
}

// Two admins who demote one another at once must not both succeed.
func TestTheLastTwoAdmins(t *testing.T) {
	s := fresh(t)
	a, b := account(t, s, "Ada", identify.Admin), account(t, s, "Bea", identify.Admin)
	var group sync.WaitGroup
	var done atomic.Int32
	for _, pair := range [][2]identify.UserID{{a.ID, b.ID}, {b.ID, a.ID}} {
		group.Go(func() {
			if err := s.DisableUser(t.Context(), pair[0], pair[1], noon); err == nil {
				done.Add(1)
			} else if identify.KindOf(err) != identify.Conflict {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if done.Load() != 1 {
		t.Errorf("%d of two succeeded", done.Load())
	}
}

func TestPasswords(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	bo := account(t, s, "Bo", identify.Expert)
	begin(t, s, "bo", bo.ID, time.Hour)
	if err := s.RehashPassword(ctx, bo.ID, "hash of Bo", "better"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.UserBySession(ctx, hashOf("bo"), noon); err != nil {
		t.Errorf("the same password hashed anew ended a session: %v", err)
	}
	wantKind(t, s.RehashPassword(ctx, bo.ID, "hash of Bo", "worse"), identify.NotFound, "")
	wantKind(t, s.SetPassword(ctx, bo.ID, "hash of Bo", "stolen", identify.PasswordChange{At: noon}), identify.NotFound, "")
	if err := s.SetPassword(ctx, bo.ID, "better", "new", identify.PasswordChange{At: noon}); err != nil {
		t.Fatal(err)
	}
	if a, err := s.Account(ctx, bo.ID); err != nil || a.Password != "new" {
		t.Errorf("%+v, %v", a, err)
	}
	_, _, err := s.UserBySession(ctx, hashOf("bo"), noon)
	wantKind(t, err, identify.NotFound, "")
}

func begin(t *testing.T, s *Store, name string, user identify.UserID, age time.Duration) {
	t.Helper()
	err := s.AddSession(t.Context(), hashOf(name), identify.Session{User: user, Agent: name, CreatedAt: noon, SeenAt: noon, ExpiresAt: noon.Add(age)})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSessions(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ann := user(t, s, "ann")
	begin(t, s, "short", ann.ID, time.Hour)
	begin(t, s, "long", ann.ID, 10*time.Hour)
	if u, of, err := s.UserBySession(ctx, hashOf("short"), noon.Add(59*time.Minute)); err != nil || u != ann || of.Agent != "short" || !of.SeenAt.Equal(noon) {
		t.Errorf("%+v, %+v, %v", u, of, err)
	}
	_, _, err := s.UserBySession(ctx, hashOf("short"), noon.Add(time.Hour))
	wantKind(t, err, identify.NotFound, "")

	at := noon.Add(30 * time.Minute)
	if err := s.TouchSession(ctx, hashOf("short"), at, at.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, of, err := s.UserBySession(ctx, hashOf("short"), noon.Add(time.Hour)); err != nil || !of.SeenAt.Equal(at) {
		t.Errorf("a session that was used does not go on: %+v, %v", of, err)
	}
	if p := person(t, s, ann.ID); p.SeenAt == nil || !p.SeenAt.Equal(at) {
		t.Errorf("last seen %v, want %v", p.SeenAt, at)
	}
	wantKind(t, s.TouchSession(ctx, hashOf("none"), at, at), identify.NotFound, "")
	list, err := s.Sessions(ctx, ann.ID, noon)
	if err != nil || len(list) != 2 || list[0].Agent != "short" || string(list[1].Hash) != string(hashOf("long")) {
		t.Errorf("%+v, %v", list, err)
	}

	if err := s.AddSession(ctx, hashOf("later"), identify.Session{User: ann.ID, CreatedAt: noon.Add(2 * time.Hour), ExpiresAt: noon.Add(3 * time.Hour)}); err != nil {
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
	_, _, err = s.UserBySession(ctx, hashOf("long"), noon)
	wantKind(t, err, identify.NotFound, "")

	begin(t, s, "here", ann.ID, time.Hour)
	begin(t, s, "other", user(t, s, "other").ID, time.Hour)
	if err := s.EndOtherSessions(ctx, ann.ID, hashOf("here")); err != nil {
		t.Fatal(err)
	}
	for name, stays := range map[string]bool{"here": true, "later": false, "other": true} {
		if _, _, err := s.UserBySession(ctx, hashOf(name), noon); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestInvitations(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ada := account(t, s, "Ada", identify.Admin)
	room, err := s.AddInvitation(ctx, hashOf("room"), identify.Invitation{Role: identify.Expert, Guest: true, Uses: 3, CreatedAt: noon, CreatedBy: ada.ID, ExpiresAt: noon.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.AddInvitation(ctx, hashOf("named"), identify.Invitation{Role: identify.Expert, Name: "ada", Uses: 1, CreatedAt: noon, CreatedBy: ada.ID, ExpiresAt: noon.Add(time.Hour)})
	wantKind(t, err, identify.Conflict, "name")

	gus, err := s.Join(ctx, hashOf("room"), identify.NewAccount{Name: "Gus", At: noon})
	if err != nil || !gus.Guest || gus.Role != identify.Expert {
		t.Fatalf("%+v, %v", gus, err)
	}
	if p := person(t, s, gus.ID); !p.Guest || p.Password || p.CreatedBy != "Ada" {
		t.Errorf("%+v", p)
	}
	_, err = s.Join(ctx, hashOf("room"), identify.NewAccount{Name: "gus", At: noon})
	wantKind(t, err, identify.Conflict, "name")
	if i, err := s.InvitationByKey(ctx, hashOf("room"), noon); err != nil || i.Used != 1 || i.Left() != 2 || i.CreatedByName != "Ada" {
		t.Errorf("a name that is taken uses nothing up: %+v, %v", i, err)
	}
	begin(t, s, "gus", gus.ID, time.Hour)
	if err := s.SetRole(ctx, gus.ID, identify.Viewer, ada.ID, noon); err != nil {
		t.Fatal(err)
	}
	if u, _, err := s.UserBySession(ctx, hashOf("gus"), noon); err != nil || u.Role != identify.Viewer || !u.Guest {
		t.Errorf("a guest has no other key than the session: %+v, %v", u, err)
	}
	if err := s.SetPassword(ctx, gus.ID, "", "hash", identify.PasswordChange{At: noon, First: true}); err != nil {
		t.Fatal(err)
	}
	if a, err := s.Account(ctx, gus.ID); err != nil || a.Guest || a.Password != "hash" {
		t.Errorf("%+v, %v", a, err)
	}

	_, err = s.InvitationByKey(ctx, hashOf("room"), noon.Add(time.Hour))
	wantKind(t, err, identify.NotFound, "")
	if err := s.RevokeInvitation(ctx, room.ID, ada.ID, noon); err != nil {
		t.Fatal(err)
	}
	wantKind(t, s.RevokeInvitation(ctx, room.ID, ada.ID, noon), identify.NotFound, "")
	_, err = s.Join(ctx, hashOf("room"), identify.NewAccount{Name: "Hal", At: noon})
	wantKind(t, err, identify.NotFound, "")
	list, err := s.Invitations(ctx)
	if err != nil || len(list) != 2 || list[0].ID != room.ID || list[0].RevokedByName != "Ada" || list[0].Open(noon) {
		t.Errorf("%+v, %v", list, err)
	}
}

// However many come at once, no more join than may.
func TestAnInvitationIsUsedUp(t *testing.T) {
	s := fresh(t)
	ada := account(t, s, "Ada", identify.Admin)
	if _, err := s.AddInvitation(t.Context(), hashOf("room"), identify.Invitation{Role: identify.Viewer, Guest: true, Uses: 3, CreatedAt: noon, CreatedBy: ada.ID, ExpiresAt: noon.Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	var joined atomic.Int32
	for i := range 8 {
		group.Go(func() {
			_, err := s.Join(t.Context(), hashOf("room"), identify.NewAccount{Name: string(rune('A' + i)), At: noon})
			if err == nil {
				joined.Add(1)
			} else if identify.KindOf(err) != identify.NotFound {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if joined.Load() != 3 {
		t.Errorf("%d joined, want 3", joined.Load())
	}
}

func TestTokens(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ann, err := s.AddProgram(ctx, hashOf("ann"), program("Ann", identify.Curator))
	if err != nil {
		t.Fatal(err)
	}
	u, made, err := s.UserByToken(ctx, hashOf("ann"), noon)
	ann.Token = made.ID
	if err != nil || u != ann || u.Role != identify.Curator || made.UsedAt != nil {
		t.Errorf("%+v, %+v, %v; want %+v", u, made, err, ann)
	}
	for _, hash := range [][]byte{hashOf("bob"), nil} {
		_, _, err = s.UserByToken(ctx, hash, noon)
		wantKind(t, err, identify.NotFound, "")
	}
	_, err = s.AddProgram(ctx, hashOf("bob"), program("Bob", "king"))
	wantKind(t, err, identify.Invalid, "role")
	if _, err := s.AddProgram(ctx, []byte("short"), program("Bob", identify.Viewer)); err == nil {
		t.Error("a hash that is none was taken")
	}
	if _, err := s.AddProgram(ctx, hashOf("ann"), program("Bob", identify.Viewer)); err == nil {
		t.Error("two users with one token")
	}

	end := noon.Add(time.Hour)
	own, err := s.AddToken(ctx, hashOf("weak"), identify.Token{User: ann.ID, Name: "phone", Role: identify.Viewer, CreatedAt: noon, CreatedBy: ann.ID, ExpiresAt: &end})
	if err != nil {
		t.Fatal(err)
	}
	if u, _, err := s.UserByToken(ctx, hashOf("weak"), noon); err != nil || u.ID != ann.ID || u.Role != identify.Viewer {
		t.Errorf("a token does no more than it says: %+v, %v", u, err)
	}
	if err := s.SetRole(ctx, ann.ID, identify.Expert, 0, noon); err != nil {
		t.Fatal(err)
	}
	if u, _, err := s.UserByToken(ctx, hashOf("ann"), noon); err != nil || u.Role != identify.Expert {
		t.Errorf("and no more than its user: %+v, %v", u, err)
	}
	_, _, err = s.UserByToken(ctx, hashOf("weak"), end)
	wantKind(t, err, identify.NotFound, "")
	if err := s.TouchToken(ctx, own.ID, noon); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Tokens(ctx, ann.ID); err != nil || len(list) != 2 || list[0].Name != "phone" || !list[0].UsedAt.Equal(noon) || !list[0].ExpiresAt.Equal(end) {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := s.Tokens(ctx, 0); err != nil || len(list) != 2 {
		t.Errorf("%+v, %v", list, err)
	}
	if err := s.RevokeToken(ctx, own.ID, ann.ID, noon); err != nil {
		t.Fatal(err)
	}
	wantKind(t, s.RevokeToken(ctx, own.ID, ann.ID, noon), identify.NotFound, "")
	if got, err := s.Token(ctx, own.ID); err != nil || got.RevokedByName != "Ann" || got.Opens(noon) {
		t.Errorf("%+v, %v", got, err)
	}
	if err := s.DisableUser(ctx, ann.ID, 0, noon); err != nil {
		t.Fatal(err)
	}
	_, _, err = s.UserByToken(ctx, hashOf("ann"), noon)
	wantKind(t, err, identify.NotFound, "")
}

func TestSetUp(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	first := identify.NewAccount{Name: "Ada", Password: "hash", At: noon}
	offer := func(name string) {
		t.Helper()
		if err := s.OfferSetUp(ctx, hashOf(name), noon, noon.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	open := func(name string, now time.Time) bool {
		t.Helper()
		yes, err := s.SetUpOpen(ctx, hashOf(name), now)
		if err != nil {
			t.Fatal(err)
		}
		return yes
	}
	if _, err := s.Owner(ctx); err != nil {
		t.Fatal(err)
	}
	if yes, err := s.Reachable(ctx, noon); yes || err != nil {
		t.Errorf("the owner signs in nowhere: %v, %v", yes, err)
	}
	offer("old")
	offer("new")
	if open("old", noon) || !open("new", noon) || open("new", noon.Add(time.Hour)) || open("none", noon) {
		t.Error("the last link alone is good, for its time")
	}
	_, err := s.SetUp(ctx, hashOf("old"), first)
	wantKind(t, err, identify.NotFound, "")
	if list, _ := s.People(ctx, noon); len(list) != 1 {
		t.Errorf("a wrong link made someone: %+v", list)
	}
	ada, err := s.SetUp(ctx, hashOf("new"), first)
	if err != nil || ada.Role != identify.Admin {
		t.Fatalf("%+v, %v", ada, err)
	}
	if yes, err := s.Reachable(ctx, noon); !yes || err != nil {
		t.Errorf("%v, %v", yes, err)
	}
	_, err = s.SetUp(ctx, hashOf("new"), identify.NewAccount{Name: "Bea", Password: "hash", At: noon})
	wantKind(t, err, identify.NotFound, "")
	offer("again")
	if open("again", noon) {
		t.Error("a link is good though someone can sign in")
	}
}
