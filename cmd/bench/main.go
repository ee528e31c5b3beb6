// Command bench measures Fieldmark's memory beside what else there is, all in one
// run, and says what of its goals is met.
//
//	bench [flags] [STAGE…]
//
// Without stages it runs all of them. Results are tables on standard output and,
// with --out, a document. Peers that are not installed are said to be missing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// config is what is measured, and how large.
type config struct {
	exemplars int // N: in the memory, and stored by the retrieval stage
	leaf      int // ψ
	dim       int
	labels    []int // K, one memory for each
	parity    int   // exemplars of a leaf on which scikit-learn ends
	held      int   // held-out queries of the probe stage
	lessons   int   // corrections
	queries   int
	widths    []int // of searches
	slow      int   // vectors that slow peers are given at most
	imported  int   // rows of the import
	scale     int   // exemplars of the paper's run
	psis      []int // ψ of its trees, in the order in which they are measured
	seed      uint64
	workers   int
	keep      string // folder where filled memories stay for the next run; "" none does
	scratch   string // folder of this run
	plots     string // folder where plots go; "" none are drawn
	peers     peers
}

// bench is one run.
type bench struct {
	config
	log    io.Writer // what is being done
	refits map[leafSize]refit
}

// stage is one part of the table.
type stage struct {
	name, summary string
	run           func(b *bench, ctx context.Context) (section, error)
}

func stages() []stage {
	return []stage{
		{"probe", "a full leaf: cold fits, strokes, agreement with scikit-learn's optimum", (*bench).probe},
		{"retrieval", "the nine nearest, beside exact scans, hnswlib, FAISS, coder/hnsw", (*bench).retrieval},
		{"correction", "from a correction to the new version's answer, over a data folder", (*bench).correction},
		{"serving", "answers, memory and starts of a whole data folder", (*bench).serving},
		{"import", "an npz file taken in and consolidated", (*bench).importing},
		{"scale", "the paper's task-incremental run, beside the reference's LinProbe and TreeProbe", (*bench).paperRun},
		{"growth", "one correction from a thousand exemplars on, beside the paper's ways", (*bench).growth},
	}
}

const usage = `Usage: bench [flags] [STAGE…]

Stages (all of them, if none is named):`

// run is main with its surroundings, and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o options
	fs := o.flags(stderr)
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	chosen, err := o.read(fs.Args())
	if err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return 2
	}
	r := report{command: command(fs), out: o.out}
	if err := r.measure(ctx, o.config, chosen, stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "bench: %v\n", err)
		return 1
	}
	return 0
}

// tell says what is being done.
func (b *bench) tell(format string, args ...any) {
	fmt.Fprintf(b.log, "%s %s\n", time.Now().Format("15:04:05"), fmt.Sprintf(format, args...))
}
