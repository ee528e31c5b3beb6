package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
)

// anyone are those who are not signed in too.
const anyone identify.Role = ""

// door is who gets past it: who has a role that includes least.
type door struct {
	least identify.Role
	form  string // what is sent, where the role is looked at after it was understood
	photo bool   // a photo is sent
	query string // likewise, of the address
}

// doors lists every route of the pages and the API. Numbers in a pattern are 1:
// the observation that the expert taught, the owner of the machine.
func doors() map[string]door {
	v, e, c, a := door{least: identify.Viewer}, door{least: identify.Expert}, door{least: identify.Curator}, door{least: identify.Admin}
	photo := door{least: identify.Expert, photo: true}
	with := func(d door, form string) door { return door{least: d.least, form: form} }
	return map[string]door{
		"GET /static/{digest}/*": {}, "GET /manifest.webmanifest": {}, "GET /sw.js": {}, "GET /offline": {},
		"GET /sign-in": {}, "POST /sign-in": {}, "POST /sign-out": {},
		"GET /join": {}, "GET /join/{code}": {}, "POST /join/{code}": {}, "GET /setup/{code}": {}, "POST /setup/{code}": {},
		"GET /api/openapi.json": {}, "POST /language": {}, "POST /password": {},

		"GET /metrics": a,

		"GET /": v, "GET /about": v, "GET /taxa": v, "GET /label-sets": v,
		"GET /observations": v, "GET /observations/{id}": v, "GET /observations/{id}/photo": v, "GET /observations/uploaded/{hash}": v,
		"GET /compare": c, "POST /compare": {least: identify.Curator, photo: true},
		"POST /observations": photo, "POST /observations/{id}/details": e,
		"POST /observations/{id}/identifications":                with(e, "suggestion=1"),
		"POST /observations/{id}/identifications/{iid}/withdraw": e,
		"POST /label-sets": with(c, "name=x&names=Luna+Moth"), "POST /label-sets/{id}": with(c, "name=x&names=Luna+Moth"), "POST /label-sets/{id}/delete": c,
		"GET /label-sets/{id}": v, "GET /label-sets/{id}.csv": v, "POST /label-sets/{id}/begin": v, "POST /label-sets/begin": v,
		"GET /taxa/{id}": v, "POST /taxa/{id}": with(c, "scientific_name=Actias+luna&rank=species"),
		"GET /taxa/{id}/merge": with(c, "q=Luna+Moth"), "POST /taxa/{id}/merge": with(c, "taxon=2"), "POST /taxa/merged/{id}/undo": c,
		"GET /taxa/import": c, "POST /taxa/import": c, "GET /taxa/import/{file}": c, "POST /taxa/import/{file}": c,
		"GET /imports": c, "POST /imports": c, "GET /jobs/progress": v, "GET /jobs/{id}": v, "POST /jobs/{id}/stop": v, "POST /imports/held/{id}": c, "POST /imports/{id}/withdraw": c,
		"GET /encoders": c, "GET /encoders/progress": v,
		"POST /encoders/use": with(a, "model=none-such"), "POST /encoders/pause": a, "POST /encoders/resume": a, "POST /encoders/cancel": a, "POST /encoders/retry": with(a, "encoder=none-such"),
		"GET /export": c, "POST /export/sensitive": with(c, "taxon=Luna+Moth"), "POST /export/sensitive/{id}/remove": c, "GET /backup": a,
		"GET /bundles": c, "GET /bundles/file": c, "GET /bundles/{id}": c, "GET /bundles/{id}/photos/{photo}": c, "POST /bundles": c, "POST /bundles/{id}": c, "POST /bundles/site": with(c, "name=x"),
		"POST /bundles/signers/forget": with(c, "key=x"), "POST /bundles/{id}/signer": c,
		"GET /review": v, "GET /review/aside": e, "GET /review/changed": {least: identify.Expert, query: "?seq=1"}, "GET /review/groups": v, "GET /review/like": v,
		"POST /review/aside": with(e, "decision=1&observation=1"), "POST /review/decisions": with(e, "id=1&label=Luna+Moth"), "POST /review/undo": with(e, "decision=1"),
		"GET /memory": v, "GET /memory/map": v, "GET /memory/map/drawing.svg": v, "GET /memory/map/points": v, "GET /memory/leaves/{leaf}": v, "GET /memory/learning": v,
		"GET /memory/doubts": c, "POST /memory/doubts/{id}/keep": c, "POST /memory/doubts/{id}/again": c, "POST /memory/doubts/{id}/withdraw": c,
		"POST /memory/doubts/{id}/rename": with(c, "label=Luna+Moth"), "POST /memory/doubts/{id}/teach-again": with(e, "observation=1"),
		"GET /memory/history": c, "GET /memory/history.csv": c,
		"GET /memory/sources": c, "GET /memory/sources/{kind}/{id}": c, "POST /memory/sources/{kind}/{id}/quarantine": c,
		"POST /memory/sources/{kind}/{id}/release": c, "POST /memory/sources/{kind}/{id}/remove": c,

		"GET /account": v, "POST /account/name": with(v, "name="), "POST /account/password": v, "POST /account/sessions/end": v,
		"GET /account/data": v, "POST /account/leave": v,
		"POST /account/tokens": with(v, "name=&role=viewer"), "POST /account/tokens/{id}/revoke": v,
		"GET /workshop": a, "POST /workshop": with(a, "title="), "GET /workshop/mine": v, "GET /workshop/{id}": a, "GET /workshop/{id}/projector": a,
		"GET /workshop/{id}/events": a, "GET /workshop/{id}/qr.svg": a, "GET /workshop/{id}/bundle": a, "GET /workshop/{id}/reset": a,
		"POST /workshop/{id}/reset": a, "POST /workshop/{id}/restore": a, "POST /workshop/{id}/extend": a, "POST /workshop/{id}/end": a,
		"POST /workshop/{id}/guests/{guest}/{what}": a, "POST /workshop/{id}/guests/{guest}/return": a,
		"GET /lesson": v, "GET /lesson/pictures/{n}": v, "POST /lesson/teach": with(e, "picture=1"), "POST /lesson/clear": v, // who taught nothing clears nothing
		"GET /people": a, "POST /people/{id}/role": with(a, "role=viewer"), "POST /people/{id}/disable": a, "POST /people/{id}/enable": a,
		"POST /people/invitations": with(a, "role=viewer"), "POST /people/invitations/{id}/revoke": a, "POST /people/tokens": with(a, "name=&role=viewer"),
		"POST /people/tokens/{id}/revoke": v, // one's own: others' are an admin's

		"POST /api/v1/classify": v, "GET /api/v1/stats": v, "GET /api/v1/taxa": v, "GET /api/v1/taxa/{id}": v, "GET /api/v1/learning": v,
		"GET /api/v1/observations": v, "GET /api/v1/observations/{id}": v, "GET /api/v1/observations/{id}/photo": v, "GET /api/v1/observations/{id}/edits": v,
		"POST /api/v1/observations": photo, "PATCH /api/v1/observations/{id}": with(e, `{"notes":"x"}`),
		"POST /api/v1/observations/{id}/identifications": with(e, `{"label":"Luna Moth"}`), "DELETE /api/v1/observations/{id}/identifications/{iid}": e,
		"GET /api/v1/label-sets": v, "GET /api/v1/label-sets/{id}": v, "POST /api/v1/label-sets": with(c, `{"name":"x"}`), "POST /api/v1/label-sets/file": {least: identify.Curator, query: "?name=x", form: "Parus major"},
		"PUT /api/v1/label-sets/{id}": with(c, `{"name":"x"}`), "DELETE /api/v1/label-sets/{id}": c,
		"GET /api/v1/encoders": c, "GET /api/v1/encoders/{encoder}/lost": c, "POST /api/v1/encoders/{encoder}/use": a, "POST /api/v1/encoders/{encoder}/retry": a,
		"POST /api/v1/encoders/pause": a, "POST /api/v1/encoders/resume": a, "POST /api/v1/encoders/cancel": a,
		"GET /api/v1/export": c, "GET /api/v1/export/preview": c, "POST /api/v1/import": c, "GET /api/v1/imports": c, "DELETE /api/v1/imports/{id}": c,
		"GET /api/v1/backup": a, "POST /api/v1/checklists": c, "GET /api/v1/bundle": c, "POST /api/v1/bundle": c,
		"GET /api/v1/sensitive-taxa": c, "PUT /api/v1/sensitive-taxa/{id}": with(c, `{"digits":1}`), "DELETE /api/v1/sensitive-taxa/{id}": c,
		"GET /api/v1/review": e, "GET /api/v1/review/groups": e, "GET /api/v1/review/like/{id}": e, "GET /api/v1/review/changed/{seq}": e, "GET /api/v1/review/aside": e,
		"POST /api/v1/review/decisions": with(e, `{"kind":"skipped","observation_ids":[1]}`), "DELETE /api/v1/review/decisions/{id}": e,
		"GET /api/v1/memory/exemplars": v, "GET /api/v1/memory/leaves": v, "GET /api/v1/memory/map": v, "GET /api/v1/history": c,
		"GET /api/v1/memory/doubts": c, "PUT /api/v1/memory/doubts/{iid}/kept": c, "DELETE /api/v1/memory/doubts/{iid}/kept": c,
		"DELETE /api/v1/memory/doubts/{iid}": c, "PUT /api/v1/memory/doubts/{iid}/name": with(c, `{"label":"Luna Moth"}`),
		"GET /api/v1/workshops": a, "GET /api/v1/workshops/{id}": a, "POST /api/v1/workshops": with(a, `{"title":"x","role":"viewer","hours":1}`),
		"POST /api/v1/workshops/{id}/extend": with(a, `{"hours":1}`), "POST /api/v1/workshops/{id}/end": a, "POST /api/v1/workshops/{id}/reset": a, "POST /api/v1/workshops/{id}/restore": a,
		"GET /api/v1/people": a, "PATCH /api/v1/people/{id}": with(a, `{"role":"admin"}`),
		"GET /api/v1/invitations": a, "POST /api/v1/invitations": with(a, `{"role":"viewer","expires_at":"2000-01-01T00:00:00Z"}`), "DELETE /api/v1/invitations/{id}": a,
		"GET /api/v1/tokens": v, "POST /api/v1/tokens": with(v, `{"name":"","role":"viewer"}`), "DELETE /api/v1/tokens/{id}": v, // one's own: others' are an admin's
		"GET /api/v1/sources": c, "GET /api/v1/sources/{kind}/{id}/preview": c, "PUT /api/v1/sources/{kind}/{id}/quarantine": with(c, `{"reason":"x"}`),
		"DELETE /api/v1/sources/{kind}/{id}/quarantine": {least: identify.Curator, query: "?outcome=released"},
		"GET /api/v1/synonymies":                        v, "GET /api/v1/synonymies/preview": {least: identify.Curator, query: "?taxon_id=1&accepted_taxon_id=2"},
		"POST /api/v1/synonymies": with(c, `{"taxon_id":1,"accepted_taxon_id":2}`), "DELETE /api/v1/synonymies/{id}": c,
	}
}

// routes lists what a handler serves, as "METHOD pattern".
func routes(t *testing.T, handlers []http.Handler) (list []string) {
	t.Helper()
	for _, h := range handlers {
		err := chi.Walk(h.(chi.Routes), func(method, pattern string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
			list = append(list, method+" "+pattern)
			return nil
		})
		must(t, err)
	}
	return list
}

var inPattern = regexp.MustCompile(`\{[^}]*\}|\*`)

// pathOf fills a pattern in. No token has the number 999, so that none of those
// that the test needs is revoked.
func pathOf(pattern string) string {
	pattern = strings.Replace(pattern, "/tokens/{id}", "/tokens/999", 1)
	return inPattern.ReplaceAllStringFunc(pattern, func(name string) string {
		switch name {
		case "{kind}":
			return "people"
		case "{hash}":
			return strings.Repeat("0", 64)
		}
		return "1"
	})
}

// Every route, for every role: a new route that nobody has said who may use
// fails this test, as does one that lets the wrong people in.
func TestWhoGetsPastEachDoor(t *testing.T) {
	a := startAppWith(t, Config{Data: t.TempDir(), Addr: "0.0.0.0:0"})
	owner, err := a.people.Owner(t.Context())
	must(t, err)
	tokens := map[identify.Role]string{}
	for _, role := range identify.Roles() {
		tokens[role], err = a.people.AddProgram(t.Context(), owner, identify.Token{Name: "the " + string(role), Role: role})
		must(t, err)
	}
	teachAs(t, a, tokens[identify.Expert])
	known, listed := routes(t, a.parts), doors()
	for _, route := range known {
		d, is := listed[route]
		if !is {
			t.Errorf("%s: say in doors who may use it", route)
			continue
		}
		for _, role := range append([]identify.Role{anyone}, identify.Roles()...) {
			method, pattern, _ := strings.Cut(route, " ")
			got, said := knockWith(t, a.URL()+pathOf(pattern)+d.query, method, d, tokens[role])
			if may := role == anyone && d.least == anyone || role.Allows(d.least) || d.least == anyone; got != may {
				t.Errorf("%s as %q: gets past: %v, want %v (%s)", route, role, got, may, said)
			}
		}
	}
	for route := range listed {
		if !slices.Contains(known, route) {
			t.Errorf("%s is listed and not served", route)
		}
	}
}

// knock reports whether a request gets past the question of who sends it.
func knock(t *testing.T, address, method, token string) (past bool, said string) {
	t.Helper()
	return knockWith(t, address, method, door{}, token)
}

func knockWith(t *testing.T, address, method string, d door, token string) (past bool, said string) {
	t.Helper()
	contentType, body := "application/x-www-form-urlencoded", bytes.NewBufferString(d.form)
	if strings.HasPrefix(d.form, "{") {
		contentType = "application/json"
	}
	if d.photo {
		contentType, body = form(t, nil, drawn(2))
	}
	r, err := http.NewRequestWithContext(t.Context(), method, address, body)
	must(t, err)
	r.Header.Set("Content-Type", contentType)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := noRedirects().Do(r)
	must(t, err)
	defer resp.Body.Close()
	beginning := make([]byte, 300)
	n, err := io.ReadFull(resp.Body, beginning)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	said = resp.Status
	if strings.Contains(resp.Header.Get("Content-Type"), "json") {
		said += " " + string(beginning[:n])
	}
	to := resp.Header.Get("Location")
	if strings.HasPrefix(to, "/sign-in?next=") || resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		return false, said
	}
	return true, said
}

// noRedirects is a client that shows where it is sent on to, and does not go.
func noRedirects() *http.Client {
	return &http.Client{Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// teachAs stores a photo as observation 1, with identification 1.
func teachAs(t *testing.T, a *App, token string) {
	t.Helper()
	contentType, body := form(t, nil, drawn(1))
	for _, step := range []struct{ path, contentType, body string }{
		{"/api/v1/observations", contentType, body.String()},
		{"/api/v1/observations/1/identifications", "application/json", `{"label":"Luna Moth"}`},
	} {
		r, err := http.NewRequest(http.MethodPost, a.URL()+step.path, strings.NewReader(step.body))
		must(t, err)
		r.Header.Set("Content-Type", step.contentType)
		r.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(r)
		must(t, err)
		resp.Body.Close()
		if resp.StatusCode != http.StatusCreated {
			t.Fatalf("%s: %s", step.path, resp.Status)
		}
	}
}
