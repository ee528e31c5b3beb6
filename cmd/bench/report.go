package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// report is the whole of a run, on the terminal and as a document.
type report struct {
	command string
	out     string // file; "" is none
}

// measure runs stages, prints each as it ends, and writes the document anew with
// it: a run that is broken off leaves what it measured. A stage that fails is said
// to have failed and the others go on.
func (r report) measure(ctx context.Context, c config, chosen []stage, stdout, stderr io.Writer) (err error) {
	if c.scratch, err = os.MkdirTemp("", "bench"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(c.scratch)) }()
	b := &bench{config: c, log: stderr, refits: map[leafSize]refit{}}
	head := r.head(ctx, c)
	fmt.Fprint(stdout, head)
	var body bytes.Buffer
	for _, s := range chosen {
		began, loadBefore := time.Now(), load()
		b.tell("%s: %s", s.name, s.summary)
		result, stageErr := s.run(b, ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if stageErr != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", s.name, stageErr))
			result.notes = append(result.notes, "This stage did not come to its end: "+stageErr.Error())
		}
		result.title = fmt.Sprintf("%s: %s", s.name, s.summary)
		result.notes = append(result.notes, fmt.Sprintf("This stage took %s. The load of the machine's %d cores was %s when it began and %s when it ended.",
			time.Since(began).Round(time.Second), runtime.NumCPU(), loadBefore, load()))
		if printErr := result.printText(stdout); printErr != nil {
			return errors.Join(err, printErr)
		}
		result.writeMarkdown(&body)
		if r.out != "" {
			if err := os.WriteFile(r.out, []byte("# Benchmarks\n"+head+explanation+body.String()), 0o644); err != nil {
				return err
			}
		}
		debug.FreeOSMemory() // what the stage had is not the next one's
	}
	return err
}

const explanation = `
A goal is issue 5's; of the stage scale, issue 6's. A time in brackets says how many times better Fieldmark is than what stands beside it; all were measured in this run, on this machine. Latencies are by the clock. Rates on one core are by the processor time of a process with one thread, so that other work on the machine counts little; latencies mean something only where the load says that there was none. *Clustered* means ` + "`nearesttest.Clustered`" + `: 3,000 centres of random direction, two vectors of one cluster at a cosine of 0.6 to 0.9; embeddings have a length near 10.
`

// head says what was run, when and on what.
func (r report) head(ctx context.Context, c config) string {
	var b strings.Builder
	fmt.Fprintf(&b, "`%s`, %s, on %s.\n", r.command, time.Now().UTC().Format("2 January 2006, 15:04 UTC"), machine())
	fmt.Fprintf(&b, "%s%s; %s.\n", runtime.Version(), modules(), strings.Join(c.peers.versions(ctx), ", "))
	return b.String()
}

// modules are the versions of the Go peers.
func modules() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	var b strings.Builder
	for _, m := range info.Deps {
		if m.Path == "github.com/coder/hnsw" || m.Path == "github.com/viterin/vek" {
			fmt.Fprintf(&b, ", %s %s", strings.TrimPrefix(m.Path, "github.com/"), m.Version)
		}
	}
	return b.String()
}
