package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// exactly is a piece of where the sensitive taxon of TestNoRouteTellsWhereASensitiveTaxonIs
// was seen, as it would be written anywhere.
var exactly = regexp.MustCompile(`48[.,]137|11[.,]575`)

// Every route that reads, as everybody: a page or an answer that comes to show where
// things were seen fails this test, unless it asks the domain who may know it.
func TestNoRouteTellsWhereASensitiveTaxonIs(t *testing.T) {
	a := startAppWith(t, Config{Data: t.TempDir(), Addr: "0.0.0.0:0"})
	owner, err := a.people.Owner(t.Context())
	must(t, err)
	as := map[string]string{}
	for _, x := range []struct {
		name string
		role identify.Role
	}{{"observer", identify.Expert}, {"viewer", identify.Viewer}, {"expert", identify.Expert}, {"curator", identify.Curator}, {"admin", identify.Admin}} {
		as[x.name], err = a.people.AddProgram(t.Context(), owner, identify.Token{Name: x.name, Role: x.role})
		must(t, err)
	}
	sensitiveMoth(t, a, as)

	paths := []string{"/review?order=place&whose=all", "/review/groups?whose=all", "/review/like?at=2", "/review?at=2", "/observations/2", "/api/v1/observations/2",
		"/api/v1/observations/2/edits", "/api/v1/observations?status=unidentified", "/observations?q=moth"}
	for route := range doors() {
		if method, pattern, _ := strings.Cut(route, " "); method == http.MethodGet {
			paths = append(paths, pathOf(pattern))
		}
	}
	for _, who := range []string{"viewer", "expert", "curator", "observer"} {
		may, told := who == "curator" || who == "observer", 0
		for _, path := range paths {
			body := look(t, a.URL()+path, as[who])
			tells := exactly.FindString(body)
			if tells != "" {
				told++
			}
			if tells != "" && !may {
				t.Errorf("%s tells a %s where it is: %s", path, who, around(body, tells))
			}
		}
		if may && told < 4 {
			t.Errorf("%d of %d addresses tell a %s where it is, which tests little", told, len(paths), who)
		}
	}
	for _, path := range []string{"/observations/1", "/api/v1/observations/1"} {
		if body := look(t, a.URL()+path, as["viewer"]); !strings.Contains(body, "48.15") {
			t.Errorf("%s does not say in which square it is", path)
		}
	}
	found := func(who, query string) string {
		return look(t, a.URL()+"/api/v1/observations?"+query, as[who])
	}
	for _, query := range []string{"bbox=11.575,48.137,11.576,48.138", "near=48.13743,11.57549&within_km=0.1"} {
		if body := found("viewer", query); strings.Contains(body, `"id"`) {
			t.Errorf("a viewer finds by %s what is not shown there", query)
		}
		if body := found("curator", query); !strings.Contains(body, `"id"`) {
			t.Errorf("a curator finds nothing by %s", query)
		}
	}
}

// sensitiveMoth stores two observations of a sensitive taxon: 1, whose name stands,
// and 2, which waits for another.
func sensitiveMoth(t *testing.T, a *App, as map[string]string) {
	t.Helper()
	for i := range 2 {
		contentType, body := form(t, map[string]string{"latitude": "48.13743", "longitude": "11.57549"}, drawn(uint64(i+1)))
		send(t, a, as["observer"], http.MethodPost, "/api/v1/observations", contentType, body.String())
		send(t, a, as["observer"], http.MethodPost, fmt.Sprintf("/api/v1/observations/%d/identifications", i+1), "application/json", `{"label":"Luna Moth"}`)
	}
	send(t, a, as["observer"], http.MethodDelete, "/api/v1/observations/2/identifications/2", "", "")
	send(t, a, as["observer"], http.MethodPatch, "/api/v1/observations/2", "application/json", `{"latitude":48.137432}`)
	var o struct {
		Current struct {
			TaxonID int64 `json:"taxon_id"`
		}
	}
	must(t, json.Unmarshal([]byte(look(t, a.URL()+"/api/v1/observations/1", as["observer"])), &o))
	send(t, a, as["admin"], http.MethodPut, fmt.Sprintf("/api/v1/sensitive-taxa/%d", o.Current.TaxonID), "application/json", `{}`)
}

func send(t *testing.T, a *App, token, method, path, contentType, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, a.URL()+path, strings.NewReader(body))
	must(t, err)
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(r)
	must(t, err)
	defer resp.Body.Close()
	if said, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode >= 300 {
		t.Fatalf("%s %s: %s %s %v", method, path, resp.Status, said, err)
	}
}

// look is what an address answers; of one that goes on telling, what it tells at
// once.
func look(t *testing.T, address, token string) string {
	t.Helper()
	patience := time.Minute
	if strings.HasSuffix(address, "/events") {
		patience = time.Second
	}
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	must(t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := noRedirects().Do(r)
	must(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil && patience == time.Minute {
		t.Errorf("%s: %v", address, err)
	}
	return string(body)
}

// around is a piece of a text with what is around it.
func around(text, piece string) string {
	i := strings.Index(text, piece)
	return text[max(0, i-80):min(len(text), i+80)]
}
