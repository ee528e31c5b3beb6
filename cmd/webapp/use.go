package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"fieldmark/internal/identify"
)

// runModelsUse lets an encoder serve: here and now if nothing serves the data
// folder; otherwise the server is asked to, which it does in the background.
func runModelsUse(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	j, err := openModelJob(ctx, "use", args, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.store.Close()) }()
	done, err := j.useHere(ctx)
	if errors.Is(err, errServed) {
		done, err = j.askServer(ctx)
	}
	if err == nil && done {
		_, err = fmt.Fprintf(stdout, "%s serves\n", j.config.Model)
	}
	return err
}

// useHere embeds the photos and makes the encoder the one that the next start
// serves with; the log is folded there.
func (j *modelJob) useHere(ctx context.Context) (done bool, err error) {
	lock, err := lockData(j.config.Data)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := j.store.ForgetEmbeddingFailures(ctx, j.digest); err != nil {
		return false, err
	}
	if err := j.embed(ctx); err != nil {
		return false, err
	}
	// An earlier wish, which a server has left undone, ends with this one.
	if _, err := j.store.WantEncoder(ctx, j.config.Model); err != nil {
		return false, err
	}
	return true, j.store.ServeEncoder(ctx, j.config.Model, j.digest)
}

// errUnserved means that the server which was asked has gone.
var errUnserved = errors.New("the server has stopped")

// askServer leaves the wish in the database, where the server finds it, and
// follows the work. done is false where an interrupt ended that.
func (j *modelJob) askServer(ctx context.Context) (done bool, err error) {
	mine, err := j.store.WantEncoder(ctx, j.config.Model)
	if err != nil {
		return false, err
	}
	err = j.follow(ctx, func(c identify.EncoderChoice, _ int) (bool, error) {
		switch {
		case c.Wishes != mine.Wishes:
			return false, fmt.Errorf("someone has chosen otherwise meanwhile; what is embedded stays")
		case c.Problem.Format != "":
			return false, fmt.Errorf("the server could not do it: %s", c.Problem)
		case c.Wanted == "":
			done = true
			return true, nil
		}
		if lock, err := lockData(j.config.Data); err == nil {
			return false, errors.Join(errUnserved, lock.Close())
		}
		return false, nil
	})
	if errors.Is(err, errUnserved) {
		return j.useHere(ctx)
	}
	return done, err
}
