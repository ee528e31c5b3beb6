package auth

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"fieldmark/internal/identify"
)

// limited is a gate that counts, with Ann's session "s".
func limited(t *testing.T, trustProxy bool) *Gate {
	g, u := gate(t, false)
	u.sessions["s"] = ann
	g.Limits = NewLimits(trustProxy)
	return g
}

func from(address string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/sign-in", nil)
	r.RemoteAddr = address
	return r
}

// wrong tries a wrong password and reports whether it was too many.
func wrong(g *Gate, r *http.Request, name string) (tooMany bool, retryAfter string) {
	w := httptest.NewRecorder()
	err := g.SignIn(w, r, name, "a bad password")
	return identify.KindOf(err) == identify.Overloaded, w.Header().Get("Retry-After")
}

func TestAnAddressTriesTooOften(t *testing.T) {
	g := limited(t, false)
	for i := range addressFailures {
		if no, _ := wrong(g, from("192.0.2.1:5000"), fmt.Sprint("name ", i)); no {
			t.Fatalf("refused after %d failures", i)
		}
	}
	if no, after := wrong(g, from("192.0.2.1:6000"), "another"); !no || after != "600" {
		t.Errorf("let on after %d failures, Retry-After %q", addressFailures, after)
	}
	if err := g.SignIn(httptest.NewRecorder(), from("192.0.2.1:6000"), "Ann", "a good password"); identify.KindOf(err) != identify.Overloaded {
		t.Errorf("the right password is an answer too: %v", err)
	}
	if no, _ := wrong(g, from("192.0.2.2:5000"), "another"); no {
		t.Error("another address is refused")
	}
}

// Whether anyone has the name makes no difference.
func TestANameIsTriedTooOften(t *testing.T) {
	for _, name := range []string{"Ann", "Nobody"} {
		g := limited(t, false)
		for i := range nameFailures {
			if no, _ := wrong(g, from(fmt.Sprintf("192.0.2.%d:1", i)), name); no {
				t.Fatalf("%s: refused after %d failures", name, i)
			}
		}
		if no, _ := wrong(g, from("198.51.100.1:1"), " "+name+" "); !no {
			t.Errorf("%s: let on after %d failures", name, nameFailures)
		}
		if no, _ := wrong(g, from("198.51.100.1:1"), "other"); no {
			t.Errorf("%s: another name is refused", name)
		}
	}
}

// Thirty phones behind one address sign in, one mistake each.
func TestARoomSignsIn(t *testing.T) {
	g := limited(t, false)
	for i := range 30 {
		if no, _ := wrong(g, from("192.0.2.1:5000"), fmt.Sprint("name ", i)); no {
			t.Fatalf("phone %d is refused", i)
		}
		if err := g.SignIn(httptest.NewRecorder(), from("192.0.2.1:5000"), "Ann", "a good password"); err != nil {
			t.Fatalf("phone %d: %v", i, err)
		}
	}
}

func TestTheProxySaysWhoAsks(t *testing.T) {
	for _, trust := range []bool{false, true} {
		g := limited(t, trust)
		refused := false
		for i := range addressFailures + 1 {
			r := from("192.0.2.1:5000")
			// The first entry is what an attacker invents, the last what the proxy saw.
			r.Header.Set("X-Forwarded-For", fmt.Sprintf("203.0.113.7, 198.51.100.%d", i))
			refused, _ = wrong(g, r, fmt.Sprint("name ", i))
		}
		if refused == trust {
			t.Errorf("trusting %v: refused %v", trust, refused)
		}
	}
}

// codes answers as the pages of invitations do.
var codes = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/join/GOOD" {
		w.WriteHeader(http.StatusNotFound)
	}
})

func TestCodesAreNotGuessed(t *testing.T) {
	g := limited(t, false)
	try := func(method, path, address string) int {
		r := httptest.NewRequest(method, "http://birds.local"+path, nil)
		r.RemoteAddr = address
		w := httptest.NewRecorder()
		g.Pages(codes).ServeHTTP(w, r)
		return w.Code
	}
	for i := range 2 * addressFailures {
		if got := try(http.MethodGet, "/join/GOOD", "192.0.2.1:1"); got != 200 {
			t.Fatalf("the %d. of those who join is answered %d", i+1, got)
		}
	}
	for i := range addressFailures {
		method := []string{http.MethodGet, http.MethodHead, http.MethodPost}[i%3]
		if got := try(method, fmt.Sprint([]string{"/join/", "/setup/"}[i%2], "WRONG", i), "192.0.2.1:1"); got != 404 {
			t.Fatalf("wrong code %d: %d", i, got)
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
		if got := try(method, "/join/GOOD", "192.0.2.1:1"); got != http.StatusTooManyRequests {
			t.Errorf("%s after %d wrong codes: %d", method, addressFailures, got)
		}
	}
	if got := try(http.MethodGet, "/join/GOOD", "192.0.2.2:1"); got != 200 {
		t.Errorf("from another address: %d", got)
	}
	for i := addressFailures; i < codeFailures; i++ {
		try(http.MethodGet, "/join/WRONG", fmt.Sprintf("198.51.100.%d:1", i))
	}
	if got := try(http.MethodGet, "/join/GOOD", "192.0.2.3:1"); got != http.StatusTooManyRequests {
		t.Errorf("after %d wrong codes from all over: %d", codeFailures, got)
	}
}

// What people send is counted for each of them, over the pages and the API
// together.
func TestAPersonSendsTooMuch(t *testing.T) {
	g := limited(t, false)
	g.Users.(*users).sessions["owner"] = owner
	send := func(session, path string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, "http://birds.local"+path, nil)
		r.AddCookie(&http.Cookie{Name: cookieName, Value: session})
		w := httptest.NewRecorder()
		g.Pages(whoami).ServeHTTP(w, r)
		return w
	}
	for i := range uploads {
		if w := send("s", []string{"/observations", "/api/v1/observations"}[i%2]); w.Code != 200 {
			t.Fatalf("photo %d: %d", i, w.Code)
		}
	}
	w := send("s", "/observations")
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "60" {
		t.Errorf("%d, %v", w.Code, w.Header())
	}
	if w := send("owner", "/observations"); w.Code != 200 {
		t.Errorf("someone else: %d", w.Code)
	}
	for _, path := range []string{"/api/v1/classify", "/compare", "/observations/1/identifications"} {
		if w := send("s", path); w.Code != 200 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}
