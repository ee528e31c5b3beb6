package web

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

// What makes the pages installable is there for whoever is not signed in, too.
func TestManifest(t *testing.T) {
	b := newBench(t, identify.User{})
	p := b.get("/manifest.webmanifest", 200)
	var m manifest
	if err := json.Unmarshal([]byte(p.body), &m); err != nil || p.Header.Get("Content-Type") != "application/manifest+json" {
		t.Fatalf("%v, %v", err, p.Header)
	}
	purposes := map[string]int{}
	for _, icon := range m.Icons {
		f := b.get(icon.Src, 200)
		if f.Header.Get("Content-Type") != icon.Type {
			t.Errorf("%s is %s", icon.Src, f.Header.Get("Content-Type"))
		}
		purposes[icon.Purpose]++
	}
	if purposes["maskable"] < 2 || purposes[""] < 2 || m.StartURL != "/" || m.Scope != "/" || m.Display != "standalone" {
		t.Errorf("%+v", m)
	}
}

var addresses = regexp.MustCompile(`"(/[^"]*)"`)

// The worker names files that are all there, and nothing that is anybody's.
func TestServiceWorker(t *testing.T) {
	b := newBench(t, identify.User{})
	p := b.get("/sw.js", 200)
	if got := p.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/javascript") || p.Header.Get("Service-Worker-Allowed") != "/" || p.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("headers %v", p.Header)
	}
	found := addresses.FindAllStringSubmatch(p.body, -1)
	if len(found) < 20 {
		t.Fatalf("it names %d files: %s", len(found), p.body)
	}
	for _, m := range found {
		if !strings.HasPrefix(m[1], "/static/") && m[1] != "/offline" {
			t.Errorf("it keeps %s", m[1])
		}
		b.get(m[1], 200)
	}
}

func TestOfflinePageIsNobodys(t *testing.T) {
	p := newBench(t, owner).get("/offline", 200)
	if strings.Contains(p.body, owner.Name) {
		t.Error("it names who asked for it")
	}
	if place := p.find(".upload"); len(place) != 1 || attr(place[0], "data-observer") != "" {
		t.Error("it has no place for photos, or says whose it is")
	}
}

func TestSignOutClearsWhatTheBrowserKeeps(t *testing.T) {
	b := newBench(t, owner)
	if got := b.do(form("/sign-out"), http.StatusSeeOther).Header.Get("Clear-Site-Data"); got != `"cache"` {
		t.Errorf("Clear-Site-Data is %q", got)
	}
}
