package api

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
)

// guard keeps answers out of caches unless they say otherwise, and turns a panic
// into a problem.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ww := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		ww.Header().Set("Cache-Control", "no-store")
		ww.Header().Set("X-Content-Type-Options", "nosniff")
		defer func() {
			if p := recover(); p != nil {
				s.panicked(ww, r, p)
			}
		}()
		next.ServeHTTP(ww, r)
	})
}

// panicked answers for a handler that panicked, if it has not answered itself.
func (s *server) panicked(w middleware.WrapResponseWriter, r *http.Request, p any) {
	if p == http.ErrAbortHandler {
		panic(p) // net/http's own way to end a connection
	}
	s.log.ErrorContext(r.Context(), "panic", "value", fmt.Sprint(p), "stack", string(debug.Stack()))
	if w.Status() != 0 {
		panic(http.ErrAbortHandler) // half an answer must not look like a whole one
	}
	writeProblem(w, broken())
}

// methodNotAllowed names the methods that an address has.
func methodNotAllowed(routes chi.Routes) http.HandlerFunc {
	methods := []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	return func(w http.ResponseWriter, r *http.Request) {
		var allowed []string
		for _, m := range methods {
			if routes.Match(chi.NewRouteContext(), m, r.URL.Path) {
				allowed = append(allowed, m)
			}
		}
		list := strings.Join(allowed, ", ")
		w.Header().Set("Allow", list)
		WriteProblem(w, r, http.StatusMethodNotAllowed, fmt.Sprintf("This address cannot be used with %.20s, only with %s.", r.Method, list))
	}
}
