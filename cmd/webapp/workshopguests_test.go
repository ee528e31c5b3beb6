package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"sync"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// hosted starts a workshop, number 1, whose guests have a role.
func hosted(t *testing.T, a *App, role identify.Role) (host *browser, code string) {
	t.Helper()
	host = newBrowser(t, a)
	host.ask(303, "/setup/"+a.setUp, "name", "Hana", "password", "four words go together")
	host.ask(303, "/workshop", "title", "Beetles", "role", string(role), "hours", "2")
	return host, find(t, codeShown.String(), host.ask(200, "/workshop/1"))
}

// send uploads a photo as a page's form does; the answer must have a status.
func (b *browser) send(status int, photo []byte) {
	b.Helper()
	contentType, body := form(b.T, nil, photo)
	resp, err := b.Post(b.at+"/observations", contentType, body)
	must(b, err)
	resp.Body.Close()
	if resp.StatusCode != status {
		b.Fatalf("sending a photo: %s, want %d", resp.Status, status)
	}
}

// What a guest may do is what the host says, from the next request on, with the session
// that the guest has: only look, or send and teach. The workshop itself is the host's.
func TestAGuestMayDoWhatTheHostSays(t *testing.T) {
	a := startAppWith(t, Config{Data: t.TempDir(), Addr: "0.0.0.0:0"})
	host, code := hosted(t, a, identify.Viewer)
	host.send(303, drawn(1))
	gus := newBrowser(t, a)
	gus.ask(303, "/join/"+code, "name", "Gus")
	guest := "/workshop/1/guests/" + find(t, `/workshop/1/guests/(\d+)/role`, host.ask(200, "/workshop/1"))

	looksOnly := func(when string) {
		t.Helper()
		if strings.Contains(gus.ask(200, "/workshop/mine"), "Take a photo") {
			t.Errorf("%s: who may only look is asked for photos", when)
		}
		gus.ask(200, "/observations/1")
		gus.send(403, drawn(2))
		gus.ask(403, "/observations/1/identifications", "suggestion", "3")
		gus.ask(403, "/review/decisions", "observation", "1", "suggestion", "3")
	}
	looksOnly("as a viewer")
	host.ask(303, guest+"/role", "role", "expert")
	if !strings.Contains(gus.ask(200, "/workshop/mine"), "Take a photo") {
		t.Error("who may teach now is not asked for photos")
	}
	gus.send(303, drawn(2))
	gus.ask(303, "/observations/2/identifications", "suggestion", "2")
	host.ask(303, guest+"/role", "role", "viewer")
	looksOnly("as a viewer again")

	host.ask(422, guest+"/role", "role", "curator")
	for _, path := range []string{"/workshop", "/workshop/1", "/workshop/1/projector", "/workshop/1/events", "/workshop/1/qr.svg", "/workshop/1/reset", "/workshop/1/bundle", "/memory/sources"} {
		gus.ask(403, path)
	}
	for _, path := range []string{guest + "/role", guest + "/disable", "/workshop/1/end", "/workshop/1/extend", "/workshop/1/reset", "/workshop/1/restore", "/workshop"} {
		gus.ask(403, path, "role", "expert", "hours", "9", "title", "Mine")
	}
	s, err := a.service.Stats(t.Context())
	must(t, err)
	if s.Exemplars != 1 || s.Observations != 2 {
		t.Errorf("%d lessons and %d photos, want the one and the two that were allowed", s.Exemplars, s.Observations)
	}
}

// Two guests of one name could not be told apart. Who comes second is asked for another
// name in a form that keeps what was typed, however it was written, and may try again.
func TestGuestsDoNotShareAName(t *testing.T) {
	a := startAppWith(t, Config{Data: t.TempDir(), Addr: "0.0.0.0:0"})
	host, code := hosted(t, a, identify.Expert)
	newBrowser(t, a).ask(303, "/join/"+code, "name", "Ana")
	second := newBrowser(t, a)
	for _, name := range []string{"Ana", "ana", " ANA ", "hana", "Owner"} {
		text := second.ask(409, "/join/"+code, "name", name)
		if !strings.Contains(text, "There is already a user named") || !strings.Contains(text, `value="`+name+`"`) {
			t.Errorf("%q is refused by %s", name, text)
		}
		second.ask(303, "/workshop/mine") // nobody was let in
	}
	second.ask(422, "/join/"+code, "name", "  ")
	second.ask(303, "/join/"+code, "name", "Ana B.")
	if !strings.Contains(second.ask(200, "/workshop/mine"), "Ana B.") {
		t.Error("the second guest is not told who they are")
	}
	if text := host.ask(200, "/workshop/1"); strings.Count(text, "/role\"") != 2 {
		t.Error("there are not two guests")
	}
}

// A code that is wrong, one whose time is over and one that was ended say the same, ask
// for another, and let nobody in; a workshop that is extended lets its guests go on.
func TestACodeThatOpensNothing(t *testing.T) {
	a := startAppWith(t, Config{Data: t.TempDir(), Addr: "0.0.0.0:0"})
	host, code := hosted(t, a, identify.Expert)
	ana, late := newBrowser(t, a), newBrowser(t, a)
	ana.ask(303, "/join/"+code, "name", "Ana")
	opensNothing := func(code, why string) {
		t.Helper()
		for _, text := range []string{late.ask(404, "/join/"+code), late.ask(404, "/join/"+code, "name", "Ben")} {
			if !strings.Contains(text, "This invitation is not good, or no longer.") || !strings.Contains(text, `name="code"`) {
				t.Errorf("%s: it says %s", why, text)
			}
		}
		late.ask(303, "/workshop/mine")
	}
	opensNothing("ABCD-EFGH", "a wrong code")
	ana.ask(200, "/workshop/mine")

	x, err := a.store.Workshop(t.Context(), 1)
	must(t, err)
	must(t, a.store.ExtendWorkshop(t.Context(), x.ID, time.Now().Add(-time.Second), x.Host, time.Now()))
	opensNothing(code, "a code whose time is over")
	ana.ask(303, "/workshop/mine")
	host.ask(303, "/workshop/1/extend", "hours", "1")
	late.ask(200, "/join/"+code)
	ana.ask(200, "/workshop/mine")

	host.ask(303, "/workshop/1/end", "sure", "yes")
	opensNothing(code, "a code that was ended")
	ana.ask(303, "/workshop/mine")
	host.ask(409, "/workshop/1/extend", "hours", "1")
}

// Thirty guests send photos and teach at once. However busy that is, each lesson that was
// acknowledged is one, and counted once: in the workshop, in the memory, on the wall and
// in what is exported.
func TestThirtyGuestsTeachAtOnce(t *testing.T) {
	const guests, each = 30, 2
	data := t.TempDir()
	a, stop := startAppUntil(t, Config{Data: data, Addr: "0.0.0.0:0"})
	host, code := hosted(t, a, identify.Expert)
	var all sync.WaitGroup
	var mu sync.Mutex
	var acknowledged []lesson
	for g := range guests {
		all.Go(func() {
			phone, err := joins(a, code, fmt.Sprintf("Guest %d", g+1))
			if err != nil {
				t.Error(err)
				return
			}
			for i := range each {
				l, err := phone.teach(drawn(uint64(g*each+i)), fmt.Sprintf("Beetle %c", 'A'+(g+i)%5))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				acknowledged = append(acknowledged, l)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if len(acknowledged) != guests*each {
		t.Fatalf("%d lessons were acknowledged, want %d", len(acknowledged), guests*each)
	}
	for _, of := range []func(lesson) int64{func(l lesson) int64 { return l.Observation }, func(l lesson) int64 { return l.Identification }} {
		ids := map[int64]bool{}
		for _, l := range acknowledged {
			ids[of(l)] = true
		}
		if len(ids) != guests*each {
			t.Errorf("%d lessons have %d numbers", guests*each, len(ids))
		}
	}
	s, err := a.service.Stats(t.Context())
	must(t, err)
	w, err := a.store.Workshop(t.Context(), 1)
	must(t, err)
	if s.Exemplars != guests*each || w.Lessons != guests*each || w.Photos != guests*each || w.Guests != guests {
		t.Errorf("the memory has %d lessons; the workshop %+v", s.Exemplars, w)
	}
	if text := host.ask(200, "/workshop/1/reset"); !strings.Contains(text, fmt.Sprintf("%d lessons", guests*each)) || !strings.Contains(text, fmt.Sprintf("%d guests", guests)) {
		t.Error("the reset is about another number of lessons or guests")
	}
	if n := lessonsIn(t, host.ask(200, "/workshop/1/bundle")); n != guests*each {
		t.Errorf("the bundle has %d lessons", n)
	}
	if text := host.ask(200, "/workshop/1/projector"); !strings.Contains(text, fmt.Sprintf("<dt>lessons</dt><dd>%d</dd>", guests*each)) {
		t.Error("the wall counts otherwise")
	}
	must(t, stop())
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"verify", "--data", data}, &out, &errs); code != 0 {
		t.Errorf("verify: %d\n%s%s", code, out.String(), errs.String())
	}
}

// joins is a phone that a guest joined with.
func joins(a *App, code, name string) (*process, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	phone := &process{url: a.URL(), client: http.Client{Jar: jar, Timeout: 2 * time.Minute}}
	resp, err := phone.client.PostForm(phone.url+"/join/"+code, map[string][]string{"name": {name}})
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.Request.URL.Path != "/workshop/mine" || resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s came to %s: %s", name, resp.Request.URL.Path, resp.Status)
	}
	return phone, nil
}
