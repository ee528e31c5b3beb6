package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

func (f *fakePeople) JudgePassword(name, password string) identify.Judgement {
	switch {
	case f.weak || password == name+" and more":
		return identify.Judgement{Problem: identify.Errorf(identify.Invalid, "password", "It would be tried first.")}
	case len(password) < 12:
		return identify.Judgement{Missing: 12 - len(password)}
	case len(password) < 16:
		return identify.Judgement{Strength: identify.Fair}
	case len(password) < 20:
		return identify.Judgement{Strength: identify.Good}
	}
	return identify.Judgement{Strength: identify.Strong}
}

func (f *fakePeople) PasswordChanges(_ context.Context, u identify.User) ([]identify.PasswordChange, error) {
	switch u.Name {
	case viewer.Name:
		return []identify.PasswordChange{{At: noon, Agent: "Firefox/140.0"}, {At: noon, First: true}}, nil
	case owner.Name:
		return []identify.PasswordChange{{At: noon, Agent: "Android", First: true}}, nil
	}
	return nil, nil
}

func (f *fakePeople) ChangeThatEnded(_ context.Context, secret string) (identify.PasswordChange, error) {
	if secret != "ended" {
		return identify.PasswordChange{}, identify.Errorf(identify.NotFound, "", "None did.")
	}
	return identify.PasswordChange{At: noon, Agent: "Firefox/140.0 (Android)"}, nil
}

// While a password is typed it is said how it would do, and it is not said back.
func TestAPasswordIsJudgedWhileItIsTyped(t *testing.T) {
	b, _, _ := stranger(t)
	for typed, want := range map[string]struct{ said, value string }{
		"seven":                  {"Too short: 7 more characters.", "0"},
		"eleven char":            {"Too short: 1 more character.", "0"},
		"Cy and more":            {"It would be tried first.", "0"},
		"twelve chars":           {"It will do. Another word makes it much harder to guess.", "1"},
		"sixteen chars ...":      {"Hard to guess.", "2"},
		"five words go together": {"Very hard to guess.", "3"},
	} {
		p := b.do(fragment(form("/password", "name", "Cy", "password", typed)), 200)
		b.want(p, want.said)
		if bars := p.find("meter"); len(bars) != 1 || attr(bars[0], "value") != want.value || attr(bars[0], "aria-hidden") != "true" {
			t.Errorf("%q: the bar is not at %s: %s", typed, want.value, p.body)
		}
		if strings.Contains(p.body, typed) || p.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("what was typed comes back, or is kept: %v %s", p.Header, p.body)
		}
	}
	if p := b.do(fragment(form("/password", "password", "")), 200); strings.TrimSpace(p.body) != "" {
		t.Errorf("of nothing it is said %q", p.body)
	}
	signedIn, _, _ := peopleBench(t, viewer)
	signedIn.want(signedIn.do(fragment(form("/password", "password", viewer.Name+" and more")), 200), "It would be tried first.")
}

// Every form in which a password is set asks for that, says it where screen readers
// hear of it, and lets people see what they type; so does the one for signing in.
func TestFormsForPasswords(t *testing.T) {
	b, _, _ := stranger(t)
	own, _, _ := peopleBench(t, viewer)
	for _, p := range []reply{b.get("/join/FREE-CODE", 200), b.get("/setup/secret", 200), own.get("/account", 200),
		b.do(form("/join/FREE-CODE", "name", "Cy", "password", "short"), 422)} {
		field := p.find("#password")[0]
		if attr(field, "hx-post") != "/password" || attr(field, "hx-target") != "#password-strength" || attr(field, "hx-params") != "name,password" {
			t.Errorf("nobody asks how a password would do: %v", field.Attr)
		}
		if said := p.find("#password-strength"); len(said) != 1 || attr(said[0], "role") != "status" {
			t.Error("it is said where nobody hears it")
		}
		wantReveal(t, p)
	}
	wantReveal(t, b.get("/sign-in", 200))
	if p := b.get("/join/GUEST-CODE", 200); len(p.find(".reveal")) != 0 {
		t.Error("a guest has nothing to see")
	}
	wrong := b.do(form("/join/FREE-CODE", "name", "Cy", "password", "short"), 422).find("#password")[0]
	if attr(wrong, "aria-describedby") != "password-problem password-hint" || attr(wrong, "value") != "" {
		t.Errorf("without scripts: %v", wrong.Attr)
	}
}

// wantReveal wants a box by which passwords are shown, where scripts run.
func wantReveal(t *testing.T, p reply) {
	t.Helper()
	if boxes := p.find(".reveal"); len(boxes) != 1 || attr(boxes[0], "class") != "check scripted reveal" || !strings.Contains(p.body, " data-reveal>") {
		t.Errorf("%d boxes show what is typed", len(boxes))
	}
	if !strings.Contains(p.body, "/js/password.js") {
		t.Error("nothing runs that shows it")
	}
}

// Where a password is new, those who were signed in with the old one are told.
func TestAChangedPasswordIsTold(t *testing.T) {
	b, _, _ := stranger(t)
	r := httptest.NewRequest("GET", "/sign-in", nil)
	r.AddCookie(&http.Cookie{Name: "session", Value: "ended"})
	p := b.do(r, 200)
	b.want(p, "Your password was set", "Firefox on Android", "which signed you out here. If that was not you, tell an admin at once.")
	if strings.Contains(p.body, "You are not signed in any more.") {
		t.Error("two reasons are given")
	}
	if strings.Contains(b.get("/sign-in", 200).body, "Your password was set") {
		t.Error("strangers are told")
	}
	own, _, _ := peopleBench(t, viewer)
	own.want(own.get("/account", 200), "Last changed", "Firefox")
	first, _, _ := peopleBench(t, owner)
	first.want(first.get("/account", 200), "Set ", "Android")
}

// Whoever signs in with a password that is tried first nowadays is asked for another.
func TestAWeakPasswordOpensAndIsSaidToBeWeak(t *testing.T) {
	b, sessions, people := stranger(t)
	people.weak = true
	p := b.do(form("/sign-in", "name", "Ann", "password", " a password ", "next", "/about"), http.StatusSeeOther)
	if p.Header.Get("Location") != "/account?saved=weak" || sessions.begun.Name != "Ann" {
		t.Errorf("leads to %q as %+v", p.Header.Get("Location"), sessions.begun)
	}
	if p := b.do(form("/sign-in", "token", "right", "next", "/about"), http.StatusSeeOther); p.Header.Get("Location") != "/about" {
		t.Errorf("a token leads to %q", p.Header.Get("Location"))
	}
	own, _, _ := peopleBench(t, viewer)
	own.want(own.get("/account?saved=weak", 200), "among the first that are tried")
}

// Who makes an account is told before what is kept of them (ASVS 8.3.3).
func TestWhoJoinsIsToldWhatIsKept(t *testing.T) {
	b, _, _ := stranger(t)
	for _, path := range []string{"/join/FREE-CODE", "/join/GUEST-CODE", "/setup/secret"} {
		b.want(b.get(path, 200), "Going on, you agree that Fieldmark keeps your name, what you teach and when")
	}
}
