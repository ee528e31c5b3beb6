package main

import (
	"log/slog"
	"net/http"
	"path/filepath"

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
	programs.Refuse = api.WriteProblem
	pages := web.Config{
		Service: a.service, Details: a.service, Log: log, Version: version(), DefaultSet: a.store.everything,
		User: func(r *http.Request) identify.User { return auth.UserFrom(r.Context()) },
	}
	pages.Sources, pages.Learning, pages.History = a.service, a.service, a.service
	whole := &backups{config: a.config, store: a.store.Store, log: log}
	pages.Jobs, pages.Backup = a.jobs, whole
	pages.People = a.people
	pages.Review = a.service
	pages.Export = a.service
	pages.Gallery = a.gallery
	pages.Synonymies = a.service
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
	jsonAPI, err := api.New(a.service, api.Options{Backups: whole, Log: log, Bundles: a.service})
	if err != nil {
		return nil, err
	}
	figures := a.metricsRoute()
	a.parts = []http.Handler{site.Handler, jsonAPI, figures}
	r := chi.NewRouter()
	o := a.config.Operating
	r.Use(requests.Watch{Log: log, Meter: a.metrics, TrustProxy: a.config.Network.TrustProxy, Addresses: o.Addresses, Slow: o.Slow}.Handler)
	if a.tls != nil && a.tls.strict {
		r.Use(strictly)
	}
	r.Get("/healthz", api.Healthz)
	r.Get("/readyz", api.Readyz(a.ready.check))
	r.Handle("/metrics", programs.API(figures))
	r.Handle("/api/openapi.json", jsonAPI) // how to ask is for everyone to read
	r.Handle("/api/*", programs.API(jsonAPI))
	r.Handle("/*", people.Pages(site))
	return r, nil
}
