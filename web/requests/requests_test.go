package requests

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
)

// noted is what a Meter was told last.
type noted struct {
	route, method string
	status        int
	stream        bool
}

func (n *noted) Answered(route, method string, status int, _ time.Duration, stream bool) {
	*n = noted{route, method, status, stream}
}

// served is a router as the app has it: pages of their own router below "/*".
func served(w Watch) http.Handler {
	pages := chi.NewRouter()
	pages.Get("/join/{code}", func(w http.ResponseWriter, r *http.Request) {
		slog.New(Logger{w.(interface{ Unwrap() http.ResponseWriter }).Unwrap().(*recorder).log}).InfoContext(r.Context(), "inside")
		w.WriteHeader(http.StatusTeapot)
	})
	pages.Get("/nothing", func(http.ResponseWriter, *http.Request) {})
	pages.Get("/slow", func(w http.ResponseWriter, _ *http.Request) { time.Sleep(2 * time.Millisecond) })
	pages.Get("/events", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		time.Sleep(2 * time.Millisecond)
	})
	pages.Get("/static/{digest}/*", func(http.ResponseWriter, *http.Request) {})
	pages.Get("/broken", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	r := chi.NewRouter()
	r.Use(w.Handler)
	r.Handle("/*", pages)
	return r
}

// recorder has the log that a handler writes to.
type recorder struct {
	*httptest.ResponseRecorder
	log slog.Handler
}

// ask sends a request and returns its answer and what was logged meanwhile.
func ask(t *testing.T, w Watch, method, target string, header http.Header) (*recorder, []map[string]any) {
	t.Helper()
	var out bytes.Buffer
	log := slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})
	w.Log = slog.New(Logger{log})
	r := httptest.NewRequest(method, target, nil)
	if header != nil {
		r.Header = header
	}
	rec := &recorder{httptest.NewRecorder(), log}
	func() {
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				panic(p)
			}
		}()
		served(w).ServeHTTP(rec, r)
	}()
	var lines []map[string]any
	for dec := json.NewDecoder(&out); dec.More(); {
		var line map[string]any
		if err := dec.Decode(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return rec, lines
}

// A line about a request has its id, which its answer has too, and neither the
// secret in its path nor what was asked for nor from where.
func TestALineSaysWhatAndNotWho(t *testing.T) {
	var m noted
	rec, lines := ask(t, Watch{Meter: &m}, "GET", "/join/SECRET-CODE?name=Ada", nil)
	id := rec.Header().Get(Header)
	if len(id) != 16 {
		t.Errorf("the id is %q", id)
	}
	if len(lines) != 2 || lines[0]["request_id"] != id || lines[1]["request_id"] != id {
		t.Fatalf("lines %v, want two with the id %s", lines, id)
	}
	got := lines[1]
	if got["route"] != "/join/{code}" || got["status"] != 418.0 || got["method"] != "GET" || got["level"] != "INFO" {
		t.Errorf("logged %v", got)
	}
	if text, _ := json.Marshal(lines); strings.Contains(string(text), "SECRET") || strings.Contains(string(text), "Ada") || strings.Contains(string(text), "192.0.2.1") {
		t.Errorf("it says too much: %s", text)
	}
	if want := (noted{"/join/{code}", "GET", 418, false}); m != want {
		t.Errorf("measured %+v, want %+v", m, want)
	}
}

func TestIDsFromOutside(t *testing.T) {
	for _, c := range []struct {
		given   string
		trusted bool
		taken   bool
	}{
		{"abc-DEF_1.2", true, true},
		{"abc", false, false},
		{"", true, false},
		{"a b", true, false},
		{"a\"b", true, false},
		{"ä", true, false},
		{strings.Repeat("a", 64), true, true},
		{strings.Repeat("a", 65), true, false},
	} {
		rec, _ := ask(t, Watch{TrustProxy: c.trusted}, "GET", "/nothing", http.Header{Header: {c.given}})
		if got := rec.Header().Get(Header); got == "" || (got == c.given) != c.taken {
			t.Errorf("given %q, trusted %v: %q", c.given, c.trusted, got)
		}
	}
}

func TestLevels(t *testing.T) {
	for _, c := range []struct {
		method, path string
		slow         time.Duration
		level, text  string
		status       float64
		route        string
		named        string
	}{
		{"GET", "/nothing", 0, "INFO", "request", 200, "/nothing", "GET"},
		{"GET", "/slow", time.Millisecond, "WARN", "slow request", 200, "/slow", "GET"},
		{"GET", "/slow", time.Minute, "INFO", "request", 200, "/slow", "GET"},
		{"GET", "/events", time.Millisecond, "INFO", "request", 200, "/events", "GET"},
		{"GET", "/static/1/x.css", 0, "DEBUG", "request", 200, "/static/{digest}/*", "GET"},
		{"GET", "/broken", 0, "WARN", "request broken off", 0, "/broken", "GET"},
		{"GET", "/who-knows", 0, "INFO", "request", 404, Unmatched, "GET"},
		{"PROPFIND", "/nothing", 0, "INFO", "request", 405, Unmatched, "OTHER"},
	} {
		_, lines := ask(t, Watch{Slow: c.slow}, c.method, c.path, nil)
		got := lines[len(lines)-1]
		if got["level"] != c.level || got["msg"] != c.text || got["status"] != c.status || got["route"] != c.route || got["method"] != c.named {
			t.Errorf("%s: %v", c.path, got)
		}
	}
}

func TestAddressesOnlyIfAskedFor(t *testing.T) {
	behind := http.Header{"X-Forwarded-For": {"invented", "203.0.113.5, 198.51.100.7"}}
	for _, c := range []struct {
		watch Watch
		want  any
	}{
		{Watch{}, nil},
		{Watch{TrustProxy: true}, nil},
		{Watch{Addresses: true}, "192.0.2.1"}, // httptest's own
		{Watch{Addresses: true, TrustProxy: true}, "198.51.100.7"},
	} {
		_, lines := ask(t, c.watch, "GET", "/nothing", behind)
		if got := lines[0]["address"]; got != c.want {
			t.Errorf("address %v, want %v", got, c.want)
		}
	}
}

func TestUntilStop(t *testing.T) {
	stopping := make(chan struct{})
	base := WithStop(context.Background(), stopping)
	ctx, cancel := UntilStop(base)
	defer cancel()
	if ctx.Err() != nil {
		t.Fatal("it has ended before the server stops")
	}
	close(stopping)
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Second):
		t.Error("it goes on although the server stops")
	}
	if base.Err() != nil {
		t.Error("the request itself was broken off")
	}
	elsewhere, end := UntilStop(context.Background())
	end()
	if elsewhere.Err() == nil {
		t.Error("it cannot be ended by its handler")
	}
}
