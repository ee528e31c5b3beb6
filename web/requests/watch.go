package requests

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
)

// Unmatched is the route of a request that no pattern matched, or that was
// turned away before one was looked for.
const Unmatched = "unmatched"

// A Meter is told of every answer.
type Meter interface {
	// Answered is told the pattern of the route, "/observations/{id}" or
	// Unmatched, the method (OTHER for one that HTTP does not define), the status,
	// and how long the answer took; streams have no end of their own, so that the
	// time of theirs means nothing.
	Answered(route, method string, status int, took time.Duration, stream bool)
}

// Watch says what is noted of requests.
type Watch struct {
	Log        *slog.Logger
	Meter      Meter         // nil: nothing is measured
	TrustProxy bool          // a proxy before us says whom a request is from and which id it has
	Addresses  bool          // log from which address a request is
	Slow       time.Duration // answers that take longer are warned of; 0: none are
}

// Handler is a middleware of a chi.Router: it gives every request its id and notes
// its answer. A log line has the route's pattern and never the path, whose parts may
// be secrets (invitations) or name something of a person's.
func (w Watch) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		start := time.Now()
		id := idOf(r, w.TrustProxy)
		r = r.WithContext(context.WithValue(r.Context(), idKey{}, id))
		rw.Header().Set(Header, id)
		ww := middleware.NewWrapResponseWriter(rw, r.ProtoMajor)
		whole := false
		defer func() {
			status := ww.Status()
			if status == 0 && whole {
				status = http.StatusOK // net/http's own for a handler that wrote nothing
			}
			w.note(r, answer{route: routeOf(chi.RouteContext(r.Context())), status: status, bytes: ww.BytesWritten(), took: time.Since(start),
				stream: strings.HasPrefix(ww.Header().Get("Content-Type"), "text/event-stream"), broken: !whole})
		}()
		next.ServeHTTP(ww, r)
		whole = true
	})
}

// answer is what is known of a request when it was answered.
type answer struct {
	route          string
	status, bytes  int
	took           time.Duration
	stream, broken bool // broken: the handler panicked, so that half of it went out at most
}

func (w Watch) note(r *http.Request, a answer) {
	method := methodOf(r.Method)
	if w.Meter != nil {
		w.Meter.Answered(a.route, method, a.status, a.took, a.stream)
	}
	level, text := slog.LevelInfo, "request"
	switch {
	case a.broken:
		level, text = slog.LevelWarn, "request broken off"
	case w.Slow > 0 && a.took >= w.Slow && !a.stream:
		level, text = slog.LevelWarn, "slow request"
	case quiet(a):
		level = slog.LevelDebug
	}
	attrs := []slog.Attr{slog.String("method", method), slog.String("route", a.route), slog.Int("status", a.status),
		slog.Int("bytes", a.bytes), slog.Int64("ms", a.took.Milliseconds())}
	if w.Addresses {
		attrs = append(attrs, slog.String("address", Address(r, w.TrustProxy)))
	}
	w.Log.LogAttrs(r.Context(), level, text, attrs...)
}

// quiet reports whether an answer is of a kind that machines and pages ask for all
// the time, and went well.
func quiet(a answer) bool {
	if a.status >= http.StatusBadRequest {
		return false
	}
	switch a.route {
	case "/static/{digest}/*", "/healthz", "/readyz", "/metrics":
		return true
	}
	return false
}

// routeOf is the innermost pattern that matched. Handlers of their own below a
// wildcard begin from the whole path again, so the last pattern is whole.
func routeOf(c *chi.Context) string {
	if c == nil {
		return Unmatched
	}
	n := len(c.RoutePatterns)
	if n == 0 || c.RoutePatterns[n-1] == "/*" || c.RoutePatterns[n-1] == "/api/*" {
		return Unmatched
	}
	return c.RoutePatterns[n-1]
}

// methodOf keeps invented methods out of logs and metrics.
func methodOf(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "OTHER"
}

// Address is from where a request is: as the last proxy saw it, where that is
// trusted, since anyone can invent the entries before its own.
func Address(r *http.Request, trustProxy bool) string {
	if list := r.Header.Values("X-Forwarded-For"); trustProxy && len(list) > 0 {
		entries := strings.Split(list[len(list)-1], ",")
		return strings.TrimSpace(entries[len(entries)-1])
	}
	if host, _, err := net.SplitHostPort(r.RemoteAddr); err == nil {
		return host
	}
	return r.RemoteAddr
}
