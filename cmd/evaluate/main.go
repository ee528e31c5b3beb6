// Command evaluate measures Fieldmark.
//
//	evaluate run          the paper's protocols over tasks that a manifest lists
//	evaluate data         read and embed the tasks that a manifest lists
//	evaluate report       write a run's tables, plots and page anew
//	evaluate parity DIR   compare every equation with a reference pack
//	evaluate teach        teach one photo of each of some species, then ask for others
//	evaluate forget       what lessons cost photos of other classes
//	evaluate copies       how many copies of taught photos are named as taught among many exemplars
//	evaluate near         what the rule near gains and costs, on photos or on a reference pack
//
// Results are tables of text on standard output, and of run a folder too; evaluate <command> -help lists
// the flags.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p := program{stdout: os.Stdout, stderr: os.Stderr, workers: runtime.NumCPU()}
	os.Exit(p.Run(ctx, os.Args[1:]))
}

// program is what the subcommands share.
type program struct {
	stdout, stderr io.Writer
	workers        int
}

// command is one subcommand; it reads its own flags from args.
type command struct {
	name, summary string
	run           func(ctx context.Context, args []string) error
}

func (p program) commands() []command {
	return []command{
		{"run", "the paper's protocols over tasks that a manifest lists", p.runRun},
		{"data", "read and embed the tasks that a manifest lists, and say what they come to", p.runData},
		{"report", "write a run's tables, plots and page anew", p.runReport},
		{"parity", "compare every equation with a reference pack", p.runParity},
		{"teach", "teach one photo of each of some species, then ask for others", p.runTeach},
		{"forget", "what lessons cost photos of other classes", p.runForget},
		{"copies", "how many copies of taught photos are named as taught among many exemplars", p.runCopies},
		{"near", "what the rule near gains and costs", p.runNear},
	}
}

var (
	// errUsage marks a command line that cannot be understood.
	errUsage = errors.New("see -help")
	// errOutOfBounds says that the table just printed is no good result.
	errOutOfBounds = errors.New("out of bounds")
)

// Run executes one subcommand and returns the exit status: 0, 1 for a failure
// or a result out of bounds, 2 for a command line that cannot be understood.
func (p program) Run(ctx context.Context, args []string) int {
	if len(args) == 0 {
		p.usage()
		return 2
	}
	if args[0] == "-h" || args[0] == "-help" || args[0] == "--help" || args[0] == "help" {
		p.usage()
		return 0
	}
	for _, c := range p.commands() {
		if c.name != args[0] {
			continue
		}
		err := c.run(ctx, args[1:])
		switch {
		case err == nil || errors.Is(err, flag.ErrHelp):
			return 0
		case errors.Is(err, errUsage):
			fmt.Fprintf(p.stderr, "evaluate %s: %v\n", c.name, err)
			return 2
		default:
			fmt.Fprintf(p.stderr, "evaluate %s: %v\n", c.name, err)
			return 1
		}
	}
	fmt.Fprintf(p.stderr, "evaluate: there is no command %q\n", args[0])
	p.usage()
	return 2
}

func (p program) usage() {
	fmt.Fprintln(p.stderr, "Usage: evaluate command [flags]")
	for _, c := range p.commands() {
		fmt.Fprintf(p.stderr, "  %-8s %s\n", c.name, c.summary)
	}
	fmt.Fprintln(p.stderr, "evaluate <command> -help lists its flags.")
}

// flags is an empty set of flags for a subcommand, with its usage.
func (p program) flags(name, usage string) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(p.stderr)
	fs.Usage = func() {
		fmt.Fprintln(p.stderr, usage)
		fs.PrintDefaults()
	}
	return fs
}

// parse reads a command line; what flag finds wrong with it, it has printed.
func parse(fs *flag.FlagSet, args []string) error {
	err := fs.Parse(args)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		return errUsage
	}
	return err
}
