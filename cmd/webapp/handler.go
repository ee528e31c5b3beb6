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

// newHandler puts the pages and the API behind one gate.
func newHandler(a *App, log *slog.Logger) (http.Handler, error) {
	gate := &auth.Gate{Users: a.store, Loopback: auth.IsLoopback(a.listener.Addr().String())}
	pages := web.Config{
		Service: a.service, Log: log, Version: version(), DefaultSet: a.store.everything,
		User: func(r *http.Request) identify.User { return auth.UserFrom(r.Context()) },
	}
	if !gate.Loopback {
		pages.SignIn, pages.SignOut = gate.SignIn, gate.SignOut
	}
	site, err := web.New(pages)
	if err != nil {
		return nil, err
	}
	r := chi.NewRouter()
	if err := api.Register(r, a.service, api.Options{Gate: gate, Log: log, Version: version()}); err != nil {
		return nil, err
	}
	r.Mount("/", gate.Pages(site))
	return r, nil
}
