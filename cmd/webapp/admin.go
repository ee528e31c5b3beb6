package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/go-chi/chi/v5"

	"fieldmark/internal/identify"
	"fieldmark/web/api"
	"fieldmark/web/auth"
)

// adminServer answers who runs the server, and is at the machine: metrics and
// profiles, without sign-in.
type adminServer struct {
	server   *http.Server
	listener net.Listener
}

// openAdmin listens at the address that was asked for; it returns nil if none was.
// Profiles show what is in the memory, so it is refused beyond loopback.
func (a *App) openAdmin() (*adminServer, error) {
	addr := a.config.Operating.Admin
	if addr == "" {
		return nil, nil
	}
	if !auth.IsLoopback(addr) {
		return nil, fmt.Errorf("--admin-addr %s asks nobody to sign in, so it must be a loopback address, like 127.0.0.1:6060; from elsewhere /metrics is read with an admin's token", addr)
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; choose another address with --admin-addr", addr, err)
	}
	// A profile takes as long as its reader asks for: there is no WriteTimeout.
	return &adminServer{&http.Server{Handler: a.adminHandler(), ReadHeaderTimeout: 10 * time.Second}, l}, nil
}

// adminHandler turns away names that a page of another site could have resolved
// to this machine.
func (a *App) adminHandler() http.Handler {
	hosts := auth.Hosts{Loopback: true}
	r := chi.NewRouter()
	r.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !hosts.Allow(r.Host) {
				http.Error(w, "This address is for this machine only. Open it as http://127.0.0.1 with its port.", http.StatusMisdirectedRequest)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	r.Get("/healthz", api.Healthz)
	r.Get("/readyz", api.Readyz(a.ready.check))
	r.Method(http.MethodGet, "/metrics", a.metrics.Handler())
	r.Get("/debug/pprof/*", pprof.Index) // and all profiles that have a name
	r.Get("/debug/pprof/cmdline", pprof.Cmdline)
	r.Get("/debug/pprof/profile", pprof.Profile)
	r.Get("/debug/pprof/symbol", pprof.Symbol)
	r.Post("/debug/pprof/symbol", pprof.Symbol)
	r.Get("/debug/pprof/trace", pprof.Trace)
	return r
}

// run serves until ctx ends. A nil adminServer has nothing to do.
func (s *adminServer) run(ctx context.Context) error {
	if s == nil {
		return nil
	}
	stop := context.AfterFunc(ctx, func() { s.server.Close() })
	defer stop()
	if err := s.server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Close stops listening.
func (s *adminServer) Close() error {
	if s == nil {
		return nil
	}
	if err := s.listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// metricsRoute serves the metrics to admins: on loopback whoever is at the
// machine is one, and from elsewhere it takes an admin's token.
func (a *App) metricsRoute() http.Handler {
	r := chi.NewRouter()
	r.Get("/metrics", func(w http.ResponseWriter, r *http.Request) {
		if u := auth.UserFrom(r.Context()); !u.Role.Allows(identify.Admin) {
			api.WriteProblem(w, r, http.StatusForbidden, fmt.Sprintf("Your role is %q; reading the metrics takes the role %q.", u.Role, identify.Admin))
			return
		}
		a.metrics.Handler().ServeHTTP(w, r)
	})
	return r
}
