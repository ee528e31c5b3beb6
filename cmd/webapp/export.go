package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"fieldmark/internal/exchange"
	"fieldmark/internal/identify"
	"fieldmark/internal/store"
)

func runExport(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var c Config
	fs := flagSet("export", stderr)
	c.register(fs)
	format := fs.String("format", "csv", "csv: identifications, or npz: exemplars with their embeddings")
	out := fs.String("out", "", "`file` to write; standard output if not given")
	if err := parse(fs, args); err != nil {
		return err
	}
	if err := noArgs(fs); err != nil {
		return err
	}
	if *format != "csv" && *format != "npz" {
		return fmt.Errorf("%w: --format %q is not written; there are csv and npz", errUsage, *format)
	}
	st, err := openExisting(ctx, c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	write := func(w io.Writer) error { return exportCSV(ctx, st, w) }
	if *format == "npz" {
		write = func(w io.Writer) error { return exportNPZ(ctx, c, st, w) }
	}
	if *out == "" {
		return write(stdout)
	}
	return writeFile(*out, write)
}

func exportCSV(ctx context.Context, st *store.Store, w io.Writer) error {
	return exchange.WriteCSV(w, func(visit func(identify.Observation, identify.Identification, identify.Taxon) error) error {
		return identify.EachIdentification(ctx, st, identify.ObservationFilter{}, visit)
	})
}

// exportNPZ writes what the encoder that serves has embeddings of.
func exportNPZ(ctx context.Context, c Config, st *store.Store, w io.Writer) error {
	info, err := chosenInfo(ctx, c, st)
	if err != nil {
		return err
	}
	e, err := identify.ExemplarsOf(ctx, st, info, identify.ObservationFilter{})
	if err != nil {
		return err
	}
	return exchange.WriteExemplars(ctx, w, e)
}

// writeFile writes a file whole or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".export-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails once renamed, which is the point
	if err := write(tmp); err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err := errors.Join(tmp.Chmod(0o644), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
