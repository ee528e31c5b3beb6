package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"fieldmark/web/requests"
)

// Run serves until ctx ends, then lets the requests under way finish. Event
// streams, which have no end of their own, end at once (requests.UntilStop).
func (a *App) Run(ctx context.Context) error {
	stopping := make(chan struct{})
	a.server = &http.Server{
		Handler:           a.handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelWarn),
		BaseContext:       func(net.Listener) context.Context { return requests.WithStop(context.Background(), stopping) },
	}
	a.server.RegisterOnShutdown(func() { close(stopping) })
	failed := make(chan error, 3)
	go func() { failed <- a.server.Serve(a.listener) }()
	if a.redirect != nil {
		go func() { failed <- a.redirect.run(ctx) }()
	}
	if a.admin != nil {
		go func() { failed <- a.admin.run(ctx) }()
	}
	select {
	case err := <-failed:
		if err != nil || ctx.Err() == nil {
			return err
		}
	case <-ctx.Done():
	}
	a.ready.stopping.Store(true)
	return a.finish(context.WithoutCancel(ctx))
}

// finish lets the requests under way finish within their share of the grace.
func (a *App) finish(ctx context.Context) error {
	a.log.Info("stopping: letting the requests under way finish")
	if within := a.config.Operating.forRequests(); within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, within)
		defer cancel()
	}
	if err := a.server.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
		// A phone that lost its signal in the middle of an upload must not
		// make a clean stop a failure: nothing of it was acknowledged.
		a.log.Warn("some requests did not finish and were broken off")
		return a.server.Close()
	} else if err != nil {
		return err
	}
	return nil
}

// errGrace is why a server ended before everything was closed.
var errGrace = errors.New("stopping took longer than --grace, so it was cut short; what was acknowledged is kept, and the next start folds what the snapshot lacks")

// serve runs an app until ctx ends and closes it, within the grace from then on.
func (a *App) serve(ctx context.Context) error {
	done := make(chan error, 1)
	go func() { done <- errors.Join(a.Run(ctx), a.Close()) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	var late <-chan time.Time
	if grace := a.config.Operating.Grace; grace > 0 {
		late = time.After(grace)
	}
	select {
	case err := <-done:
		return err
	case <-late:
		return errGrace
	}
}

func runServe(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var c Config
	fs := flagSet("serve", stderr)
	c.register(fs)
	c.registerServe(fs)
	if err := parse(fs, args); err != nil {
		return err
	}
	if err := noArgs(fs); err != nil {
		return err
	}
	log, err := c.Operating.logger(stderr)
	if err != nil {
		return err
	}
	a, err := Open(ctx, c, log)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "Fieldmark answers on %s\n", a.URL())
	a.welcome(stdout)
	return a.serve(ctx)
}

func runVersion(_ context.Context, args []string, stdout, stderr io.Writer) error {
	fs := flagSet("version", stderr)
	if err := parse(fs, args); err != nil {
		return err
	}
	if err := noArgs(fs); err != nil {
		return err
	}
	fmt.Fprintln(stdout, version())
	return nil
}
