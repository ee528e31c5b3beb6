package web

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

// fakeSessions knows one name, one password and one token, and who was let in
// last.
type fakeSessions struct{ begun identify.User }

var errNotTogether = identify.Errorf(identify.Forbidden, "password", "They do not belong together.")

func (f *fakeSessions) SignIn(w http.ResponseWriter, r *http.Request, name, password string) error {
	switch {
	case name == "broken":
		return errors.New("the database is gone")
	case name == "often":
		w.Header().Set("Retry-After", "600")
		return identify.Errorf(identify.Overloaded, "", "Too often.")
	case name != "Ann" || password != " a password ":
		return errNotTogether
	}
	return f.Begin(w, r, identify.User{Name: name})
}

func (f *fakeSessions) SignInByToken(w http.ResponseWriter, r *http.Request, token string) error {
	if token != "right" {
		return identify.Errorf(identify.Forbidden, "token", "This token is not known.")
	}
	return f.Begin(w, r, identify.User{Name: "Robot"})
}

func (f *fakeSessions) Begin(w http.ResponseWriter, _ *http.Request, u identify.User) error {
	f.begun = u
	http.SetCookie(w, &http.Cookie{Name: "session", Value: "x"})
	return nil
}

func (*fakeSessions) SignOut(http.ResponseWriter, *http.Request) error { return nil }

func (*fakeSessions) Secret(r *http.Request) string {
	c, err := r.Cookie("session")
	if err != nil {
		return ""
	}
	return c.Value
}

// fakeJoin has an invitation of each kind and a set-up link, each by its name.
type fakeJoin struct {
	joined []string
	nobody bool // can sign in yet
}

func (f *fakeJoin) Reachable(context.Context) (bool, error) { return !f.nobody, nil }

func (*fakeJoin) Invited(_ context.Context, code string) (identify.Invitation, error) {
	switch code {
	case "FREE-CODE":
		return identify.Invitation{Role: identify.Expert, Uses: 3}, nil
	case "GUEST-CODE":
		return identify.Invitation{Role: identify.Viewer, Uses: 30, Guest: true}, nil
	case "NAMED-CODE":
		return identify.Invitation{Role: identify.Curator, Uses: 1, Name: "Bo"}, nil
	case "BACK-CODE":
		return identify.Invitation{Role: identify.Expert, Uses: 1, Guest: true, Name: "Gus", Returning: 5}, nil
	}
	return identify.Invitation{}, identify.Errorf(identify.NotFound, "code", "This invitation is not good.")
}

func (f *fakeJoin) Join(_ context.Context, code, name, password string) (identify.User, error) {
	if name == "taken" {
		return identify.User{}, identify.Errorf(identify.Conflict, "name", "There is already a user named taken.")
	}
	if code != "GUEST-CODE" && len(password) < 12 {
		return identify.User{}, identify.Errorf(identify.Invalid, "password", "A password is longer.")
	}
	f.joined = append(f.joined, code+" "+name+" "+password)
	return identify.User{ID: 9, Name: name}, nil
}

func (*fakeJoin) SetUpOpen(_ context.Context, secret string) error {
	if secret != "secret" {
		return identify.Errorf(identify.NotFound, "", "This set-up link is not good.")
	}
	return nil
}

func (f *fakeJoin) SetUp(ctx context.Context, secret, name, password string) (identify.User, error) {
	return f.Join(ctx, "setup", name, password)
}

// stranger is a bench for who is not signed in yet.
func stranger(t *testing.T) (*bench, *fakeSessions, *fakePeople) {
	t.Helper()
	sessions, people := &fakeSessions{}, newFakePeople()
	b := newBench(t, identify.User{}, func(c *Config) { c.Sessions, c.People = sessions, people })
	return b, sessions, people
}

func TestSignIn(t *testing.T) {
	b, sessions, _ := stranger(t)
	if got := b.get("/observations?q=a", http.StatusSeeOther).Header.Get("Location"); got != "/sign-in?next=%2Fobservations%3Fq%3Da" {
		t.Errorf("leads to %q", got)
	}
	if got := b.do(fragment(form(teach, "suggestion", "1")), 401).Header.Get("HX-Redirect"); got != "/sign-in?next=%2F" {
		t.Errorf("a fragment leads to %q", got)
	}
	b.want(b.get("/sign-in", 200), "Join with it", "Sign in with a token")
	p := b.do(form("/sign-in", "name", "Ann", "password", "wrong"), 422)
	b.want(p, "They do not belong together.")
	if attr(p.find("#name")[0], "value") != "Ann" || attr(p.find("#password")[0], "value") != "" {
		t.Error("the name should stay and the password go")
	}
	b.do(form("/sign-in", "name", "broken", "password", "x"), 500)
	if p := b.do(form("/sign-in", "name", "often", "password", "x"), 429); p.Header.Get("Retry-After") != "600" {
		t.Errorf("Retry-After %q", p.Header.Get("Retry-After"))
	}
	p = b.do(form("/sign-in", "name", " Ann ", "password", " a password ", "next", "/about"), http.StatusSeeOther)
	if p.Header.Get("Location") != "/about" || p.Header.Get("Set-Cookie") == "" || sessions.begun.Name != "Ann" {
		t.Errorf("headers %v", p.Header)
	}
	p = b.do(form("/sign-in", "name", "Ann", "password", " a password ", "next", "https://evil.example"), http.StatusSeeOther)
	if p.Header.Get("Location") != "/" {
		t.Errorf("leads to %q", p.Header.Get("Location"))
	}
	b.do(form("/sign-out"), http.StatusSeeOther)
}

// Whoever was signed in before is told that it is over, a guest that a code is needed.
func TestSignInAfterTheEnd(t *testing.T) {
	b, _, _ := stranger(t)
	const over = "You are not signed in any more."
	if strings.Contains(b.get("/sign-in", 200).body, over) {
		t.Error("a stranger is told so")
	}
	again := httptest.NewRequest("GET", "/sign-in", nil)
	again.AddCookie(&http.Cookie{Name: "session", Value: "x"})
	b.want(b.do(again, 200), over)
}

func TestSignInByToken(t *testing.T) {
	b, sessions, _ := stranger(t)
	p := b.do(form("/sign-in", "token", "wrong"), 422)
	b.want(p, "This token is not known.")
	if !strings.Contains(p.body, "<details open") {
		t.Error("what was typed wrong is folded away")
	}
	b.do(form("/sign-in", "token", " right "), http.StatusSeeOther)
	if sessions.begun.Name != "Robot" {
		t.Errorf("%+v", sessions.begun)
	}
}

func TestSignInWhereNobodyNeeds(t *testing.T) {
	b := newBench(t, owner, func(c *Config) { c.People = newFakePeople() })
	b.want(b.get("/sign-in", 200), "Nobody needs to sign in here")
	b.do(form("/sign-in", "token", "x"), http.StatusSeeOther)
	for _, path := range []string{"/join", "/join/FREE-CODE", "/setup/secret"} {
		if got := b.get(path, http.StatusSeeOther).Header.Get("Location"); got != "/sign-in" {
			t.Errorf("%s leads to %q", path, got)
		}
	}
}

func TestJoin(t *testing.T) {
	b, sessions, people := stranger(t)
	b.want(b.get("/join", 200), "Eight letters")
	if got := b.get("/join?code=+free-code", http.StatusSeeOther).Header.Get("Location"); got != "/join/free-code" {
		t.Errorf("leads to %q", got)
	}
	b.get("/join?code=..%2F..%2Fsign-out", 200)
	p := b.get("/join/WRONG", 404)
	if b.want(p, "This invitation is not good."); attr(p.find("#code")[0], "value") != "WRONG" {
		t.Error("a code that was typed wrong cannot be put right")
	}

	p = b.get("/join/FREE-CODE", 200)
	if b.want(p, "as an expert"); len(p.find("#password")) != 1 {
		t.Error("nobody asks for a password")
	}
	p = b.do(form("/join/FREE-CODE", "name", "taken", "password", "long enough, this"), 409)
	b.want(p, "already a user named taken")
	p = b.do(form("/join/FREE-CODE", "name", "Cy", "password", "short"), 422)
	b.want(p, "A password is longer.")
	if attr(p.find("#name")[0], "value") != "Cy" {
		t.Error("the name is gone")
	}
	b.do(form("/join/FREE-CODE", "name", "Cy", "password", "long enough, this"), http.StatusSeeOther)
	if sessions.begun.Name != "Cy" {
		t.Errorf("let in: %+v", sessions.begun)
	}

	p = b.get("/join/GUEST-CODE", 200)
	b.want(p, "as a viewer", "this browser is your key")
	if len(p.find("#password")) != 0 {
		t.Error("a guest is asked for a password")
	}
	b.do(form("/join/GUEST-CODE", "name", "Di"), http.StatusSeeOther)
	if p := b.get("/join/NAMED-CODE", 200); attr(p.find("#name")[0], "value") != "Bo" {
		t.Error("the invited name is not there")
	}

	b.want(b.do(form("/join/GUEST-CODE", "name", "taken"), 409), "the host lets you in again")
	p = b.get("/join/BACK-CODE", 200)
	b.want(p, "Welcome back", "is signed out")
	if name := p.find("#name")[0]; attr(name, "value") != "Gus" || !hasAttr(name, "readonly") {
		t.Error("who comes back may choose a name")
	}
	if want := []string{"FREE-CODE Cy long enough, this", "GUEST-CODE Di "}; strings.Join(people.joined, "|") != strings.Join(want, "|") {
		t.Errorf("joined %q, want %q", people.joined, want)
	}
}

func TestSetUp(t *testing.T) {
	b, sessions, people := stranger(t)
	if strings.Contains(b.get("/sign-in", 200).body, "Nobody can sign in yet") {
		t.Error("it is said that nobody can sign in")
	}
	people.nobody = true
	b.want(b.get("/sign-in", 200), "Nobody can sign in yet. The link for the first account was printed")
	b.want(b.get("/setup/other", 404), "This set-up link is not good.")
	b.want(b.get("/setup/secret", 200), "Nobody can sign in yet")
	b.want(b.do(form("/setup/secret", "name", "Ann", "password", "short"), 422), "A password is longer.")
	p := b.do(form("/setup/secret", "name", "Ann", "password", "long enough, this"), http.StatusSeeOther)
	if p.Header.Get("Location") != "/people" || sessions.begun.Name != "Ann" {
		t.Errorf("%v, %+v", p.Header, sessions.begun)
	}
}
