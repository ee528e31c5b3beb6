package main

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// wall is a stream of workshop 1 after the event that was heard last, 0 if none was.
func wall(t *testing.T, host *browser, last int64) (events chan event, stop func()) {
	t.Helper()
	events = make(chan event, 1000)
	stop = visitor{&host.Client, host.at}.events(t, "/workshop/1/events", last, events)
	t.Cleanup(stop)
	return events, stop
}

// heard is everything that a stream tells up to an event of a name, that included; ""
// means up to its end.
func heard(t *testing.T, events <-chan event, name string) (list []event) {
	t.Helper()
	for late := time.After(time.Minute); ; {
		select {
		case e, there := <-events:
			switch {
			case !there && name == "":
				return list
			case !there:
				t.Fatalf("the stream ended before %q, after %s", name, order(list))
			}
			if list = append(list, e); e.name == name {
				return list
			}
		case <-late:
			t.Fatalf("a minute later it has not come to %q, but told %s", name, order(list))
		}
	}
}

// order is what a stream told, by name and number, without the figures: those are
// counted anew when they have changed, and have no place in the order of what happens.
func order(list []event) string {
	var said []string
	for _, e := range list {
		if e.name != "figures" {
			said = append(said, fmt.Sprint(e.name, " ", e.id))
		}
	}
	return strings.Join(said, ", ")
}

// What a guest does comes to the wall: that they joined, their photo, their correction
// with what the answer was before, and from the fourth lesson on the curve.
func TestWhatTheWallTells(t *testing.T) {
	a := startAppWith(t, Config{Data: t.TempDir(), Addr: "0.0.0.0:0"})
	host, code := hosted(t, a, identify.Expert)
	events, _ := wall(t, host, 0)
	if first := heard(t, events, "figures"); len(first) != 1 || !strings.Contains(first[0].data, "<dt>guests</dt><dd>0</dd>") || strings.Contains(first[0].data, "curve-line") {
		t.Errorf("it begins with %v", first)
	}
	ana := newBrowser(t, a)
	ana.ask(303, "/join/"+code, "name", "Ana")
	if e := hear(t, events, "joined"); e.id == 0 {
		t.Error("that somebody joined has no number to come back to")
	}
	ana.send(303, drawn(1))
	if e := hear(t, events, "tile"); !strings.Contains(e.data, `id="tile-1"`) || !strings.Contains(e.data, "Ana") {
		t.Errorf("the photo comes as %s", e.data)
	}
	ana.ask(303, "/observations/1/identifications", "q", "Dotty", "new", "1")
	if e := hear(t, events, "tile"); !strings.Contains(e.data, "tile-taught") || !strings.Contains(e.data, "Dotty") {
		t.Errorf("the taught photo comes as %s", e.data)
	}
	e := hear(t, events, "line")
	for _, part := range []string{"Ana", "<s translate=\"no\">", "<b translate=\"no\">Dotty</b>"} {
		if !strings.Contains(e.data, part) || e.id == 0 {
			t.Errorf("the correction comes without %s: %+v", part, e)
		}
	}
	for i := 2; i <= 4; i++ {
		ana.send(303, drawn(uint64(i)))
		ana.ask(303, fmt.Sprintf("/observations/%d/identifications", i), "q", "Dotty")
	}
	for !strings.Contains(hear(t, events, "figures").data, "curve-line") {
	}
}

// A wall whose connection was lost comes back with the number that it heard last and is
// told what came since: all of it, once, in order. One that was away for too long, or of
// another start of the server, is told to read its page anew.
func TestAWallThatComesBack(t *testing.T) {
	a := startAppWith(t, Config{Data: t.TempDir(), Addr: "0.0.0.0:0"})
	host, code := hosted(t, a, identify.Expert)
	ana := newBrowser(t, a)
	ana.ask(303, "/join/"+code, "name", "Ana")
	whole, _ := wall(t, host, 0)
	hear(t, whole, "figures")
	cut, stop := wall(t, host, 0)
	hear(t, cut, "figures")
	ana.send(303, drawn(1))
	last := hear(t, cut, "told").id
	stop()
	heard(t, cut, "")
	ana.send(303, drawn(2))
	ana.ask(303, "/observations/1/identifications", "q", "Dotty", "new", "1")
	ana.ask(303, "/observations/2/identifications", "q", "Dotty")

	again, _ := wall(t, host, last)
	want := fmt.Sprintf("tile 0, told %d, tile 0, line %d, tile 0, line %d", last+1, last+2, last+3)
	if got := order(append(heard(t, again, "line"), heard(t, again, "line")...)); got != want {
		t.Errorf("who comes back hears %s, want %s", got, want)
	}
	want = fmt.Sprintf("tile 0, told %d, %s", last, want)
	if got := order(append(heard(t, whole, "line"), heard(t, whole, "line")...)); got != want {
		t.Errorf("who was there heard %s, want %s", got, want)
	}
	for _, unknown := range []int64{1, last - 1000, last + 1000} {
		lost, _ := wall(t, host, unknown)
		if got := order(heard(t, lost, "")); got != "again 0" {
			t.Errorf("after %d, of which nothing is known, it hears %s", unknown, got)
		}
	}
}

// When the host ends the workshop, its wall is told at once to read its page, which says
// so, and the stream ends; likewise when it is extended, reset or brought back. The wall
// of another workshop goes on.
func TestTheStreamEndsWithTheWorkshop(t *testing.T) {
	a := startAppWith(t, Config{Data: t.TempDir(), Addr: "0.0.0.0:0"})
	host, code := hosted(t, a, identify.Expert)
	ana := newBrowser(t, a)
	ana.ask(303, "/join/"+code, "name", "Ana")
	ana.send(303, drawn(1))
	ana.ask(303, "/observations/1/identifications", "q", "Dotty", "new", "1")
	host.ask(303, "/workshop", "title", "Moths", "role", "viewer", "hours", "1")
	others := find(t, codeShown.String(), host.ask(200, "/workshop/2"))
	other := make(chan event, 1000)
	t.Cleanup(visitor{&host.Client, host.at}.events(t, "/workshop/2/events", 0, other))
	for _, do := range []string{"extend", "end", "reset", "restore"} {
		if do == "reset" { // which changes the memory, and so concerns every wall
			newBrowser(t, a).ask(303, "/join/"+others, "name", "Ben")
			if got := heard(t, other, "joined"); strings.Contains(order(got), "again") {
				t.Errorf("the wall of another workshop hears %s", order(got))
			}
		}
		events, _ := wall(t, host, 0)
		hear(t, events, "figures")
		host.ask(303, "/workshop/1/"+do, "hours", "1")
		if list := heard(t, events, ""); len(list) == 0 || list[len(list)-1].name != "again" {
			t.Errorf("%s: it hears %s", do, order(list))
		}
		if over := strings.Contains(host.ask(200, "/workshop/1/projector"), "The workshop is over"); over != (do != "extend") {
			t.Errorf("after %s the wall says that it is over: %v", do, over)
		}
	}
}

// A server that stops ends its streams at once: it neither waits for who listens nor
// breaks anything off.
func TestTheStreamEndsWithTheServer(t *testing.T) {
	a, stop := startAppUntil(t, Config{Data: t.TempDir(), Addr: "0.0.0.0:0"})
	host, _ := hosted(t, a, identify.Viewer)
	events, _ := wall(t, host, 0)
	hear(t, events, "figures")
	done := make(chan error, 1)
	go func() { done <- stop() }()
	heard(t, events, "")
	select {
	case err := <-done:
		must(t, err)
	case <-time.After(time.Minute):
		t.Fatal("the server has not stopped")
	}
	if _, err := host.PostForm(host.at+"/workshop/1/end", url.Values{}); err == nil {
		t.Error("it answers still")
	}
}
