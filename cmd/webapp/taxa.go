package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"fieldmark/internal/exchange"
	"fieldmark/internal/identify"
	"fieldmark/internal/words"
)

// runTaxa takes in a checklist, or says what would come of it.
func runTaxa(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 || args[0] != "import" {
		return fmt.Errorf("%w: webapp taxa import FILE [--dry-run]", errUsage)
	}
	var c Config
	var choice identify.ChecklistChoice
	fs := flagSet("taxa import", stderr)
	c.register(fs)
	dry := fs.Bool("dry-run", false, "say what would come of it, and change nothing")
	fs.BoolVar(&choice.Changes, "changes", false, "change the known taxa as the checklist says")
	fs.StringVar(&choice.Set, "label-set", "", "make a label set of this `name` of what it lists")
	files, err := parseAround(fs, args[1:])
	if err != nil {
		return err
	}
	if len(files) != 1 {
		return fmt.Errorf("%w: name one file: a table (CSV) or a Darwin Core Archive of taxa", errUsage)
	}
	list, err := readChecklist(files[0])
	if err != nil {
		return fmt.Errorf("%s: %w", files[0], err)
	}
	return takeChecklist(ctx, c, list, choice, *dry, stdout, stderr)
}

func readChecklist(path string) (list identify.Checklist, err error) {
	f, err := os.Open(path)
	if err != nil {
		return list, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return list, err
	}
	return exchange.ReadChecklist(f, info.Size(), path)
}

func takeChecklist(ctx context.Context, c Config, list identify.Checklist, choice identify.ChecklistChoice, dry bool, stdout, stderr io.Writer) (err error) {
	st, unlock, err := openToImport(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if !dry {
		if err := identify.GoOnChecklist(ctx, st); err != nil {
			return err
		}
	}
	plan, err := identify.PlanChecklist(ctx, st, list)
	if err != nil {
		return err
	}
	for _, p := range plan.Problems {
		fmt.Fprintf(stderr, "line %d: %s: %s\n", p.Line, p.Name, p.Why)
	}
	if dry {
		fmt.Fprintf(stdout, "%s: %s, %d known, %d told otherwise, %s left out; nothing was changed\n",
			words.English("%d rows", plan.Rows), words.English("%d new taxa", plan.New), plan.Known, plan.Changed, words.English("%d rows", len(plan.Problems)))
		return nil
	}
	owner, err := st.Owner(ctx)
	if err != nil {
		return err
	}
	done, err := identify.TakeChecklist(ctx, st, plan, choice, owner.ID, time.Now, progressOf(stderr))
	if done.Pending {
		return fmt.Errorf("stopped: the list is written down, and the next start of a Fieldmark on this data, or this command, goes on with it: %w", err)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s, %d changed\n", words.English("%d new taxa", done.New), done.Changed)
	return nil
}
