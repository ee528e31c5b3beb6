package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"

	"fieldmark/internal/identify"
	"fieldmark/internal/password"
	"fieldmark/internal/store"
)

// hashesAtOnce bounds the memory that signing in takes: 64 MiB each.
const hashesAtOnce = 2

// newPeople returns the people of a store.
func newPeople(st *store.Store, log *slog.Logger) (*identify.People, error) {
	guesses, err := password.LoadGuesses()
	if err != nil {
		return nil, err
	}
	return identify.NewPeople(identify.PeopleConfig{Store: st, Passwords: password.New(password.Default(), hashesAtOnce), Guesses: guesses, Log: log}), nil
}

// openDoors decides how people come in: over which protocol, and, where nobody
// can sign in yet, by which link the first one does.
func (a *App) openDoors(ctx context.Context) (err error) {
	if a.tls, err = openTLS(a.config); err != nil {
		return err
	}
	if a.tls != nil {
		a.listener = tls.NewListener(a.listener, a.tls.config)
	}
	if a.redirect, err = a.openRedirect(); err != nil {
		return err
	}
	if a.people, err = newPeople(a.store.Store, a.log); err != nil {
		return err
	}
	if !a.local() {
		a.setUp, err = a.people.OfferSetUp(ctx)
	}
	return err
}

// welcome tells who started the app what they have to know.
func (a *App) welcome(w io.Writer) {
	if outside := a.OutsideURL(); outside != a.URL() {
		fmt.Fprintf(w, "Others open it as %s\n", outside)
	}
	if a.setUp != "" {
		fmt.Fprintf(w, "Nobody can sign in yet. Within 24 hours, make the first account at\n  %s/setup/%s\n", a.OutsideURL(), a.setUp)
	}
	if a.tls != nil && a.tls.fingerprint != "" {
		fmt.Fprintf(w, "Browsers warn of its certificate. It is the right one if its SHA-256 fingerprint is\n  %s\n"+
			"A phone keeps photos while it is offline only after %s was installed on it.\n", a.tls.fingerprint, a.tls.file)
	}
}
