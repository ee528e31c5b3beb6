package main

import (
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

// What strangers on the network meet: TLS of today or none, no list of files and nothing
// of the data folder, no secret taken from an address, no method that is not meant, and
// from the API nothing that a cache would keep. (ASVS 4.3.2, 8.2.1, 9.1.2, 13.1.3, 14.3.3,
// 14.5.1)
func TestWhatStrangersMeet(t *testing.T) {
	t.Parallel()
	a := startAppWith(t, Config{Data: t.TempDir(), Addr: "0.0.0.0:0", Network: Network{SelfSigned: true}})
	trust := trusting(t, a.tls.file)
	client := &http.Client{Transport: trust, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	owner, err := a.people.Owner(t.Context())
	must(t, err)
	secret, err := a.people.AddProgram(t.Context(), owner, identify.Token{Name: "a script", Role: identify.Curator})
	must(t, err)
	ask := func(method, path, token string) (status int, h http.Header, body string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, a.URL()+path, nil)
		must(t, err)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := client.Do(r)
		must(t, err)
		defer resp.Body.Close()
		b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
		must(t, err)
		if resp.Header.Get("Server") != "" || resp.Header.Get("X-Powered-By") != "" {
			t.Errorf("%s %s tells what serves: %v", method, path, resp.Header)
		}
		return resp.StatusCode, resp.Header, string(b)
	}

	old := trust.TLSClientConfig.Clone()
	old.MaxVersion = tls.VersionTLS11
	old.MinVersion = tls.VersionTLS10
	if conn, err := tls.Dial("tcp", strings.TrimPrefix(a.URL(), "https://"), old); err == nil {
		t.Errorf("it speaks TLS version %#x", conn.ConnectionState().Version)
		conn.Close()
	}
	for _, path := range []string{"/static", "/static/", "/static/js/", "/photos/", "/thumbnails/", "/snapshots/", "/models/", "/fieldmark.db", "/.git/config", "/debug/pprof/", "/../fieldmark.db"} {
		for _, token := range []string{"", secret} {
			if status, _, _ := ask("GET", path, token); status/100 == 2 {
				t.Errorf("GET %s with %q: status %d", path, token, status)
			}
		}
	}
	for _, query := range []string{"token=", "access_token=", "api_key=", "Authorization=Bearer%20"} {
		if status, _, _ := ask("GET", "/api/v1/stats?"+query+secret, ""); status != http.StatusUnauthorized {
			t.Errorf("a secret in the address (%s): status %d", query, status)
		}
	}
	for _, method := range []string{"TRACE", "PROPFIND", "DEBUG"} {
		for _, path := range []string{"/", "/api/v1/stats", "/observations"} {
			if status, _, body := ask(method, path, secret); status/100 == 2 || strings.Contains(body, secret) {
				t.Errorf("%s %s: status %d", method, path, status)
			}
		}
	}
	_, _, text := ask("GET", "/api/openapi.json", "")
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	must(t, json.Unmarshal([]byte(text), &document))
	answered := 0
	for path, methods := range document.Paths {
		if methods["get"] == nil || strings.Contains(path, "{") || !strings.HasPrefix(path, "/api/v1/") {
			continue
		}
		status, h, _ := ask("GET", path, secret)
		if status/100 == 2 {
			answered++
			if got := h.Get("Cache-Control"); !strings.Contains(got, "no-store") {
				t.Errorf("GET %s may be kept: Cache-Control %q", path, got)
			}
		}
	}
	if answered < 3 {
		t.Errorf("only %d addresses of the API answered", answered)
	}
}
