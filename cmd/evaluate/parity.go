package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"fieldmark/internal/eval"
)

// runParity compares every equation with the expected results of a reference
// pack and prints one line for each; it fails if any is out of bounds.
func (p program) runParity(ctx context.Context, args []string) error {
	fs := p.flags("parity", "Usage: evaluate parity DIR\n\nDIR holds reference.json and the files that it names.")
	if err := parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() != 1 {
		return fmt.Errorf("want one folder with a reference pack, not %d: %w", fs.NArg(), errUsage)
	}
	pack, err := eval.ReadPack(os.DirFS(fs.Arg(0)))
	if err != nil {
		return err
	}
	methods, err := eval.Parity(ctx, pack, p.workers)
	if err != nil {
		return err
	}
	bad, err := printParity(p.stdout, methods)
	if err != nil {
		return err
	}
	trees, err := eval.Partitions(ctx, pack)
	if err != nil {
		return err
	}
	if err := printPartitions(p.stdout, trees); err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d methods: %w", bad, len(methods), errOutOfBounds)
	}
	return nil
}

// printPartitions says how far our own trees have the leaves of the reference,
// which parity takes as given. It is no matter of bounds: which of two leaves a
// member in the middle falls to may hang on the last bit.
func printPartitions(out io.Writer, trees []eval.PartitionAgreement) error {
	equal := 0
	for _, t := range trees {
		if t.Rand == 1 {
			equal++
			continue
		}
		if _, err := fmt.Fprintf(out, "%s %d, psi %d: %d leaves for %d, Rand index %.4f\n", t.Run, t.Stage, t.Psi, t.Leaves, t.Expected, t.Rand); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "our own trees: %d of %d have the reference's leaves\n", equal, len(trees))
	return err
}

// printParity writes the table and returns how many methods are out of bounds.
func printParity(out io.Writer, methods []eval.MethodParity) (bad int, err error) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "method\tanswers\tlargest difference\tbound\ttop-1 counts\toff\tok\t")
	worst := 0.0
	for _, m := range methods {
		ok := "yes"
		if !m.OK() {
			ok = "NO: " + m.Problem()
			bad++
		}
		worst = max(worst, m.Largest)
		fmt.Fprintf(w, "%s\t%d\t%.1e\t%.0e\t%d\t%d\t%s\t\n", m.Method, m.Cases, m.Largest, m.Bound, m.Counts, m.CountsOff, ok)
	}
	if err := w.Flush(); err != nil {
		return bad, err
	}
	_, err = fmt.Fprintf(out, "%d methods, largest difference %.1e, %d out of bounds\n", len(methods), worst, bad)
	return bad, err
}
