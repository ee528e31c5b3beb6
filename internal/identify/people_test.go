package identify_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/password"
	"fieldmark/internal/store"
)

// peopleFixture is people over a real store, with a clock that is set by hand
// and hashes that cost little.
type peopleFixture struct {
	*identify.People
	store   *store.Store
	now     time.Time
	owner   identify.User
	hasher  *countingHasher
	guesses *password.Guesses
}

// countingHasher counts how often a password is compared.
type countingHasher struct {
	*password.Hasher
	verified int
}

func (c *countingHasher) Verify(ctx context.Context, password, hash string) (bool, bool, error) {
	c.verified++
	return c.Hasher.Verify(ctx, password, hash)
}

const goodPassword = "four words go together"

func newPeople(t *testing.T) *peopleFixture {
	t.Helper()
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "test.db"))
	must(t, err)
	t.Cleanup(func() { must(t, st.Close()) })
	g, err := password.LoadGuesses()
	must(t, err)
	f := &peopleFixture{store: st, guesses: g, now: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)}
	f.with(password.Params{Memory: 64, Time: 1, Threads: 1})
	f.owner, err = f.Owner(t.Context())
	must(t, err)
	return f
}

func (f *peopleFixture) with(p password.Params) {
	f.hasher = &countingHasher{Hasher: password.New(p, 2)}
	f.People = identify.NewPeople(identify.PeopleConfig{Store: f.store, Passwords: f.hasher, Guesses: f.guesses, Now: func() time.Time { return f.now }})
}

func (f *peopleFixture) invitation(role identify.Role) identify.Invitation {
	return identify.Invitation{Role: role, Uses: 1, ExpiresAt: f.now.Add(time.Hour)}
}

// join makes a person of a role.
func (f *peopleFixture) join(t *testing.T, name string, i identify.Invitation) identify.User {
	t.Helper()
	u, err := f.Join(t.Context(), mustInvite(t, f, i), name, goodPassword)
	must(t, err)
	return u
}

func wantKind(t *testing.T, what string, err error, kind identify.ErrorKind) {
	t.Helper()
	if identify.KindOf(err) != kind || err == nil {
		t.Errorf("%s: %v, want kind %q", what, err, kind)
	}
}

func TestSignInByPassword(t *testing.T) {
	f, ctx := newPeople(t), t.Context()
	ann := f.join(t, "Ann", f.invitation(identify.Expert))
	if u, err := f.SignIn(ctx, " ann", goodPassword); err != nil || u != ann {
		t.Errorf("%+v, %v; want %+v", u, err, ann)
	}
	gone := f.join(t, "Gone", f.invitation(identify.Expert))
	must(t, f.Disable(ctx, f.owner, gone.ID))
	guest := f.invitation(identify.Viewer)
	guest.Guest = true
	f.join(t, "Gus", guest)
	_, err := f.AddProgram(ctx, f.owner, identify.Token{Name: "robot", Role: identify.Expert})
	must(t, err)

	// Every failure says the same and compares one hash, so that neither words nor
	// time tell whether there is such a name.
	said := map[string]bool{}
	for name, typed := range map[string]string{"Ann": "four words go apart", "Nobody": goodPassword, "Gone": goodPassword, "Gus": "", "robot": "", "Owner": "", "": ""} {
		before := f.hasher.verified
		_, err := f.SignIn(ctx, name, typed)
		wantKind(t, name, err, identify.Forbidden)
		said[err.Error()] = true
		if n := f.hasher.verified - before; n != 1 {
			t.Errorf("%s: %d hashes are compared", name, n)
		}
	}
	if len(said) != 1 {
		t.Errorf("failures are told apart: %v", said)
	}
	_, err = f.SignIn(ctx, "Ann", strings.Repeat("x", 1<<20))
	wantKind(t, "a megabyte", err, identify.Forbidden)
}

func TestPasswordsAreHashedAnew(t *testing.T) {
	f, ctx := newPeople(t), t.Context()
	ann := f.join(t, "Ann", f.invitation(identify.Expert))
	f.with(password.Params{Memory: 128, Time: 1, Threads: 1})
	_, err := f.SignIn(ctx, "Ann", goodPassword)
	must(t, err)
	a, err := f.store.Account(ctx, ann.ID)
	must(t, err)
	if !strings.Contains(a.Password, "m=128,") {
		t.Errorf("still %s", a.Password)
	}
	_, err = f.SignIn(ctx, "Ann", goodPassword)
	must(t, err)
}

func TestChangePassword(t *testing.T) {
	f, ctx := newPeople(t), t.Context()
	ann := f.join(t, "Ann Other", f.invitation(identify.Expert))
	secret, err := f.BeginSession(ctx, ann, "browser")
	must(t, err)
	for typed, field := range map[string]string{"short": "password", "aaaaaaaaaaaaaaa": "password", "ann other": "password", strings.Repeat("long ", 50): "password"} {
		err := f.ChangePassword(ctx, ann, goodPassword, typed, "browser")
		wantKind(t, typed, err, identify.Invalid)
		if e := err.(*identify.Error); e.Field != field {
			t.Errorf("%q is about %q", typed, e.Field)
		}
	}
	wantKind(t, "a wrong present one", f.ChangePassword(ctx, ann, "wrong", "another good password", "browser"), identify.Invalid)
	must(t, f.ChangePassword(ctx, ann, goodPassword, "another good password", "browser"))
	_, _, err = f.BySession(ctx, secret)
	wantKind(t, "a session from before", err, identify.NotFound)
	_, err = f.SignIn(ctx, "Ann Other", goodPassword)
	wantKind(t, "the old password", err, identify.Forbidden)
	want := identify.PasswordChange{At: f.now, Agent: "browser"}
	if c, err := f.ChangeThatEnded(ctx, secret); err != nil || c != want {
		t.Errorf("the browser that was signed out is told %+v, %v; want %+v", c, err, want)
	}
	_, err = f.ChangeThatEnded(ctx, "other")
	wantKind(t, "another browser", err, identify.NotFound)
	if list, err := f.PasswordChanges(ctx, ann); err != nil || !slices.Equal(list, []identify.PasswordChange{want}) {
		t.Errorf("%+v, %v; want %+v", list, err, want)
	}
	_, err = f.PasswordChanges(ctx, identify.User{})
	wantKind(t, "nobody", err, identify.Forbidden)
	wantKind(t, "the owner", f.ChangePassword(ctx, f.owner, "", goodPassword, "browser"), identify.NotFound)
}

// Wherever a password is set, those that are tried first are refused, and say why.
func TestWhatIsTriedFirstIsNoPassword(t *testing.T) {
	f, empty, ctx := newPeople(t), newPeople(t), t.Context()
	link, err := empty.OfferSetUp(ctx)
	must(t, err)
	code, _, err := f.Invite(ctx, f.owner, f.invitation(identify.Expert))
	must(t, err)
	ann := f.join(t, "Ann Other", f.invitation(identify.Expert))
	asGuest := f.invitation(identify.Expert)
	asGuest.Guest = true
	guest := f.join(t, "Gus", asGuest)
	for way, set := range map[string]func(password string) error{
		"a set-up link": func(password string) error { _, err := empty.SetUp(ctx, link, "Ada", password); return err },
		"an invitation": func(password string) error { _, err := f.Join(ctx, code, "Bea", password); return err },
		"a change":      func(password string) error { return f.ChangePassword(ctx, ann, goodPassword, password, "browser") },
		"a guest":       func(password string) error { return f.ChangePassword(ctx, guest, "", password, "browser") },
	} {
		for typed, why := range map[string]string{
			"leavemealone": "known from sites", "Qwerty-Qwerty-": "repeats itself", "abcdefghijkl": "follows the alphabet", "fieldmark-2026": "name that everybody",
		} {
			err := set(typed)
			if wantKind(t, way+": "+typed, err, identify.Invalid); err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%s: %q: %v, want %q", way, typed, err, why)
			}
		}
	}
	wantKind(t, "one's own name", f.ChangePassword(ctx, ann, goodPassword, "Ann Other 1999", "browser"), identify.Invalid)
	if _, err := f.SignIn(ctx, "Ann Other", goodPassword); err != nil {
		t.Errorf("what was refused has changed something: %v", err)
	}
}

func TestSessionsSlide(t *testing.T) {
	f, ctx := newPeople(t), t.Context()
	ann := f.join(t, "Ann", f.invitation(identify.Expert))
	start := f.now
	secret, err := f.BeginSession(ctx, ann, strings.Repeat("x", 5000))
	must(t, err)
	use := func(after time.Duration, renewed bool) {
		t.Helper()
		f.now = start.Add(after)
		if u, again, err := f.BySession(ctx, secret); err != nil || u.ID != ann.ID || again != renewed {
			t.Errorf("after %v: %+v, renewed %v, %v", after, u, again, err)
		}
	}
	const day = 24 * time.Hour
	use(59*time.Second, false) // what was noted within a minute is not noted again
	use(time.Minute, true)
	use(time.Minute+time.Second, false)
	use(30*day, true)
	use(59*day, true)
	for d := 80; d < 180; d += 25 {
		use(time.Duration(d)*day, true)
	}
	list, err := f.Sessions(ctx, ann)
	must(t, err)
	if len(list) != 1 || !list[0].Of(secret) || list[0].Of("other") || len(list[0].Agent) > 300 || !list[0].ExpiresAt.Equal(start.Add(180*day)) {
		t.Errorf("%+v", list)
	}
	f.now = start.Add(180 * day)
	_, _, err = f.BySession(ctx, secret)
	wantKind(t, "after half a year", err, identify.NotFound)
	_, _, err = f.BySession(ctx, "")
	wantKind(t, "no secret", err, identify.NotFound)
}

func TestInvite(t *testing.T) {
	f, ctx := newPeople(t), t.Context()
	code, made, err := f.Invite(ctx, f.owner, identify.Invitation{Role: identify.Expert, Guest: true, Uses: 2, ExpiresAt: f.now.Add(time.Hour)})
	must(t, err)
	if len(code) != 9 || code[4] != '-' || strings.ContainsAny(code, "01OI") || made.CreatedByName != "Owner" {
		t.Errorf("%q, %+v", code, made)
	}
	for _, typed := range []string{code, strings.ToLower(code), strings.ReplaceAll(code, "-", ""), " " + strings.ReplaceAll(code, "-", " – ") + " "} {
		if i, err := f.Invited(ctx, typed); err != nil || i.ID != made.ID {
			t.Errorf("%q: %+v, %v", typed, i, err)
		}
	}
	for _, typed := range []string{"", code[:8], code + "A", "0000-0000", "ABCD-EFGH"} {
		_, err := f.Invited(ctx, typed)
		wantKind(t, typed, err, identify.NotFound)
	}
	gus, err := f.Join(ctx, code, "Gus", "")
	must(t, err)
	if !gus.Guest || gus.Role != identify.Expert {
		t.Errorf("%+v", gus)
	}
	_, _, err = f.AddToken(ctx, gus, identify.Token{Name: "x", Role: identify.Viewer})
	wantKind(t, "a guest's token", err, identify.Forbidden)
	must(t, f.ChangePassword(ctx, gus, "", goodPassword, "browser"))
	if u, err := f.SignIn(ctx, "Gus", goodPassword); err != nil || u.Guest {
		t.Errorf("a guest who took a password: %+v, %v", u, err)
	}
	must(t, f.RevokeInvitation(ctx, f.owner, made.ID))
	_, err = f.Join(ctx, code, "Hal", "")
	wantKind(t, "revoked", err, identify.NotFound)

	for what, change := range map[string]func(*identify.Invitation){
		"no role":          func(i *identify.Invitation) { i.Role = "king" },
		"nobody":           func(i *identify.Invitation) { i.Uses = 0 },
		"too many":         func(i *identify.Invitation) { i.Uses = 1001 },
		"over":             func(i *identify.Invitation) { i.ExpiresAt = f.now },
		"for years":        func(i *identify.Invitation) { i.ExpiresAt = f.now.AddDate(2, 0, 0) },
		"a name for two":   func(i *identify.Invitation) { i.Name, i.Uses = "Bo", 2 },
		"a guest curator":  func(i *identify.Invitation) { i.Role, i.Guest = identify.Curator, true },
		"a name too long":  func(i *identify.Invitation) { i.Name = strings.Repeat("x", 201) },
		"a name of spaces": func(i *identify.Invitation) { i.Name = "   " },
	} {
		i := f.invitation(identify.Expert)
		change(&i)
		_, _, err := f.Invite(ctx, f.owner, i)
		wantKind(t, what, err, identify.Invalid)
	}
	named := f.invitation(identify.Curator)
	named.Name = "Bo"
	if bo := f.join(t, "Somebody Else", named); bo.Name != "Bo" || bo.Role != identify.Curator {
		t.Errorf("%+v", bo)
	}
}

// An admin makes a code by which a guest comes back as the same person; nobody who signs
// in otherwise comes by one, and nobody but an admin makes one.
func TestLetBackIn(t *testing.T) {
	f, ctx := newPeople(t), t.Context()
	asGuest := f.invitation(identify.Expert)
	asGuest.Guest = true
	gus := f.join(t, "Gus", asGuest)
	ann := f.join(t, "Ann", f.invitation(identify.Curator))
	_, err := f.Join(ctx, mustInvite(t, f, asGuest), "gus", "")
	wantKind(t, "the name is taken", err, identify.Conflict)
	_, _, err = f.LetBackIn(ctx, ann, gus.ID)
	wantKind(t, "a curator", err, identify.Forbidden)
	for _, id := range []identify.UserID{ann.ID, f.owner.ID, 99} {
		_, _, err := f.LetBackIn(ctx, f.owner, id)
		wantKind(t, "no guest", err, identify.Conflict)
	}
	code, made, err := f.LetBackIn(ctx, f.owner, gus.ID)
	must(t, err)
	if made.Name != "Gus" || made.ExpiresAt.Sub(f.now) != 15*time.Minute || made.Uses != 1 {
		t.Errorf("%+v", made)
	}
	if u, err := f.Join(ctx, strings.ToLower(code), "Somebody", "with a password"); err != nil || u != gus {
		t.Errorf("%+v, %v; want %+v", u, err, gus)
	}
	_, err = f.Join(ctx, code, "", "")
	wantKind(t, "once more", err, identify.NotFound)
	must(t, f.Disable(ctx, f.owner, gus.ID))
	_, _, err = f.LetBackIn(ctx, f.owner, gus.ID)
	wantKind(t, "who is disabled", err, identify.Conflict)
}

func mustInvite(t *testing.T, f *peopleFixture, i identify.Invitation) string {
	t.Helper()
	code, _, err := f.Invite(t.Context(), f.owner, i)
	must(t, err)
	return code
}

func TestTokensDoNoMore(t *testing.T) {
	f, ctx := newPeople(t), t.Context()
	ann := f.join(t, "Ann", f.invitation(identify.Curator))
	bo := f.join(t, "Bo", f.invitation(identify.Expert))
	_, _, err := f.AddToken(ctx, ann, identify.Token{Name: "x", Role: identify.Admin})
	wantKind(t, "more than one may", err, identify.Invalid)
	past := f.now
	_, _, err = f.AddToken(ctx, ann, identify.Token{Name: "x", Role: identify.Viewer, ExpiresAt: &past})
	wantKind(t, "over", err, identify.Invalid)
	secret, made, err := f.AddToken(ctx, ann, identify.Token{Name: "script", Role: identify.Expert})
	must(t, err)
	u, err := f.ByToken(ctx, secret)
	must(t, err)
	if !strings.HasPrefix(secret, "fieldmark_") || u.ID != ann.ID || u.Role != identify.Expert {
		t.Errorf("%q, %+v", secret, u)
	}
	_, _, err = f.AddToken(ctx, u, identify.Token{Name: "more", Role: identify.Curator})
	wantKind(t, "a token makes no stronger one", err, identify.Invalid)
	_, _, err = f.AddToken(ctx, u, identify.Token{Name: "more", Role: identify.Viewer})
	wantKind(t, "nor any, which would outlive it", err, identify.Forbidden)
	used := func() time.Time {
		list, err := f.Tokens(ctx, ann)
		must(t, err)
		return *list[0].UsedAt
	}
	first := used()
	f.now = f.now.Add(59 * time.Second)
	_, err = f.ByToken(ctx, secret)
	must(t, err)
	if !used().Equal(first) {
		t.Error("a last use is written more than once a minute")
	}
	f.now = f.now.Add(time.Second)
	_, err = f.ByToken(ctx, secret)
	must(t, err)
	if !used().Equal(f.now) {
		t.Error("a last use is not written")
	}
	wantKind(t, "someone else's", f.RevokeToken(ctx, bo, made.ID), identify.Forbidden)
	must(t, f.RevokeToken(ctx, ann, made.ID))
	_, err = f.ByToken(ctx, secret)
	wantKind(t, "revoked", err, identify.NotFound)
}

func TestSetUpOnce(t *testing.T) {
	f, ctx := newPeople(t), t.Context()
	old, err := f.OfferSetUp(ctx)
	must(t, err)
	secret, err := f.OfferSetUp(ctx)
	must(t, err)
	wantKind(t, "the link of an earlier start", f.SetUpOpen(ctx, old), identify.NotFound)
	must(t, f.SetUpOpen(ctx, secret))
	_, err = f.SetUp(ctx, secret, "Ada", "short")
	wantKind(t, "a short password", err, identify.Invalid)
	start := f.now
	f.now = start.Add(identify.SetUpAge)
	_, err = f.SetUp(ctx, secret, "Ada", goodPassword)
	wantKind(t, "after a day", err, identify.NotFound)
	f.now = start
	ada, err := f.SetUp(ctx, secret, "Ada", goodPassword)
	must(t, err)
	if ada.Role != identify.Admin {
		t.Errorf("%+v", ada)
	}
	_, err = f.SetUp(ctx, secret, "Bea", goodPassword)
	wantKind(t, "again", err, identify.NotFound)
	if again, err := f.OfferSetUp(ctx); again != "" || err != nil {
		t.Errorf("offered %q though someone can sign in, %v", again, err)
	}
}

// Who may not is told so, whatever they ask.
func TestOnlyAdminsLetPeopleIn(t *testing.T) {
	f, ctx := newPeople(t), t.Context()
	for _, role := range []identify.Role{"", identify.Viewer, identify.Expert, identify.Curator, identify.Admin} {
		u := identify.User{ID: 99, Name: "x", Role: role}
		_, people := f.People.People(ctx, u)
		_, invitations := f.Invitations(ctx, u)
		_, _, invite := f.Invite(ctx, u, identify.Invitation{})
		_, tokens := f.AllTokens(ctx, u)
		_, program := f.AddProgram(ctx, u, identify.Token{})
		for what, err := range map[string]error{"people": people, "invitations": invitations, "invite": invite, "tokens": tokens, "program": program,
			"role": f.ChangeRole(ctx, u, 98, identify.Viewer), "disable": f.Disable(ctx, u, 98), "enable": f.Enable(ctx, u, 98), "revoke": f.RevokeInvitation(ctx, u, 98)} {
			if forbidden := identify.KindOf(err) == identify.Forbidden; forbidden == (role == identify.Admin) {
				t.Errorf("%q, %s: %v", role, what, err)
			}
		}
		_, sessions := f.Sessions(ctx, u)
		_, begin := f.BeginSession(ctx, u, "")
		for what, err := range map[string]error{"sessions": sessions, "begin": begin, "rename": f.Rename(ctx, u, "y"), "password": f.ChangePassword(ctx, u, "", "", "browser")} {
			if forbidden := identify.KindOf(err) == identify.Forbidden; forbidden != (role == "") {
				t.Errorf("%q, %s: %v", role, what, err)
			}
		}
	}
}

// What is said while a password is typed agrees with what is said when it is set.
func TestJudgePassword(t *testing.T) {
	f, ctx := newPeople(t), t.Context()
	ann := f.join(t, "Ann Other", f.invitation(identify.Expert))
	for typed, want := range map[string]identify.Judgement{
		"":                             {Missing: 12},
		"zilpzalp":                     {Missing: 4},
		"дятел":                        {Missing: 7},                // characters, not bytes
		"herpetologist":                {Strength: identify.Fair},   // one word of a list: 12.9 bits
		"wren wren 1987":               {Strength: identify.Fair},   // 12.6, 4, 1, 0, 7
		"four grey herons":             {Strength: identify.Good},   // 12.6 + 4 + 12.6 + 12.9 = 42.0
		"correct horse battery staple": {Strength: identify.Strong}, // 4 · 12.9 + 4 = 55.6
		"8Kq#2vTz!m5W":                 {Strength: identify.Good},
	} {
		if got := f.JudgePassword(ann.Name, typed); got != want {
			t.Errorf("%q is judged %+v, want %+v", typed, got, want)
		}
	}
	for _, typed := range []string{"leavemealone", "abcdefghijkl", "Ann Other 1999", strings.Repeat("long ", 50), "four \xff words go"} {
		got, set := f.JudgePassword(ann.Name, typed), f.ChangePassword(ctx, ann, goodPassword, typed, "browser")
		if got.Strength != identify.Refused || got.Problem == nil || got.Missing != 0 || set == nil || got.Problem.Error() != set.Error() {
			t.Errorf("%q is judged %+v, and refused with %v", typed, got, set)
		}
	}
}
