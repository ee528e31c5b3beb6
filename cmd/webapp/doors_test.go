package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// startAppWith runs an app with what c says, and the built-in encoder.
func startAppWith(t *testing.T, c Config) *App {
	t.Helper()
	a, _ := startAppUntil(t, c)
	return a
}

// startAppUntil starts an app, and ends and closes it with stop, or when the test ends.
func startAppUntil(t *testing.T, c Config) (a *App, stop func() error) {
	t.Helper()
	c.Model, c.Fusion, c.Psi, c.K, c.Threads = builtin, string(defaultRule), defaultPsi, 9, 2
	ctx, cancel := context.WithCancel(context.Background())
	a, err := Open(ctx, c, slog.New(slog.DiscardHandler))
	must(t, err)
	done := make(chan error)
	go func() { done <- a.Run(ctx) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return errors.Join(<-done, a.Close())
	})
	t.Cleanup(func() { must(t, stop()) })
	return a, stop
}

// browser is someone's, with its cookies.
type browser struct {
	*testing.T
	http.Client
	at string
}

func newBrowser(t *testing.T, a *App) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	must(t, err)
	c := noRedirects()
	c.Jar = jar
	return &browser{t, *c, a.URL()}
}

// ask sends a form, or asks for a page if there is none, and returns the body
// of the answer, which must have a status.
func (b *browser) ask(status int, path string, form ...string) string {
	b.Helper()
	method, fields := http.MethodGet, url.Values{}
	for i := 0; i+1 < len(form); i += 2 {
		method = http.MethodPost
		fields.Add(form[i], form[i+1])
	}
	r, err := http.NewRequest(method, b.at+path, strings.NewReader(fields.Encode()))
	must(b, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := b.Do(r)
	must(b, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	must(b, err)
	if resp.StatusCode != status {
		b.Fatalf("%s %s: %s, want %d: %s", method, path, resp.Status, status, body)
	}
	return string(body)
}

func find(t *testing.T, pattern, in string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(in)
	if m == nil {
		t.Fatalf("there is no %s in %s", pattern, in)
	}
	return m[1]
}

// From the link that the first start prints to a guest who is let go.
func TestFromTheFirstLinkToAGuest(t *testing.T) {
	data := t.TempDir()
	a := startAppWith(t, Config{Data: data, Addr: "0.0.0.0:0"})
	var said bytes.Buffer
	a.welcome(&said)
	link := find(t, `(/setup/\S+)`, said.String())

	admin := newBrowser(t, a)
	admin.ask(303, "/people")
	admin.ask(404, "/setup/none")
	admin.ask(200, link)
	admin.ask(422, link, "name", "Ada", "password", "short")
	admin.ask(303, link, "name", "Ada", "password", "four words go together")
	admin.ask(404, link)
	if !strings.Contains(admin.ask(200, "/people"), "Ada") {
		t.Error("the admin is not among the people")
	}

	made := admin.ask(201, "/people/invitations", "role", "expert", "guest", "on", "uses", "2")
	join := find(t, `/join/([A-Z2-9]{4}-[A-Z2-9]{4})`, made)
	guest := newBrowser(t, a)
	guest.ask(200, "/join/"+strings.ToLower(join))
	guest.ask(303, "/join/"+join, "name", "Gus")
	guest.ask(200, "/")
	guest.ask(200, "/account")
	guest.ask(403, "/people")
	guest.ask(403, "/people/invitations", "role", "admin")
	guest.ask(403, "/people/2/role", "role", "viewer")
	guest.ask(403, "/api/v1/export")
	guest.ask(403, "/account/tokens", "name", "x", "role", "viewer")

	people, err := a.people.People(t.Context(), identify.User{Role: identify.Admin})
	must(t, err)
	for _, p := range people {
		switch p.Name {
		case "Gus":
			admin.ask(303, fmt.Sprintf("/people/%d/disable", p.ID), "sure", "yes")
		case "Ada":
			admin.ask(409, fmt.Sprintf("/people/%d/disable", p.ID), "sure", "yes")
			admin.ask(409, fmt.Sprintf("/people/%d/role", p.ID), "role", "viewer")
		}
	}
	guest.ask(303, "/")
	guest.ask(401, "/api/v1/stats")
	admin.ask(303, "/people/invitations/1/revoke", "sure", "yes")
	guest.ask(404, "/join/"+join)

	token := find(t, `(fieldmark_[\w-]{43})`, admin.ask(201, "/account/tokens", "name", "script", "role", "expert"))
	if past, _ := knock(t, a.URL()+"/api/v1/stats", "GET", token); !past {
		t.Error("the token opens nothing")
	}
	if past, _ := knock(t, a.URL()+"/people", "GET", token); past {
		t.Error("an expert's token lists the people")
	}
	admin.ask(303, "/account/tokens/1/revoke", "sure", "yes")
	if past, _ := knock(t, a.URL()+"/api/v1/stats", "GET", token); past {
		t.Error("a revoked token opens")
	}

	again := newBrowser(t, a)
	again.ask(422, "/sign-in", "name", "Ada", "password", "four words go apart")
	again.ask(303, "/sign-in", "name", "ada", "password", "four words go together")
	again.ask(303, "/account/password", "old", "four words go together", "password", "and now five other words")
	again.ask(200, "/account")
	admin.ask(303, "/account") // signed out by the change of the password elsewhere
	secretsAreNotStored(t, data, join, token, "four words go together", strings.TrimPrefix(link, "/setup/"))
}

// secretsAreNotStored looks for what opens a door in the files of the database.
func secretsAreNotStored(t *testing.T, data string, secrets ...string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(data, databaseFile+"*"))
	must(t, err)
	for _, file := range files {
		content, err := os.ReadFile(file)
		must(t, err)
		for _, secret := range secrets {
			if bytes.Contains(content, []byte(secret)) {
				t.Errorf("%s has %q in it", file, secret)
			}
		}
	}
}

// askAs asks for an address under a host's name.
func askAs(t *testing.T, method, address, host string) *http.Response {
	t.Helper()
	r, err := http.NewRequest(method, address, nil)
	must(t, err)
	r.Host = host
	resp, err := http.DefaultClient.Do(r)
	must(t, err)
	must(t, resp.Body.Close())
	return resp
}

func TestForeignNamesAreRefused(t *testing.T) {
	a := startAppWith(t, Config{Data: t.TempDir(), Addr: "0.0.0.0:0", Network: Network{Hosts: names{"birds.example.org"}}})
	for host, status := range map[string]int{"evil.example": 421, "birds.example.org": 200, "192.168.1.5:8080": 200, "localhost": 200} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			resp := askAs(t, method, a.URL()+"/sign-in", host)
			if got := resp.Header.Get("Content-Type"); resp.StatusCode != status || !strings.HasPrefix(got, "text/html") || resp.Header.Get("Content-Security-Policy") == "" {
				t.Errorf("%s as %s: %s of %s, want a page with %d", method, host, resp.Status, got, status)
			}
		}
	}
	if resp := askAs(t, http.MethodGet, a.URL()+"/api/v1/stats", "evil.example"); resp.StatusCode != 421 || resp.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("the API as evil.example: %s of %s", resp.Status, resp.Header.Get("Content-Type"))
	}
}

func TestServesHTTPS(t *testing.T) {
	data := t.TempDir()
	a := startAppWith(t, Config{Data: data, Addr: "0.0.0.0:0", Network: Network{SelfSigned: true, Redirect: "127.0.0.1:0"}})
	var said bytes.Buffer
	a.welcome(&said)
	if !strings.Contains(said.String(), a.tls.fingerprint) || len(a.tls.fingerprint) != 32*3-1 {
		t.Errorf("it says %q", said.String())
	}
	b := newBrowser(t, a)
	b.Transport = trusting(t, a.tls.file)
	b.ask(303, find(t, `(/setup/\S+)`, said.String()), "name", "Ada", "password", "four words go together")
	b.ask(200, "/account")
	resp, err := b.Get(a.URL() + "/sign-in")
	must(t, err)
	resp.Body.Close()
	if got := resp.Header.Get("Strict-Transport-Security"); got != "" {
		t.Errorf("a certificate of our own making comes with %q", got)
	}

	sent, err := noRedirects().Get("http://" + a.redirect.listener.Addr().String() + "/people?x=1")
	must(t, err)
	sent.Body.Close()
	if got := sent.Header.Get("Location"); sent.StatusCode != 301 || !strings.HasPrefix(got, "https://") || !strings.HasSuffix(got, "/people?x=1") {
		t.Errorf("%s to %q", sent.Status, got)
	}

	c := startAppWith(t, Config{Data: t.TempDir(), Addr: "127.0.0.1:0", Network: Network{Cert: a.tls.file, Key: strings.TrimSuffix(a.tls.file, "crt") + "key"}})
	b = newBrowser(t, c)
	b.Transport = trusting(t, a.tls.file)
	resp, err = b.Get(c.URL() + "/healthz")
	must(t, err)
	resp.Body.Close()
	if got := resp.Header.Get("Strict-Transport-Security"); got == "" || resp.ProtoMajor != 2 {
		t.Errorf("Strict-Transport-Security %q over %s", got, resp.Proto)
	}
}

// trusting connects where a certificate is shown, and nowhere else.
func trusting(t *testing.T, file string) *http.Transport {
	t.Helper()
	pem, err := os.ReadFile(file)
	must(t, err)
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		t.Fatalf("%s is no certificate", file)
	}
	return &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}
}

func TestTheCertificateIsKept(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	open := func(at time.Time, more ...string) string {
		t.Helper()
		s, err := openSelfSigned(dir, more, at)
		must(t, err)
		return s.fingerprint
	}
	first := open(now)
	if open(now.Add(700*24*time.Hour)) != first {
		t.Error("another certificate though the first is good")
	}
	named := open(now, "birds.example.org")
	if named == first || open(now, "birds.example.org") != named || open(now) != named {
		t.Error("it should change for a new name, and then stay")
	}
	if open(now.Add(800*24*time.Hour)) == named {
		t.Error("it goes on to its end")
	}
	if info, err := os.Stat(filepath.Join(dir, "self-signed.key")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key: %v, %v", info, err)
	}
}

func TestWaysToServeHTTPS(t *testing.T) {
	for what, n := range map[string]Network{
		"two ways":                  {SelfSigned: true, ACME: names{"birds.example.org"}},
		"half a pair":               {Cert: "x.crt"},
		"files that are not there":  {Cert: "x.crt", Key: "x.key"},
		"a redirect to what is not": {Redirect: ":80"},
	} {
		if _, err := openTLS(Config{Data: t.TempDir(), Network: n}); err == nil {
			t.Errorf("%s is taken", what)
		}
	}
}

func TestTokensAndPeopleOnTheCommandLine(t *testing.T) {
	data := t.TempDir()
	call := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(t.Context(), append(args, "--data", data), &out, &errs); code != 0 {
			t.Fatalf("%v: %d, %s", args, code, errs.String())
		}
		return out.String()
	}
	if token := call("token", "create", "--name", "camera", "--role", "expert"); !regexp.MustCompile(`^fieldmark_[\w-]{43}\n$`).MatchString(token) {
		t.Errorf("printed %q", token)
	}
	if list := call("token", "list"); !strings.Contains(list, "camera") || strings.Contains(list, "fieldmark_") {
		t.Error(list)
	}
	if list := call("people", "list"); !strings.Contains(list, "by token") || !strings.Contains(list, "at this machine") {
		t.Error(list)
	}
	if code := call("invite", "--role", "viewer", "--uses", "30", "--guest"); !regexp.MustCompile(`^[A-Z2-9]{4}-[A-Z2-9]{4}\n$`).MatchString(code) {
		t.Errorf("printed %q", code)
	}
	if link := call("invite", "--url", "http://laptop.local:8080/"); !strings.HasPrefix(link, "http://laptop.local:8080/join/") {
		t.Errorf("printed %q", link)
	}
	if out := call("token", "revoke", "1"); out != "" {
		t.Errorf("printed %q", out)
	}
	if list := call("token", "list"); !strings.Contains(list, "revoked") {
		t.Error(list)
	}
}
