package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/bundle"
	"fieldmark/internal/identify"
)

// visitor is someone with a browser of their own.
type visitor struct {
	*http.Client
	base string
}

func newVisitor(t *testing.T, a *App) visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	must(t, err)
	return visitor{&http.Client{Jar: jar, Timeout: time.Minute}, a.URL()}
}

// page opens a page, or sends a form to it where one is given, and returns what it says.
func (b visitor) page(t *testing.T, path string, form url.Values) (where, text string) {
	t.Helper()
	var resp *http.Response
	var err error
	if form == nil {
		resp, err = b.Get(b.base + path)
	} else {
		resp, err = b.PostForm(b.base+path, form)
	}
	must(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	must(t, err)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", path, resp.Status)
	}
	return resp.Request.URL.Path, string(body)
}

// send uploads a photo as a person does.
func (b visitor) send(t *testing.T, photo []byte) {
	t.Helper()
	contentType, body := form(t, nil, photo)
	resp, err := b.Post(b.base+"/observations", contentType, body)
	must(t, err)
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("sending a photo: %s", resp.Status)
	}
}

// event is one of a stream.
type event struct {
	id         int64 // 0: it leaves the one before it the last
	name, data string
}

// events collects a stream's events until it ends: those after the one that was heard
// last, 0 if none was.
func (b visitor) events(t *testing.T, path string, last int64, into chan<- event) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.base+path, nil)
	must(t, err)
	if last != 0 {
		r.Header.Set("Last-Event-ID", fmt.Sprint(last))
	}
	endless := http.Client{Jar: b.Jar}
	resp, err := endless.Do(r)
	must(t, err)
	if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("the stream is %q", got)
	}
	go func() {
		defer close(into)
		defer resp.Body.Close()
		var e event
		for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
			switch field, value, _ := strings.Cut(lines.Text(), ": "); {
			case lines.Text() == "" && e.name != "": // the end of an event
				into <- e
				e = event{}
			case field == "id":
				e.id, _ = strconv.ParseInt(value, 10, 64)
			case field == "event":
				e.name = value
			case field == "data":
				e.data += value
			}
		}
	}()
	return cancel
}

// hear waits for an event of that name.
func hear(t *testing.T, events <-chan event, name string) event {
	t.Helper()
	late := time.After(time.Minute)
	for {
		select {
		case got, there := <-events:
			if !there {
				t.Fatalf("the stream ended before %q", name)
			}
			if got.name == name {
				return got
			}
		case <-late:
			t.Fatalf("no %q within a minute", name)
		}
	}
}

var (
	codeShown = regexp.MustCompile(`workshop-code"[^>]*>([A-Z0-9-]+)<`)
	elsewhere = regexp.MustCompile(`(?:src|href|action)="(?:https?:)?//[^"]*"`)
)

// A workshop from its start to its end: guests join, send photos and teach, the wall
// hears it, the bundle has the lessons, the reset takes them back and the end shuts the
// guests out.
func TestAWorkshopFromItsStartToItsEnd(t *testing.T) {
	a := startAppWith(t, Config{Data: t.TempDir(), Addr: "0.0.0.0:0"})
	host := newVisitor(t, a)
	host.page(t, "/setup/"+a.setUp, url.Values{"name": {"Hana"}, "password": {"four words go together"}})
	where, text := host.page(t, "/workshop", url.Values{"title": {"Beetles"}, "role": {"expert"}, "hours": {"2"}})
	if where != "/workshop/1" || !codeShown.MatchString(text) {
		t.Fatalf("%s shows no code", where)
	}
	code := codeShown.FindStringSubmatch(text)[1]
	events := make(chan event, 100)
	stop := host.events(t, "/workshop/1/events", 0, events)
	defer stop()
	ana, ben := newVisitor(t, a), newVisitor(t, a)
	for name, b := range map[string]visitor{"Ana": ana, "Ben": ben} {
		if where, text := b.page(t, "/join/"+code, url.Values{"name": {name}}); where != "/workshop/mine" || !strings.Contains(text, name) {
			t.Fatalf("%s came to %s", name, where)
		}
	}
	hear(t, events, "joined")
	ana.send(t, drawn(1))
	hear(t, events, "tile")
	ben.send(t, drawn(2))
	ana.page(t, "/observations/1/identifications", url.Values{"suggestion": {"2"}})
	hear(t, events, "line")
	hear(t, events, "figures")
	ben.page(t, "/observations/2/identifications", url.Values{"suggestion": {"1"}})
	hear(t, events, "line")
	for _, path := range []string{"/workshop", "/workshop/1", "/workshop/1/projector", "/workshop/1/reset", "/lesson", "/"} {
		if _, text := host.page(t, path, nil); elsewhere.MatchString(strings.ReplaceAll(text, host.base, "")) {
			t.Errorf("%s refers to another host: %s", path, elsewhere.FindString(text))
		}
	}
	_, file := host.page(t, "/workshop/1/bundle", nil)
	if lessons := lessonsIn(t, file); lessons != 2 {
		t.Errorf("the bundle has %d lessons, want 2", lessons)
	}
	if _, text := host.page(t, "/workshop/1/reset", nil); !strings.Contains(text, "2 lessons") {
		t.Error("the question does not say how many lessons it is about")
	}
	exemplars := func() int {
		s, err := a.service.Stats(t.Context())
		must(t, err)
		return s.Exemplars
	}
	if _, text := host.page(t, "/workshop/1/reset", url.Values{}); exemplars() != 0 || !strings.Contains(text, "2 lessons have left the memory") {
		t.Errorf("%d exemplars stand after the reset", exemplars())
	}
	if host.page(t, "/workshop/1/restore", url.Values{}); exemplars() != 2 {
		t.Errorf("%d exemplars came back of 2", exemplars())
	}
	host.page(t, "/workshop/1/end", url.Values{})
	if where, _ := ana.page(t, "/", nil); where != "/sign-in" {
		t.Errorf("a guest is still at %s", where)
	}
	if resp, err := ana.Get(ana.base + "/join/" + code); err != nil || resp.StatusCode != http.StatusNotFound {
		t.Errorf("the code is still good: %v, %v", resp.Status, err)
	}
}

// lessonsIn counts the lessons of a bundle.
func lessonsIn(t *testing.T, file string) (n int) {
	t.Helper()
	b, err := bundle.Open(strings.NewReader(file), int64(len(file)))
	must(t, err)
	must(t, b.Each(func(bundle.Row) error { n++; return nil }))
	return n
}

// The first lesson, with the built-in encoder: each second picture is named right after
// one lesson, the first is not forgotten, and once cleared nothing is left of it.
func TestTheFirstLessonTeaches(t *testing.T) {
	a := startApp(t, t.TempDir())
	b := newVisitor(t, a)
	says := func(path string) (right int, text string) {
		_, text = b.page(t, path, nil)
		return strings.Count(text, "lesson-right"), text
	}
	right, before := says("/lesson")
	if right != 0 {
		t.Error("it knew the first beetle before it was taught")
	}
	b.page(t, "/lesson/teach", url.Values{"picture": {"1"}})
	if right, text := says("/lesson?step=2"); right != 2 || !strings.Contains(text, "it knows") {
		t.Errorf("after one lesson %d of 2 pictures are named right", right)
	}
	b.page(t, "/lesson/teach", url.Values{"picture": {"3"}})
	if right, _ := says("/lesson?step=4"); right != 2 {
		t.Errorf("of the second beetle's pictures %d of 2 are named right", right)
	}
	if right, _ := says("/lesson?step=5"); right != 2 {
		t.Errorf("of the first beetle's pictures %d of 2 are named right after another lesson", right)
	}
	owner, err := a.people.Owner(t.Context())
	must(t, err)
	b.page(t, "/lesson/clear", url.Values{})
	if right, after := says("/lesson"); right != 0 || after != before {
		t.Errorf("the cleared lesson left something behind: %d right", right)
	}
	if s, err := a.service.Stats(t.Context()); err != nil || s.Exemplars != 0 {
		t.Errorf("%d exemplars of %v are left, %v", s.Exemplars, owner.Name, err)
	}
}

// A server that stops does not wait for those who listen.
func TestListenersDoNotHoldUpTheEnd(t *testing.T) {
	a := startApp(t, t.TempDir())
	owner, err := a.people.Owner(t.Context())
	must(t, err)
	_, err = identify.NewWorkshops(a.service, a.people, a.store).Start(t.Context(), owner, identify.WorkshopPlan{Title: "Moths", Role: identify.Viewer, Lasts: time.Hour})
	must(t, err)
	b, events := newVisitor(t, a), make(chan event, 10)
	stop := b.events(t, "/workshop/1/events", 0, events)
	defer stop()
	hear(t, events, "figures")
	if _, text := b.page(t, "/workshop", nil); !strings.Contains(text, "--addr") {
		t.Error("the page does not say how phones get in")
	}
	a.service.Feed().Close()
	for range events { // ends with the feed
	}
}
