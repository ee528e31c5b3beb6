// Package requests gives every request a number that is in its answer and in
// every line of the log about it, writes that log, and tells handlers whose
// answer has no end when the server stops.
package requests

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"net/http"
)

// Header carries the id of a request, in its answer and, from a proxy that is
// trusted, in the request.
const Header = "X-Request-Id"

// maxID bounds an id that a proxy gives.
const maxID = 64

type idKey struct{}

// ID is the id of the request that ctx belongs to; "" if it belongs to none.
func ID(ctx context.Context) string {
	id, _ := ctx.Value(idKey{}).(string)
	return id
}

// newID is 64 random bits: two of a year's requests hardly share one.
func newID() string {
	var b [8]byte
	rand.Read(b[:]) // never fails (Go 1.24)
	return hex.EncodeToString(b[:])
}

// idOf is the id that a trusted proxy gave, or a new one.
func idOf(r *http.Request, trusted bool) string {
	if given := r.Header.Get(Header); trusted && usable(given) {
		return given
	}
	return newID()
}

// usable reports whether an id from outside may stand in a log and a header.
func usable(id string) bool {
	for _, c := range []byte(id) {
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	return id != "" && len(id) <= maxID
}

// Logger is a slog.Handler that adds the request's id to what is logged with
// its context.
type Logger struct{ slog.Handler }

// Handle implements slog.Handler.
func (l Logger) Handle(ctx context.Context, r slog.Record) error {
	if id := ID(ctx); id != "" {
		r.AddAttrs(slog.String("request_id", id))
	}
	return l.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (l Logger) WithAttrs(attrs []slog.Attr) slog.Handler { return Logger{l.Handler.WithAttrs(attrs)} }

// WithGroup implements slog.Handler.
func (l Logger) WithGroup(name string) slog.Handler { return Logger{l.Handler.WithGroup(name)} }
