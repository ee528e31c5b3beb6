package main

import (
	"log/slog"
	"net/http"
	"path/filepath"
	"time"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
	"fieldmark/web"
	"fieldmark/web/api"
	"fieldmark/web/auth"
	"fieldmark/web/requests"
	"fieldmark/web/spool"
)

// newHandler puts the pages and the API, each behind its gate, at one address.
func newHandler(a *App, log *slog.Logger) (http.Handler, error) {
	people := &auth.Gate{Users: a.people, Loopback: a.local(), Hosts: a.hosts()}
	if !a.local() {
		people.Limits = auth.NewLimits(a.config.Network.TrustProxy)
	}
	programs := *people
	programs.Refuse = func(w http.ResponseWriter, r *http.Request, status int, reason *identify.Error) {
		api.WriteProblem(w, r, status, reason.Message)
	}
	pages := web.Config{
		Service: a.service, Details: a.service, Log: log, Version: version(), DefaultSet: a.store.everything,
		User: func(r *http.Request) identify.User { return auth.UserFrom(r.Context()) },
	}
	pages.Sources, pages.Learning, pages.History = a.service, a.service, a.service
	whole := &backups{config: a.config, store: a.store.Store, log: log}
	pages.Jobs, pages.Backup = a.jobs, whole
	pages.People, pages.OwnData = a.people, a.service
	pages.Review = a.service
	pages.Export = a.service
	pages.Gallery = a.gallery
	pages.Synonymies, pages.Names = a.service, a.service
	pages.Taxa, pages.Checklists = a.service, spool.NewShelf(filepath.Join(a.config.Data, "checklists"))
	pages.Bundles, pages.Shelf = a.service, spool.NewShelf(filepath.Join(a.config.Data, "bundles"))
	pages.Workshops, pages.Reach = identify.NewWorkshops(a.service, a.people, a.store), a.reach
	if !a.local() {
		pages.Sessions = people
	}
	site, err := web.New(pages)
	if err != nil {
		return nil, err
	}
	people.Refuse = site.Refuse
	jsonAPI, err := api.New(a.service, api.Options{Backups: whole, Log: log, Bundles: a.service,
		Review: a.service, Memory: a.gallery, History: a.service, Workshops: pages.Workshops, People: a.people, Checklists: a.service})
	if err != nil {
		return nil, err
	}
	figures := a.metricsRoute()
	a.parts = []http.Handler{site.Handler, jsonAPI, figures}
	r := chi.NewRouter()
	o := a.config.Operating
	r.Use(requests.Watch{Log: log, Meter: a.metrics, TrustProxy: a.config.Network.TrustProxy, Addresses: o.Addresses, Slow: o.Slow}.Handler, requests.Unread(bodyPatience))
	if a.tls != nil && a.tls.strict {
		r.Use(strictly)
	}
	r.Get("/healthz", api.Healthz)
	r.Get("/readyz", api.Readyz(a.ready.check))
	r.Handle("/metrics", programs.API(figures))
	r.Handle("/api/openapi.json", jsonAPI) // how to ask is for everyone to read
	r.Handle("/api/*", programs.API(uploads(programs.Refuse).Handler(jsonAPI)))
	r.Handle("/*", people.Pages(uploads(people.Refuse).Handler(site)))
	return r, nil
}

const (
	// bodyPatience is how long a body is waited for that no handler reads.
	bodyPatience = time.Minute
	// heldUploads is how many bytes of photos requests hold before they are decoded,
	// those of programs and those of pages each: 64 of 2 MiB, as many as may wait.
	heldUploads = 128 << 20
	// heldPhoto is the most that one request counts for: its photo and its form.
	heldPhoto = 17 << 20
	// heldPatience is how long an upload waits for room.
	heldPatience = 10 * time.Second
)

// uploads bounds what photos take before they are admitted to be decoded.
func uploads(refuse auth.Refusal) *requests.Uploads {
	full := func(w http.ResponseWriter, r *http.Request) {
		refuse(w, r, http.StatusServiceUnavailable, identify.Errorf(identify.Busy, "",
			"More photos come in at this moment than can be read. Nothing was stored of this one: try again in a few seconds."))
	}
	return requests.NewUploads(heldUploads, heldPhoto, heldPatience, full,
		"/observations", "/compare", "/api/v1/observations", "/api/v1/classify")
}
