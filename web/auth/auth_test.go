package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

// users knows one token and one password, whose user is Ann, and her sessions.
type users struct {
	token    string
	sessions map[string]identify.User
	renew    bool // sessions were last used long ago
	err      error
}

var (
	owner = identify.User{ID: 1, Name: "Owner", Role: identify.Admin}
	ann   = identify.User{ID: 2, Name: "Ann", Role: identify.Expert}
	none  = identify.Errorf(identify.NotFound, "", "There is no such user.")
)

func (u *users) Owner(context.Context) (identify.User, error) { return owner, u.err }

func (u *users) ByToken(_ context.Context, token string) (identify.User, error) {
	if token != u.token {
		return identify.User{}, none
	}
	return ann, u.err
}

func (u *users) BySession(_ context.Context, secret string) (identify.User, bool, error) {
	who, is := u.sessions[secret]
	if !is {
		return identify.User{}, false, none
	}
	return who, u.renew, u.err
}

func (u *users) SignIn(_ context.Context, name, password string) (identify.User, error) {
	if name != "Ann" || password != "a good password" {
		return identify.User{}, identify.Errorf(identify.Forbidden, "password", "They do not belong together.")
	}
	return ann, u.err
}

func (u *users) BeginSession(_ context.Context, who identify.User, _ string) (string, error) {
	secret := fmt.Sprintf("session-%d", len(u.sessions))
	u.sessions[secret] = who
	return secret, nil
}

func (u *users) EndSession(_ context.Context, secret string) error {
	delete(u.sessions, secret)
	return nil
}

func gate(t *testing.T, loopback bool) (*Gate, *users) {
	t.Helper()
	u := &users{token: "tok", sessions: map[string]identify.User{}}
	return &Gate{Users: u, Loopback: loopback, Hosts: Hosts{Loopback: loopback, Machine: "birds"}}, u
}

// whoami answers with the name of who asks.
var whoami = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	w.Write([]byte("I am " + UserFrom(r.Context()).Name))
})

func TestIsLoopback(t *testing.T) {
	for addr, want := range map[string]bool{
		"127.0.0.1:8080": true, "localhost:8080": true, "[::1]:0": true, "127.8.9.1:1": true, "LOCALHOST.:1": true,
		":8080": false, "0.0.0.0:8080": false, "[::]:8080": false, "192.168.1.5:80": false, "localhost.example.org:1": false, "": false,
	} {
		if got := IsLoopback(addr); got != want {
			t.Errorf("IsLoopback(%q) = %v", addr, got)
		}
	}
}

func TestWhoAsks(t *testing.T) {
	const anyone, nobody = "I am ", "401"
	local, localUsers := gate(t, true)
	remote, remoteUsers := gate(t, false)
	for _, u := range []*users{localUsers, remoteUsers} {
		u.sessions["good"] = ann
	}
	for name, c := range map[string]struct {
		header, value, host          string
		local, remote, remoteVisitor string // to the API, to the API beyond loopback, to pages there
	}{
		"without anything":      {"", "", "127.0.0.1:8080", "I am Owner", nobody, anyone},
		"by localhost":          {"", "", "localhost", "I am Owner", nobody, anyone},
		"by IPv6":               {"", "", "[::1]:8080", "I am Owner", nobody, anyone},
		"by a foreign name":     {"", "", "evil.example:8080", "421", "421", "421"},
		"by its own name":       {"", "", "birds.local:8080", "421", nobody, anyone},
		"by its address":        {"", "", "192.168.1.5:8080", "421", nobody, anyone},
		"without a name":        {"", "", "", "421", "421", "421"},
		"a token":               {"Authorization", "Bearer tok", "127.0.0.1", "I am Ann", "I am Ann", "I am Ann"},
		"a token, lower case":   {"Authorization", "bearer  tok", "127.0.0.1", "I am Ann", "I am Ann", "I am Ann"},
		"a wrong token":         {"Authorization", "Bearer tox", "127.0.0.1", "401", "401", "401"},
		"no token after Bearer": {"Authorization", "Bearer", "127.0.0.1", "401", "401", "401"},
		"another scheme":        {"Authorization", "Basic dG9rOg==", "127.0.0.1", "I am Owner", nobody, anyone},
		"a session":             {"Cookie", "fieldmark_session=good", "127.0.0.1", "I am Ann", "I am Ann", "I am Ann"},
		"an invented session":   {"Cookie", "fieldmark_session=x", "127.0.0.1", "I am Owner", nobody, anyone},
		"through a proxy":       {"X-Forwarded-For", "203.0.113.9", "127.0.0.1", nobody, nobody, anyone},
	} {
		for _, on := range []struct {
			handler http.Handler
			where   string
			want    string
		}{{local.API(whoami), "loopback", c.local}, {remote.API(whoami), "beyond", c.remote}, {remote.Pages(whoami), "pages beyond", c.remoteVisitor}} {
			r := httptest.NewRequest(http.MethodGet, "/api/v1/stats", nil)
			r.Host = c.host
			if c.header != "" {
				r.Header.Set(c.header, c.value)
			}
			w := httptest.NewRecorder()
			on.handler.ServeHTTP(w, r)
			got := w.Body.String()
			if w.Code != http.StatusOK {
				got = w.Result().Status[:3]
			}
			if got != on.want {
				t.Errorf("%s, %s: %q, want %q", name, on.where, got, on.want)
			}
			if challenge := w.Header().Get("WWW-Authenticate"); (w.Code == http.StatusUnauthorized) != strings.HasPrefix(challenge, "Bearer ") {
				t.Errorf("%s, %s: status %d with the challenge %q", name, on.where, w.Code, challenge)
			}
		}
	}
}

// Who set up the proxy must learn what to do about it.
func TestRefusalsSayWhatToDo(t *testing.T) {
	local, _ := gate(t, true)
	remote, _ := gate(t, false)
	tests := []struct {
		name, host, proxied string
		gate                *Gate
		want                []string
		not                 string
	}{
		{"proxy to loopback", "127.0.0.1", "203.0.113.9", local, []string{"through a proxy", "--sign-in", "--addr", "webapp token create"}, "Sign in first"},
		{"another name", "birds.example.org", "", local, []string{"birds.example.org", "--sign-in", "--addr", "--host"}, "proxy, so"},
		{"another name, served to all", "birds.example.org", "", remote, []string{"birds.example.org", "--host", "address in numbers"}, "--sign-in"},
		{"served to all", "192.168.1.5:8080", "203.0.113.9", remote, []string{"Sign in first", "Bearer", "webapp token create"}, "--addr"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/api/v1/stats", nil)
			r.Host = tt.host
			if tt.proxied != "" {
				r.Header.Set("X-Forwarded-For", tt.proxied)
			}
			w := httptest.NewRecorder()
			tt.gate.API(whoami).ServeHTTP(w, r)
			for _, part := range tt.want {
				if !strings.Contains(w.Body.String(), part) {
					t.Errorf("it does not say %q: %s", part, w.Body)
				}
			}
			if strings.Contains(w.Body.String(), tt.not) {
				t.Errorf("it says %q: %s", tt.not, w.Body)
			}
		})
	}
}

func TestOtherSitesAreTurnedAway(t *testing.T) {
	g, _ := gate(t, true)
	for _, c := range []struct {
		method, header, value string
		want                  int
	}{
		{http.MethodPost, "Sec-Fetch-Site", "cross-site", http.StatusForbidden},
		{http.MethodPost, "Origin", "https://evil.example", http.StatusForbidden},
		{http.MethodPost, "Origin", "null", http.StatusForbidden},
		{http.MethodDelete, "Sec-Fetch-Site", "same-site", http.StatusForbidden},
		{http.MethodPost, "Sec-Fetch-Site", "same-origin", http.StatusOK},
		{http.MethodPost, "Origin", "http://127.0.0.1:8080", http.StatusOK},
		{http.MethodPost, "User-Agent", "curl", http.StatusOK},
		{http.MethodGet, "Sec-Fetch-Site", "cross-site", http.StatusOK},
	} {
		r := httptest.NewRequest(c.method, "/observations", nil)
		r.Host = "127.0.0.1:8080"
		r.Header.Set(c.header, c.value)
		w := httptest.NewRecorder()
		g.API(whoami).ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s with %s %s: status %d, want %d", c.method, c.header, c.value, w.Code, c.want)
		}
	}
}

func TestStoreFails(t *testing.T) {
	g, u := gate(t, true)
	u.err = errors.New("disk on fire")
	var status int
	g.Refuse = func(w http.ResponseWriter, _ *http.Request, s int, reason *identify.Error) {
		status = s
		if strings.Contains(reason.Message, "fire") {
			t.Errorf("it tells %q", reason.Message)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "http://localhost/", nil)
	g.Pages(whoami).ServeHTTP(httptest.NewRecorder(), r)
	if status != http.StatusServiceUnavailable {
		t.Errorf("status %d", status)
	}
}
