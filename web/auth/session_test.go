package auth

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"fieldmark/internal/identify"
)

func TestSignInAndOut(t *testing.T) {
	g, u := gate(t, false)
	in := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/sign-in", nil)
	if err := g.SignIn(in, r, "Ann", "a good password"); err != nil {
		t.Fatal(err)
	}
	cookies := in.Result().Cookies()
	if len(cookies) != 1 {
		t.Fatalf("cookies %v", cookies)
	}
	c := cookies[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Secure || c.MaxAge != 30*24*3600 {
		t.Errorf("cookie %+v", c)
	}
	if who, _ := ask(g, c); who != "I am Ann" {
		t.Errorf("after signing in: %q", who)
	}

	again := httptest.NewRecorder()
	r = httptest.NewRequest(http.MethodPost, "/sign-in", nil)
	r.AddCookie(c)
	if err := g.SignInByToken(again, r, " tok "); err != nil || len(u.sessions) != 1 {
		t.Errorf("%v; a browser has %d sessions", err, len(u.sessions))
	}
	c = again.Result().Cookies()[0]

	out := httptest.NewRecorder()
	r = httptest.NewRequest(http.MethodPost, "/sign-out", nil)
	r.AddCookie(c)
	if err := g.SignOut(out, r); err != nil {
		t.Fatal(err)
	}
	if gone := out.Result().Cookies(); len(gone) != 1 || gone[0].MaxAge >= 0 {
		t.Errorf("cookies after signing out: %v", gone)
	}
	if who, _ := ask(g, c); who != "I am " {
		t.Errorf("after signing out the old cookie still says %q", who)
	}
	if err := g.SignOut(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/sign-out", nil)); err != nil {
		t.Errorf("signing out without a session: %v", err)
	}
}

func ask(g *Gate, c *http.Cookie) (body string, sent []*http.Cookie) {
	r := httptest.NewRequest(http.MethodGet, "http://birds.local/", nil)
	r.AddCookie(c)
	w := httptest.NewRecorder()
	g.Pages(whoami).ServeHTTP(w, r)
	return w.Body.String(), w.Result().Cookies()
}

// A session that is used goes on, and so does its cookie.
func TestTheCookieIsSentAgain(t *testing.T) {
	g, u := gate(t, false)
	u.sessions["s"] = ann
	c := &http.Cookie{Name: cookieName, Value: "s"}
	if _, sent := ask(g, c); len(sent) != 0 {
		t.Errorf("sent %v for a session that was just used", sent)
	}
	u.renew = true
	if _, sent := ask(g, c); len(sent) != 1 || sent[0].Value != "s" || sent[0].MaxAge != 30*24*3600 {
		t.Errorf("sent %v", sent)
	}
}

func TestSignInOverTLS(t *testing.T) {
	g, _ := gate(t, false)
	for _, r := range []*http.Request{
		httptest.NewRequest(http.MethodPost, "https://fieldmark.example/sign-in", nil),
		func() *http.Request {
			r := httptest.NewRequest(http.MethodPost, "/sign-in", nil)
			r.Header.Set("X-Forwarded-Proto", "https")
			return r
		}(),
	} {
		w := httptest.NewRecorder()
		if err := g.SignInByToken(w, r, "tok"); err != nil || !w.Result().Cookies()[0].Secure {
			t.Errorf("%v, cookies %v; want a secure one", err, w.Result().Cookies())
		}
	}
}

func TestSignInRefuses(t *testing.T) {
	g, _ := gate(t, false)
	for _, token := range []string{"", "fieldmark_", "wrong", "tokx"} {
		w := httptest.NewRecorder()
		err := g.SignInByToken(w, httptest.NewRequest(http.MethodPost, "/sign-in", nil), token)
		if identify.KindOf(err) != identify.Forbidden || len(w.Result().Cookies()) != 0 {
			t.Errorf("token %q: %v, cookies %v", token, err, w.Result().Cookies())
		}
	}
	w := httptest.NewRecorder()
	err := g.SignIn(w, httptest.NewRequest(http.MethodPost, "/sign-in", nil), "Ann", "a bad password")
	if identify.KindOf(err) != identify.Forbidden || len(w.Result().Cookies()) != 0 {
		t.Errorf("a wrong password: %v, cookies %v", err, w.Result().Cookies())
	}
}
