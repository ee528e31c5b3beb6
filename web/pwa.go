package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"slices"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/words"
	"fieldmark/templates"
)

// appRoutes make the pages installable. They are the same for everybody and say
// nothing of anyone, so a browser that is not signed in gets them too: it asks for
// the manifest without cookies, and keeps the page for when there is no connection.
func (s *site) appRoutes(r chi.Router) {
	r.Get("/manifest.webmanifest", s.handle(s.manifest))
	r.Get("/sw.js", s.handle(s.serviceWorker))
	r.Get("/offline", s.handle(s.offline))
}

// manifest is a web app manifest (https://www.w3.org/TR/appmanifest/).
type manifest struct {
	ID              string         `json:"id"`
	Name            string         `json:"name"`
	ShortName       string         `json:"short_name"`
	Description     string         `json:"description"`
	Lang            string         `json:"lang"`
	StartURL        string         `json:"start_url"`
	Scope           string         `json:"scope"`
	Display         string         `json:"display"`
	ThemeColor      string         `json:"theme_color"`
	BackgroundColor string         `json:"background_color"`
	Categories      []string       `json:"categories"`
	Icons           []manifestIcon `json:"icons"`
	Shortcuts       []shortcut     `json:"shortcuts"`
}

type manifestIcon struct {
	Src     string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose,omitempty"`
}

type shortcut struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// paper is the colour of the pages, css/tokens.css's --paper.
const paper = "#f5f1e7"

func (s *site) manifest(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	icon := func(name, sizes, mediaType, purpose string) manifestIcon {
		return manifestIcon{Src: s.static.base + "/icons/" + name, Sizes: sizes, Type: mediaType, Purpose: purpose}
	}
	m := manifest{
		ID: "/", Name: "Fieldmark", ShortName: "Fieldmark", Lang: words.Tag(ctx), StartURL: "/", Scope: "/", Display: "standalone",
		Description: words.T(ctx, "Names what is in a nature photo, and learns from every correction at once."),
		ThemeColor:  paper, BackgroundColor: paper, Categories: []string{"education", "photo"},
		Icons: []manifestIcon{
			icon("app-192.png", "192x192", "image/png", ""), icon("app-512.png", "512x512", "image/png", ""),
			icon("app-maskable-192.png", "192x192", "image/png", "maskable"), icon("app-maskable-512.png", "512x512", "image/png", "maskable"),
			icon("mark.svg", "any", "image/svg+xml", ""),
		},
		Shortcuts: []shortcut{{words.T(ctx, "Review"), "/review"}, {words.T(ctx, "Observations"), "/observations"}},
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/manifest+json")
	h.Set("Content-Language", words.Tag(ctx))
	h.Set("Cache-Control", "no-cache")
	h.Set("Vary", "Accept-Language, Cookie")
	_, _ = w.Write(data) // the reader has gone if this fails
	return nil
}

// serviceWorker is a script at the root, so that its scope is every page. It only
// names the files of this build: when one changes, so does its digest, so does this
// script, and the browser installs the new worker with caches of its own.
func (s *site) serviceWorker(w http.ResponseWriter, _ *http.Request) error {
	files, err := json.Marshal(s.shell())
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/javascript; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("Service-Worker-Allowed", "/")
	// The reader has gone if this fails.
	_, _ = fmt.Fprintf(w, "import { start } from %q;\nstart(%q, %s);\n", s.static.base+"/js/worker.js", s.static.digest, files)
	return nil
}

// shell lists what the page for when there is no connection needs: our own scripts,
// style sheets and icons, and the fonts.
func (s *site) shell() []string {
	list := []string{"/offline"}
	for name := range s.static.files {
		switch path.Ext(name) {
		case ".js", ".css", ".svg", ".woff2":
			list = append(list, s.static.base+"/"+name)
		}
	}
	slices.Sort(list)
	return list
}

// offline is the page that a browser keeps for when there is no connection. It is
// nobody's in particular.
func (s *site) offline(w http.ResponseWriter, r *http.Request) error {
	page := templates.Page{Title: words.T(r.Context(), "No connection"), Section: "identify", Static: s.static.base,
		Styles: []string{"home.css"}, Scripts: []string{"upload.js"}}
	form := templates.UploadForm{Accept: acceptedFiles(), MaxBytes: s.MaxUpload, Limit: s.photoLimit(r.Context())}
	return s.render(w, r, http.StatusOK, templates.Offline(page, form))
}

// clearsCache tells the browser of someone who signs out to forget what it keeps of
// private pages, photos above all. Photos that wait in the queue stay: they are
// sent when their owner signs in again.
func clearsCache(h http.Header) { h.Set("Clear-Site-Data", `"cache"`) }
