package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// redirector sends what comes over http on to https.
type redirector struct {
	server   *http.Server
	listener net.Listener
}

// openRedirect listens at the address that was asked for; it returns nil if
// none was. What is asked under a name that is not ours is not sent on.
func (a *App) openRedirect() (*redirector, error) {
	addr := a.config.Network.Redirect
	if addr == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; choose another address with --redirect-addr", addr, err)
	}
	var h http.Handler = http.HandlerFunc(a.sendOn)
	if a.tls.challenges != nil {
		h = a.tls.challenges(h)
	}
	return &redirector{&http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second}, l}, nil
}

func (a *App) sendOn(w http.ResponseWriter, r *http.Request) {
	if !a.hosts().Allow(r.Host) || r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "Use https.", http.StatusBadRequest)
		return
	}
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	http.Redirect(w, r, a.urlAt(host)+r.URL.RequestURI(), http.StatusMovedPermanently)
}

// run serves until ctx ends. A nil redirector has nothing to do.
func (d *redirector) run(ctx context.Context) error {
	if d == nil {
		return nil
	}
	stop := context.AfterFunc(ctx, func() { d.server.Close() })
	defer stop()
	if err := d.server.Serve(d.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Close stops listening.
func (d *redirector) Close() error {
	if d == nil {
		return nil
	}
	if err := d.listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}
