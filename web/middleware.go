package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/web/requests"
)

// contentSecurityPolicy allows what we serve ourselves and nothing else: no
// inline script, no inline style. blob: is for the preview of a photo that is
// still being uploaded.
const contentSecurityPolicy = "default-src 'self'; img-src 'self' blob:; worker-src 'self'; manifest-src 'self'; object-src 'none'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

func secureHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentSecurityPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "geolocation=(), microphone=()")
		next.ServeHTTP(w, r)
	})
}

// formLimit bounds the body of a form without files: a pasted label set of some
// ten thousand names fits.
const formLimit = 1 << 20

// uploadLimit bounds the body of an upload of several photos at once, which is
// read one photo at a time.
const uploadLimit = 1 << 30

// How slowly a body may come, its first byte and then bytes a second: a full-size
// photo over a weak connection in the field has an hour.
const (
	bodyPatience = time.Minute
	bodyRate     = 4 << 10
)

// limitBody makes reading more than limit bytes of the body an error, and waiting for
// one that hardly comes.
func limitBody(limit int64) func(http.Handler) http.Handler {
	pace := requests.Pace{Patience: bodyPatience, Rate: bodyRate}
	return func(next http.Handler) http.Handler { return pace.Handler(http.MaxBytesHandler(next, limit)) }
}

// parseForm reads a form without files.
func parseForm(r *http.Request) error { return brokenForm(r.ParseForm()) }

// brokenForm is what is said of a form that could not be read: that it broke off, or is
// none, is not ours to mend. What is too long, and what is no error, stays as it is.
func brokenForm(err error) error {
	var tooLong *http.MaxBytesError
	if err == nil || errors.As(err, &tooLong) {
		return err
	}
	broken := identify.Errorf(identify.Invalid, "", "The form did not come in whole, so nothing was done. Send it again.")
	broken.Err = err
	return broken
}

// recoverPanics turns a panic into an error page, and logs where it came from.
func (s *site) recoverPanics(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler {
				panic(p) // net/http's own way to end a connection
			}
			s.Log.ErrorContext(r.Context(), "panic", "value", fmt.Sprint(p), "stack", string(debug.Stack()))
			s.renderError(w, r, fmt.Errorf("panic: %v", p))
		}()
		next.ServeHTTP(w, r)
	})
}

// requireRole sends whoever has no role to sign in.
func (s *site) requireRole(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.User(r).Role != "" {
			next.ServeHTTP(w, r)
			return
		}
		if s.Sessions == nil {
			s.renderError(w, r, errElsewhere)
			return
		}
		back := "/"
		if r.Method == http.MethodGet && !isFragment(r) {
			back = r.URL.RequestURI()
		}
		to := "/sign-in?next=" + url.QueryEscape(back)
		if isFragment(r) {
			w.Header().Set("HX-Redirect", to)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
	})
}
