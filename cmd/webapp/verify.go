package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"fieldmark/internal/identify"
	"fieldmark/internal/photofile"
	"fieldmark/internal/words"
)

// errProblems is the failure of a verification that found something.
var errProblems = errors.New("the data folder is not in order")

// shownProblems is how many problems are listed.
const shownProblems = 100

func runVerify(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var c Config
	fs := flagSet("verify", stderr)
	c.register(fs)
	c.registerMemory(fs)
	if err := parse(fs, args); err != nil {
		return err
	}
	if err := noArgs(fs); err != nil {
		return err
	}
	memory, err := c.memory()
	if err != nil {
		return err
	}
	st, err := openExisting(ctx, c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if err := st.Check(ctx); err != nil {
		return fmt.Errorf("the database: %w", err)
	}
	photos, err := photofile.Open(c.Data)
	if err != nil {
		return err
	}
	if c, err = withChosenModel(ctx, c); err != nil {
		return err
	}
	e, err := openEncoder(c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	r, err := identify.Verify(ctx, identify.Config{
		Store: st, Photos: photos, Embedder: e, Psi: c.Psi, Memory: memory, Log: slog.New(slog.NewTextHandler(stderr, nil)),
	})
	if err != nil {
		return err
	}
	return tellVerified(stdout, c.Model, r)
}

// tellVerified prints what a verification found; the error is errProblems if that is
// not in order. model is the encoder's name.
func tellVerified(stdout io.Writer, model string, r identify.Report) error {
	fmt.Fprintf(stdout, "events %d, exemplars %d, leaves %d, photos %d\nmemory %s\n",
		r.Events, r.Exemplars, r.Leaves, r.Photos, r.Digest)
	if r.Glimpses > 0 {
		fmt.Fprintf(stdout, "thumbnails %d, of photos that did not come with their bundle\n", r.Glimpses)
	}
	if r.Snapshot != "" {
		fmt.Fprintln(stdout, "snapshot", r.Snapshot)
	}
	if r.Lost > 0 {
		fmt.Fprintf(stdout, "%s without a photo that %s can be shown: see the page /encoders, or webapp models use\n", words.English("%d lessons", r.Lost), model)
	}
	for i, p := range r.Problems {
		if i == shownProblems {
			fmt.Fprintf(stdout, "and %d more\n", len(r.Problems)-i)
			break
		}
		fmt.Fprintln(stdout, "problem:", p)
	}
	if len(r.Problems) > 0 {
		return fmt.Errorf("%w: %s", errProblems, words.English("%d problems", len(r.Problems)))
	}
	fmt.Fprintln(stdout, "all in order")
	return nil
}
