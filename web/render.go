package web

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/a-h/templ"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
	"fieldmark/templates"
)

// handle makes an http.HandlerFunc of a handler that may fail. A handler that
// returns an error has written nothing.
func (s *site) handle(h func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			s.renderError(w, r, err)
		}
	}
}

// render draws to a buffer first: a component that fails leaves nothing
// half-written, and the status is still free to choose.
func (s *site) render(w http.ResponseWriter, r *http.Request, status int, c templ.Component) error {
	var b bytes.Buffer
	if err := c.Render(r.Context(), &b); err != nil {
		return fmt.Errorf("rendering: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Add("Vary", "HX-Request, Accept-Language, Cookie")
	h.Set("Content-Language", words.Tag(r.Context()))
	w.WriteHeader(status)
	// The reader has gone if this fails: there is nobody to tell.
	_, _ = w.Write(b.Bytes())
	return nil
}

// isFragment reports whether htmx (or upload.js) asked, which wants a part of a
// page.
func isFragment(r *http.Request) bool { return r.Header.Get("HX-Request") == "true" }

// page fills in what every page has in common.
func (s *site) page(r *http.Request, title, section string) templates.Page {
	u := s.User(r)
	return templates.Page{
		Title: title, Section: section, Static: s.static.base, Work: s.work(r.Context(), u), Languages: s.languages(r),
		User: templates.User{
			Name:      u.Name,
			SignedIn:  s.Sessions != nil && u.Role != "",
			CanSignIn: s.Sessions != nil && u.Role == "",
			Curates:   u.Role.Allows(identify.Curator),
			Hosts:     u.Role.Allows(identify.Admin),
			Guest:     u.Guest && s.Workshops != nil,
		},
	}
}

// seeOther sends the browser to another page with GET.
func seeOther(w http.ResponseWriter, r *http.Request, path string) error {
	http.Redirect(w, r, path, http.StatusSeeOther)
	return nil
}
