package main

import (
	"log/slog"
	"net/http"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
	"fieldmark/web"
	"fieldmark/web/api"
	"fieldmark/web/auth"
)

// newHandler puts the pages and the API, each behind its gate, at one address.
func newHandler(a *App, log *slog.Logger) (http.Handler, error) {
	loopback := auth.IsLoopback(a.listener.Addr().String()) && !a.config.SignIn
	people := &auth.Gate{Users: a.store, Loopback: loopback}
	programs := &auth.Gate{Users: a.store, Loopback: loopback, Refuse: api.WriteProblem}
	pages := web.Config{
		Service: a.service, Log: log, Version: version(), DefaultSet: a.store.everything,
		User: func(r *http.Request) identify.User { return auth.UserFrom(r.Context()) },
	}
	pages.Jobs = a.jobs
	if !loopback {
		pages.SignIn, pages.SignOut = people.SignIn, people.SignOut
	}
	site, err := web.New(pages)
	if err != nil {
		return nil, err
	}
	jsonAPI, err := api.New(a.service, api.Options{Log: log})
	if err != nil {
		return nil, err
	}
	r := chi.NewRouter()
	r.Get("/healthz", api.Healthz)
	r.Get("/readyz", api.Readyz(a.service.Ready))
	r.Handle("/api/openapi.json", jsonAPI) // how to ask is for everyone to read
	r.Handle("/api/*", programs.API(jsonAPI))
	r.Handle("/*", people.Pages(site))
	return r, nil
}
