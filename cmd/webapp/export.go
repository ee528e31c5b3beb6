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
)

func runExport(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var c Config
	fs := flagSet("export", stderr)
	c.register(fs)
	format := fs.String("format", "csv", "csv")
	out := fs.String("out", "", "`file` to write; standard output if not given")
	if err := parse(fs, args); err != nil {
		return err
	}
	if err := noArgs(fs); err != nil {
		return err
	}
	if *format != "csv" {
		return fmt.Errorf("%w: --format %q is not written; there is csv", errUsage, *format)
	}
	st, err := openExisting(ctx, c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	each := func(visit func(identify.Observation, identify.Identification, identify.Taxon) error) error {
		return identify.EachIdentification(ctx, st, identify.ObservationFilter{}, visit)
	}
	if *out == "" {
		return exchange.WriteCSV(stdout, each)
	}
	return writeFile(*out, func(w io.Writer) error { return exchange.WriteCSV(w, each) })
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
