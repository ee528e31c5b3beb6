package auth

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

func TestSignInAndOut(t *testing.T) {
	g, u := gate(t, false)
	in := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/sign-in", nil)
	if err := g.SignIn(in, r, u.token); err != nil {
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
	if expires := u.sessions[string(hashOf(c.Value))]; !expires.Equal(noon.Add(30 * 24 * time.Hour)) {
		t.Errorf("the session ends at %v; only its hash may be stored", expires)
	}
	if who := ask(g, c); who != "I am Ann" {
		t.Errorf("after signing in: %q", who)
	}

	out := httptest.NewRecorder()
	r = httptest.NewRequest(http.MethodPost, "/sign-out", nil)
	r.AddCookie(c)
	if err := g.SignOut(out, r); err != nil {
		t.Fatal(err)
	}
	if gone := out.Result().Cookies(); len(gone) != 1 || gone[0].MaxAge >= 0 {
		t.Errorf("cookies after signing out: %v", gone)
	}
	if who := ask(g, c); who != "I am " {
		t.Errorf("after signing out the old cookie still says %q", who)
	}
	if err := g.SignOut(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/sign-out", nil)); err != nil {
		t.Errorf("signing out without a session: %v", err)
	}
}

func ask(g *Gate, c *http.Cookie) string {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.AddCookie(c)
	w := httptest.NewRecorder()
	g.Pages(whoami).ServeHTTP(w, r)
	return w.Body.String()
}

func TestSignInOverTLS(t *testing.T) {
	g, u := gate(t, false)
	for _, r := range []*http.Request{
		httptest.NewRequest(http.MethodPost, "https://fieldmark.example/sign-in", nil),
		func() *http.Request {
			r := httptest.NewRequest(http.MethodPost, "/sign-in", nil)
			r.Header.Set("X-Forwarded-Proto", "https")
			return r
		}(),
	} {
		w := httptest.NewRecorder()
		if err := g.SignIn(w, r, u.token); err != nil || !w.Result().Cookies()[0].Secure {
			t.Errorf("%v, cookies %v; want a secure one", err, w.Result().Cookies())
		}
	}
}

func TestSignInRefuses(t *testing.T) {
	g, u := gate(t, false)
	for _, token := range []string{"", "fieldmark_", "wrong", u.token + "x"} {
		w := httptest.NewRecorder()
		err := g.SignIn(w, httptest.NewRequest(http.MethodPost, "/sign-in", nil), token)
		if identify.KindOf(err) != identify.Forbidden || len(w.Result().Cookies()) != 0 {
			t.Errorf("token %q: %v, cookies %v", token, err, w.Result().Cookies())
		}
	}
}
