package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// fakePeople remembers what it was asked to do; only admins may ask about
// others.
type fakePeople struct {
	fakeJoin
	did  []string
	weak bool // every password
}

func newFakePeople() *fakePeople { return &fakePeople{} }

func (f *fakePeople) note(format string, args ...any) {
	f.did = append(f.did, fmt.Sprintf(format, args...))
}

func (f *fakePeople) allow(u identify.User) error {
	if u.Role != identify.Admin {
		return identify.Errorf(identify.Forbidden, "", "Your role does not allow it.")
	}
	return nil
}

func (f *fakePeople) People(_ context.Context, u identify.User) ([]identify.Person, error) {
	return []identify.Person{
		{User: identify.User{ID: 1, Name: "Ana", Role: identify.Admin}, Password: true, PasswordAt: &noon, SeenAt: &noon},
		{User: identify.User{ID: 2, Name: "Gus", Role: identify.Expert, Guest: true}, CreatedBy: "Ana"},
		{User: identify.User{ID: 3, Name: "Dot", Role: identify.Viewer}, DisabledAt: &noon, DisabledBy: "Ana"},
		{User: identify.User{ID: 4, Name: "Owner", Role: identify.Admin}, Owner: true},
		{User: identify.User{ID: 6, Name: identify.SomeoneWhoLeft, Role: identify.Expert}, DisabledAt: &noon, DisabledBy: identify.SomeoneWhoLeft, Left: true},
	}, f.allow(u)
}

func (f *fakePeople) ChangeRole(_ context.Context, u identify.User, id identify.UserID, role identify.Role) error {
	if id == 1 {
		return identify.Errorf(identify.Conflict, "", "This is the last admin.")
	}
	f.note("role %d %s", id, role)
	return f.allow(u)
}

func (f *fakePeople) Disable(_ context.Context, u identify.User, id identify.UserID) error {
	f.note("disable %d", id)
	return f.allow(u)
}

func (f *fakePeople) Enable(_ context.Context, u identify.User, id identify.UserID) error {
	f.note("enable %d", id)
	return f.allow(u)
}

func (f *fakePeople) LetBackIn(_ context.Context, u identify.User, id identify.UserID) (string, identify.Invitation, error) {
	if id != 5 {
		return "", identify.Invitation{}, identify.Errorf(identify.Conflict, "", "Nobody comes back by a code but a guest.")
	}
	f.note("let back in %d", id)
	return "B4CK-2MWD", identify.Invitation{Name: "Gus", Returning: id, ExpiresAt: noon}, f.allow(u)
}

func (f *fakePeople) Invite(_ context.Context, u identify.User, i identify.Invitation) (string, identify.Invitation, error) {
	if i.Uses < 1 {
		return "", i, identify.Errorf(identify.Invalid, "uses", "An invitation is for 1 or more.")
	}
	i.CreatedByName = u.Name
	f.note("invite %s %q %d %v %.0f", i.Role, i.Name, i.Uses, i.Guest, time.Until(i.ExpiresAt).Hours())
	return "K7QF-2MWD", i, f.allow(u)
}

func (f *fakePeople) Invitations(_ context.Context, u identify.User) ([]identify.Invitation, error) {
	return []identify.Invitation{
		{ID: 5, Role: identify.Expert, Uses: 30, Used: 4, ExpiresAt: time.Now().Add(time.Hour), CreatedByName: "Ana"},
		{ID: 4, Role: identify.Viewer, Uses: 1, Used: 1, ExpiresAt: time.Now().Add(time.Hour), CreatedByName: "Ana"},
		{ID: 3, Role: identify.Viewer, Uses: 1, ExpiresAt: noon, RevokedAt: &noon, RevokedByName: "Bea", CreatedByName: "Ana"},
	}, f.allow(u)
}

func (f *fakePeople) Leave(_ context.Context, _ identify.User, password string, takeBack bool) error {
	if password != "old" {
		return identify.Errorf(identify.Invalid, "password", "This is not your present password.")
	}
	f.note("leave %v", takeBack)
	return nil
}

func (f *fakePeople) RevokeInvitation(_ context.Context, u identify.User, id identify.InvitationID) error {
	f.note("revoke invitation %d", id)
	return f.allow(u)
}

func (f *fakePeople) AllTokens(ctx context.Context, u identify.User) ([]identify.Token, error) {
	list, _ := f.Tokens(ctx, u)
	return list, f.allow(u)
}

func (f *fakePeople) AddProgram(_ context.Context, u identify.User, t identify.Token) (string, error) {
	if t.ExpiresAt != nil && !t.ExpiresAt.After(time.Now()) {
		return "", identify.Errorf(identify.Invalid, "expires", "A token ends later than now.")
	}
	f.note("program %s %s %v", t.Name, t.Role, t.ExpiresAt != nil)
	return "fieldmark_secret", f.allow(u)
}

func (f *fakePeople) Rename(_ context.Context, _ identify.User, name string) error {
	if name == "taken" {
		return identify.Errorf(identify.Conflict, "name", "There is already a user named taken.")
	}
	f.note("rename %s", name)
	return nil
}

func (f *fakePeople) ChangePassword(_ context.Context, _ identify.User, old, password, agent string) error {
	switch {
	case old != "old":
		return identify.Errorf(identify.Invalid, "old", "This is not your present password.")
	case len(password) < 12:
		return identify.Errorf(identify.Invalid, "password", "A password is longer.")
	}
	f.note("password in %q", agent)
	return nil
}

func (f *fakePeople) Sessions(context.Context, identify.User) ([]identify.Session, error) {
	return []identify.Session{
		{Agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", SeenAt: noon, CreatedAt: noon},
		{Agent: "curl/8", SeenAt: noon, CreatedAt: noon},
	}, nil
}

func (f *fakePeople) EndOtherSessions(_ context.Context, _ identify.User, secret string) error {
	f.note("end all but %s", secret)
	return nil
}

func (f *fakePeople) Tokens(context.Context, identify.User) ([]identify.Token, error) {
	return []identify.Token{
		{ID: 6, Name: "camera", UserName: "Gus", Role: identify.Expert, UsedAt: &noon},
		{ID: 7, Name: "lost", UserName: "Gus", Role: identify.Expert, RevokedAt: &noon},
	}, nil
}

func (f *fakePeople) AddToken(_ context.Context, u identify.User, t identify.Token) (string, identify.Token, error) {
	if !u.Role.Allows(t.Role) {
		return "", t, identify.Errorf(identify.Invalid, "role", "At most what you may.")
	}
	f.note("token %s %s", t.Name, t.Role)
	return "fieldmark_mine", t, nil
}

func (f *fakePeople) RevokeToken(_ context.Context, _ identify.User, id identify.TokenID) error {
	f.note("revoke token %d", id)
	return nil
}

// peopleBench is a bench with people, as one of them sees it.
func peopleBench(t *testing.T, u identify.User) (*bench, *fakePeople, *fakeSessions) {
	t.Helper()
	people, sessions := newFakePeople(), &fakeSessions{}
	return newBench(t, u, func(c *Config) { c.People, c.Sessions = people, sessions }), people, sessions
}

func (f *fakePeople) wantDone(t *testing.T, want ...string) {
	t.Helper()
	if strings.Join(f.did, "; ") != strings.Join(want, "; ") {
		t.Errorf("done: %q, want %q", f.did, want)
	}
}

func TestPeople(t *testing.T) {
	b, people, _ := peopleBench(t, owner)
	p := b.get("/people", 200)
	b.want(p, "Gus", "guest", "disabled by Ana", "at the machine itself", "password changed on", "4 of 30 used", "used up", "revoked by Bea", "camera")
	if strings.Contains(p.body, "lost") {
		t.Error("a token that opens nothing is offered to be revoked")
	}
	if strings.Contains(p.body, "/people/4/") {
		t.Error("the owner can be changed")
	}
	if b.want(p, "someone who left", "left for good"); strings.Contains(p.body, "/people/6/") {
		t.Error("who left can be let in again")
	}
	b.do(form("/people/2/role", "role", "curator"), http.StatusSeeOther)
	b.do(form("/people/2/disable"), http.StatusSeeOther)
	b.do(form("/people/3/enable"), http.StatusSeeOther)
	b.do(form("/people/invitations/5/revoke"), http.StatusSeeOther)
	b.do(form("/people/tokens/6/revoke"), http.StatusSeeOther)
	people.wantDone(t, "role 2 curator", "disable 2", "enable 3", "revoke invitation 5", "revoke token 6")
	b.want(b.do(form("/people/1/role", "role", "viewer"), 409), "This is the last admin.", "Gus")
	b.do(form("/people/x/disable"), 404)

	b, _, _ = peopleBench(t, viewer)
	b.want(b.get("/people", 403), "Your role does not allow it.")
}

func TestInvite(t *testing.T) {
	b, people, _ := peopleBench(t, owner)
	p := b.do(form("/people/invitations", "role", "expert", "uses", "30", "days", "2", "guest", "on"), http.StatusCreated)
	b.want(p, "http://example.com/join/K7QF-2MWD", "K7QF-2MWD", "shown this once")
	b.do(form("/people/invitations", "role", "admin", "name", " Bea "), http.StatusCreated)
	people.wantDone(t, `invite expert "" 30 true 48`, `invite admin "Bea" 1 false 168`)
	p = b.do(form("/people/invitations", "role", "curator", "uses", "many", "name", "Cy"), 422)
	b.want(p, "An invitation is for 1 or more.")
	if attr(p.find("#invite-uses")[0], "aria-invalid") != "true" || attr(p.find("#invite-name")[0], "value") != "Cy" {
		t.Error("the field is not marked, or what was typed is gone")
	}
}

func TestPrograms(t *testing.T) {
	b, people, _ := peopleBench(t, owner)
	b.want(b.do(form("/people/tokens", "name", "camera 2", "role", "expert", "days", "30"), http.StatusCreated), "fieldmark_secret", "shown this once")
	b.want(b.do(form("/people/tokens", "name", "camera 3", "role", "expert", "days", "soon"), 422), "A token ends later than now.")
	people.wantDone(t, "program camera 2 expert true")
}

func TestAccount(t *testing.T) {
	b, people, sessions := peopleBench(t, viewer)
	p := b.get("/account", 200)
	b.want(p, "You are a viewer.", "Firefox on Linux", "A browser that does not say its name", "camera", "Sign out elsewhere")
	if strings.Contains(p.body, `value="expert"`) {
		t.Error("a viewer is offered an expert's token")
	}
	b.want(b.do(form("/account/name", "name", "taken"), 409), "already a user named taken")
	b.do(form("/account/name", "name", "Vicky"), http.StatusSeeOther)
	b.want(b.do(form("/account/password", "old", "x", "password", "long enough, this"), 422), "not your present password")
	b.want(b.do(form("/account/password", "old", "old", "password", "short"), 422), "A password is longer.")

	r := form("/account/password", "old", "old", "password", "long enough, this")
	r.Header.Set("User-Agent", "Test/1")
	r.AddCookie(&http.Cookie{Name: "session", Value: "mine"})
	if p := b.do(r, http.StatusSeeOther); sessions.begun.Name != viewer.Name || p.Header.Get("Set-Cookie") == "" {
		t.Error("who changed the password is signed out")
	}
	r = form("/account/sessions/end")
	r.AddCookie(&http.Cookie{Name: "session", Value: "mine"})
	b.do(r, http.StatusSeeOther)
	b.want(b.do(form("/account/tokens", "name", "script", "role", "viewer"), http.StatusCreated), "fieldmark_mine")
	b.want(b.do(form("/account/tokens", "name", "script", "role", "admin"), 422), "At most what you may.")
	b.do(form("/account/tokens/6/revoke"), http.StatusSeeOther)
	people.wantDone(t, "rename Vicky", `password in "Test/1"`, "end all but mine", "token script viewer", "revoke token 6")
}

func TestBrowserNames(t *testing.T) {
	for agent, want := range map[string]string{
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1": "Safari on iPhone",
		"Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36":                   "Chrome on Android",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0":           "Edge on Windows",
		"": "A browser that does not say its name",
	} {
		if got := browserName(t.Context(), agent); got != want {
			t.Errorf("%q is %q, want %q", agent, got, want)
		}
	}
}
