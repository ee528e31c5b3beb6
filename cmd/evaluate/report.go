package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"fieldmark/internal/report"
)

// runReport writes the report of a result anew: a later program may word and
// draw it better, or the result may have been edited to fewer rows.
func (p program) runReport(_ context.Context, args []string) error {
	fs := p.flags("report", "Usage: evaluate report [flags] result.json\nWrites the tables, plots and page of a run anew from its result.json.")
	out := fs.String("out", "", "`folder` that the report is written to; beside the result if not given")
	if err := parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() != 1 {
		return fmt.Errorf("give the result.json of a run: %w", errUsage)
	}
	raw, err := os.ReadFile(fs.Arg(0))
	if err != nil {
		return err
	}
	var d report.Document
	if err := json.Unmarshal(raw, &d); err != nil {
		return fmt.Errorf("%s is not a result of evaluate run: %w", fs.Arg(0), err)
	}
	if len(d.Rows) == 0 {
		return fmt.Errorf("%s has no rows: it is not a result of evaluate run, or nothing was measured", fs.Arg(0))
	}
	if *out == "" {
		*out = filepath.Dir(fs.Arg(0))
	}
	return p.save(*out, d)
}

// save writes a run's files and prints its report.
func (p program) save(dir string, d report.Document) error {
	r, err := report.Save(dir, d.Result, d.Notes)
	if err != nil {
		return fmt.Errorf("the report could not be written: %w", err)
	}
	return p.print(dir, r)
}

// print prints a report, and says where its page is.
func (p program) print(dir string, r report.Report) error {
	if err := r.WriteText(p.stdout); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.stderr, "The page is %s\n", filepath.Join(dir, "report.html"))
	return err
}
