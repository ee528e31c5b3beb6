package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
)

// withdrawImport takes back what an import taught.
func withdrawImport(ctx context.Context, c Config, id identify.ImportID, stdout, stderr io.Writer) (err error) {
	if err := dataIsThere(c.Data); err != nil {
		return err
	}
	st, unlock, err := openToImport(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	owner, err := st.Owner(ctx)
	if err != nil {
		return err
	}
	m, err := identify.WithdrawImport(ctx, st, id, owner.ID, time.Now, progressOf(stderr))
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "import %d is withdrawn: what it taught is taken back\n", m.ID)
	return nil
}

func listImports(ctx context.Context, c Config, stdout io.Writer) (err error) {
	st, err := openExisting(ctx, c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	list, err := st.Imports(ctx)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tFILE\tROWS\tTAUGHT\tKNOWN\tLEFT OUT\tBY\tBEGAN\tSTATE")
	for _, m := range list {
		fmt.Fprintf(w, "%d\t%s\t%d\t%d\t%d\t%d\t%s\t%s\t%s\n", m.ID, m.Name, m.Total, m.Taught(), m.Known, m.Skipped, m.UserName,
			m.BeganAt.Local().Format(time.DateTime), m.State())
	}
	return w.Flush()
}

// progressOf says how far an import is, at most once a second, and at its end.
func progressOf(w io.Writer) func(identify.ImportProgress) {
	var at time.Time
	return func(p identify.ImportProgress) {
		for _, r := range p.Bad {
			fmt.Fprintf(w, "left out: %s: %s\n", r.Place(), r.Why)
		}
		if p.Done < p.Total && time.Since(at) < time.Second {
			return
		}
		at = time.Now()
		line := fmt.Sprintf("%d of %s", p.Done, words.English("%d rows", p.Total))
		if p.Left > 0 {
			line += fmt.Sprintf(", about %v left", p.Left.Round(time.Second))
		}
		fmt.Fprintln(w, line)
	}
}
