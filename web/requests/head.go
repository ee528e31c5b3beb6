package requests

import (
	"net/http"

	"github.com/go-chi/chi/v5"
)

// Head lets a router answer HEAD as it answers GET; net/http leaves the body away.
// chi's own GetHead asks the outermost router whether it has a route for HEAD, and one
// that hands everything on to others has.
func Head(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c := chi.RouteContext(r.Context()); c != nil && r.Method == http.MethodHead {
			c.RouteMethod = http.MethodGet
		}
		next.ServeHTTP(w, r)
	})
}
