package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"fieldmark/internal/exchange"
	"fieldmark/internal/identify"
	"fieldmark/internal/identify/identifytest"
)

// importing measures an npz file that is taken into an empty memory.
func (b *bench) importing(ctx context.Context) (s section, err error) {
	k := b.labels[0]
	x := identifytest.NewExemplars(b.seed, b.dim, k, b.imported)
	w, err := identifytest.New(ctx, filepath.Join(b.scratch, "import"), x)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	b.configure(w)
	name := filepath.Join(b.scratch, "import.npz")
	taxa, err := w.Store.Taxa(ctx)
	if err != nil {
		return s, err
	}
	if err := writeNPZ(name, x, b.imported, taxa, w.Config.Embedder.Info().Digest); err != nil {
		return s, err
	}
	if err := w.Open(ctx); err != nil {
		return s, err
	}
	b.tell("importing %d rows", b.imported)
	start, began := time.Now(), processorTime()
	if err := importFile(ctx, w, name); err != nil {
		return s, err
	}
	in := spent{time.Since(start), processorTime() - began}
	b.tell("consolidating")
	if err := consolidated(ctx, w); err != nil {
		return s, err
	}
	all := spent{time.Since(start), processorTime() - began}
	what := fmt.Sprintf(", %s rows, K = %s", count(b.imported), count(k))
	return section{rows: []row{
		{what: "npz file read, stored and learned" + what, unit: duration, ours: took(in.clock), note: of(in), bounds: []bound{{value: 20}}},
		{what: "and consolidated" + what, unit: duration, ours: took(all.clock), note: of(all), bounds: []bound{{value: 60}}},
		{what: "rows taken in" + what, unit: rate, ours: float64(b.imported) / in.clock.Seconds()},
	}}, nil
}

// of says what something took of all processors.
func of(s spent) string { return seconds(took(s.processors)) + " of processors" }

// importFile imports a file as `webapp import` does: it is read through and
// checked, then taken in.
func importFile(ctx context.Context, w *identifytest.Workshop, name string) (err error) {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, source, err := exchange.OpenNPZFile(f)
	if err != nil {
		return err
	}
	plan, err := w.PlanImport(ctx, w.Owner, source, z, identify.ImportOptions{})
	if err != nil {
		return err
	}
	_, err = w.RunImport(ctx, w.Owner, plan, z, func(identify.ImportProgress) {})
	return err
}

// writeNPZ writes the first n exemplars, whose labels are taxa by number.
func writeNPZ(name string, x *identifytest.Exemplars, n int, taxa []identify.Taxon, encoder string) error {
	e := exchange.Exemplars{Dim: x.Dim(), Encoder: encoder}
	for i := range n {
		_, label := x.At(i)
		e.Labels, e.Taxa = append(e.Labels, taxa[label].ScientificName), append(e.Taxa, int64(taxa[label].ID))
		e.Observations = append(e.Observations, int64(i+1))
	}
	e.Vectors = func(visit func([]float32) error) error {
		for i := range n {
			v, _ := x.At(i)
			if err := visit(v); err != nil {
				return err
			}
		}
		return nil
	}
	return writeFile(name, func(w *bufio.Writer) error { return exchange.WriteNPZ(w, e) })
}
