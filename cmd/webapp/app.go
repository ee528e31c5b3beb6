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

	"fieldmark/internal/identify"
	"fieldmark/internal/photofile"
	"fieldmark/internal/store"
	"fieldmark/web/jobs"
	"fieldmark/web/metrics"
)

// App is a running Fieldmark: what Config says, opened and wired together.
// Tests start one on port 0.
type App struct {
	config   Config
	log      *slog.Logger
	store    *database
	encoder  *encoder
	service  *identify.Service
	gallery  *identify.Gallery
	server   *http.Server
	listener net.Listener
	lock     io.Closer
	jobs     *jobs.Jobs
	handler  http.Handler
	parts    []http.Handler // the pages and the API, without the gates before them
	people   *identify.People
	tls      *security   // nil: http
	redirect *redirector // nil: nothing listens for http besides
	setUp    string      // secret of the link for the first admin, "" if someone can sign in
	metrics  *metrics.Metrics
	ready    *readiness
	admin    *adminServer // nil: nothing listens for who runs the server
}

// Open listens, opens the data folder and the encoder, and folds the log. Close
// what it returns.
func Open(ctx context.Context, c Config, log *slog.Logger) (_ *App, err error) {
	c.metrics = metrics.New(version())
	c.renditions = photofile.OpenRenditions(c.Data, c.Operating.Renditions<<20)
	a := &App{config: c, log: log, metrics: c.metrics}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	if a.listener, err = net.Listen("tcp", c.Addr); err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; choose another address with --addr", c.Addr, err)
	}
	// Locked first: a newer version must not migrate a database that is served.
	if a.lock, err = lockData(c.Data); err != nil {
		return nil, err
	}
	if a.store, err = openStore(ctx, c.Data); err != nil {
		return nil, err
	}
	if err := a.openDoors(ctx); err != nil {
		return nil, err
	}
	pinned := c.Model != ""
	if a.encoder, err = openServing(ctx, &c, a.store.Store); err != nil {
		return nil, err
	}
	start := time.Now()
	if a.service, err = openService(ctx, c, a.store, a.encoder, pinned, log); err != nil {
		return nil, err
	}
	stats, err := a.service.Stats(ctx)
	if err != nil {
		return nil, err
	}
	log.Info("memory folded", "seq", stats.Seq, "exemplars", stats.Exemplars, "labels", stats.Labels,
		"encoder", stats.Encoder.Name, "took", time.Since(start).Round(time.Millisecond))
	a.gallery = identify.NewGallery(ctx, a.service, a.store)
	a.jobs = jobs.New(context.WithoutCancel(ctx))
	a.ready = newReadiness(a)
	err = a.metrics.Read(metrics.Sources{Memory: a.service, Encoding: a.encoder, Disk: disk{c.Data, a.store.Store, c.renditions}})
	if err != nil {
		return nil, err
	}
	if a.admin, err = a.openAdmin(); err != nil {
		return nil, err
	}
	a.handler, err = newHandler(a, log)
	return a, err
}

// openServing opens the encoder that serves at first, and notes it in c.Model.
func openServing(ctx context.Context, c *Config, st *store.Store) (*encoder, error) {
	if c.Model != "" {
		return openEncoder(*c)
	}
	var err error
	if c.Model, err = chosenModel(ctx, st); err != nil {
		return nil, err
	}
	e, err := openEncoder(*c)
	if err != nil && c.Model != builtin {
		err = fmt.Errorf("the encoder that was chosen last cannot be opened: %w; or start with --model %s", err, builtin)
	}
	return e, err
}

// Close releases everything that Open opened. It may be called on a part.
func (a *App) Close() error {
	var errs []error
	if a.listener != nil {
		if err := a.listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	if a.jobs != nil {
		errs = append(errs, a.jobs.Close()) // what is under way goes on when its file is imported again
	}
	errs = append(errs, a.redirect.Close(), a.admin.Close())
	if a.gallery != nil {
		a.gallery.Close()
	}
	if a.service != nil {
		errs = append(errs, a.service.Close())
	}
	if a.encoder != nil {
		errs = append(errs, a.encoder.Close())
	}
	if a.store != nil {
		errs = append(errs, a.store.Close())
	}
	if a.lock != nil {
		errs = append(errs, a.lock.Close())
	}
	return errors.Join(errs...)
}
