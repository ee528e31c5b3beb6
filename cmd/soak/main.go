// Command soak finds out whether Fieldmark can be left running: it serves a data
// folder of its own on loopback with the webapp that it is given, and
//
//	soak load    lets many people at it, more than it can bear, and few again
//	soak kill    kills it at random moments while people correct
//
// Figures go to standard output and, with --out, into a document, between the marks
// of their own section. It exits with 1 if a goal is missed.
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
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// common are the flags of both.
type common struct {
	webapp  string // program under test
	out     string // document
	scratch string // folder of data folders
	seed    uint64
	notes   string // what else is to be said of the surroundings
}

func (c *common) register(fs *flag.FlagSet) {
	fs.StringVar(&c.webapp, "webapp", "bin/webapp", "`program` under test")
	fs.StringVar(&c.out, "out", "", "`document` whose section is written anew")
	fs.StringVar(&c.scratch, "scratch", "", "`folder` for data folders, which are removed in the end; the system's own if not given")
	fs.Uint64Var(&c.seed, "seed", 1, "`number` that all choices follow from, but for the moments that the machine makes")
	fs.StringVar(&c.notes, "notes", "", "a `sentence` for the document: what else ran on the machine")
}

// errMissed means that a goal was not reached.
var errMissed = errors.New("not all goals are met")

// run is main with its surroundings, and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	commands := map[string]func(context.Context, []string, io.Writer, io.Writer) error{"load": runLoad, "kill": runKill}
	if len(args) == 0 || commands[args[0]] == nil {
		fmt.Fprintln(stderr, "Usage: soak load [flags] | soak kill [flags]; -help lists them")
		return 2
	}
	err := commands[args[0]](ctx, args[1:], stdout, stderr)
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return 0
	default:
		fmt.Fprintf(stderr, "soak %s: %v\n", args[0], err)
		return 1
	}
}

// inScratch runs do with a folder that is removed afterwards, unless do fails: then it
// stays, to be looked into.
func (c *common) inScratch(do func(folder string) error) error {
	folder, err := os.MkdirTemp(c.scratch, "fieldmark-soak-")
	if err != nil {
		return err
	}
	if err := do(folder); err != nil {
		return fmt.Errorf("%w (its data stay in %s)", err, folder)
	}
	return os.RemoveAll(folder)
}
