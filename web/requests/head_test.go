package requests

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-chi/chi/v5"
)

func TestHeadReachesARouterWithinARouter(t *testing.T) {
	inner := chi.NewRouter()
	inner.Use(Head)
	inner.Get("/page", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Page", "yes") })
	inner.Post("/page/new", func(http.ResponseWriter, *http.Request) {})
	outer := chi.NewRouter()
	outer.Handle("/*", inner)
	for name, h := range map[string]http.Handler{"alone": inner, "within another": outer} {
		for path, want := range map[string]int{"/page": 200, "/page/new": 405, "/none": 404} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodHead, path, nil))
			if w.Code != want || want == 200 && w.Header().Get("X-Page") != "yes" {
				t.Errorf("%s: HEAD %s: %d, want %d", name, path, w.Code, want)
			}
		}
	}
}
