// Command webapp serves Fieldmark and manages its data.
//
//	webapp serve        answer and learn on http://127.0.0.1:8080 (the default)
//	webapp token        tokens of programs: create, list, revoke
//	webapp people       list who may come in
//	webapp invite       make an invitation and print its link
//	webapp models       list and add encoders
//	webapp embed        embeddings of photos or names
//	webapp export       what was taught, in the field's formats
//	webapp import       teach embeddings from a file
//	webapp taxa         take in a checklist of taxa
//	webapp backup       write all data to one file, and verify it
//	webapp restore      put a backup into an empty folder
//	webapp verify       check the data folder, and fold the log afresh
//	webapp healthcheck  ask a server whether it is ready
//	webapp version      print which Fieldmark this is
//
// Every flag can also be set by an environment variable: --data is
// FIELDMARK_DATA, and so on.
//
// The exit status is 0, 1 for a failure, 2 for a command line that cannot be
// understood, 3 for a server that was not stopped within its --grace (nothing that
// was acknowledged is lost), and 128 and the signal's number after a second signal.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		<-signals
		stop()
		again := <-signals // whoever asks twice does not want to wait
		os.Exit(signalled(again))
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// signalled is the exit status of a program that a signal ended, as shells tell it.
func signalled(s os.Signal) int {
	if n, is := s.(syscall.Signal); is {
		return 128 + int(n)
	}
	return 1
}

// command is one subcommand. It reads its flags from args and writes its
// result, and nothing else, to stdout.
type command struct {
	name, summary string
	run           func(ctx context.Context, args []string, stdout, stderr io.Writer) error
}

func commands() []command {
	return []command{
		{"serve", "answer and learn in the browser and over the API", runServe},
		{"token", "create, list, revoke: what opens the API to programs", runToken},
		{"people", "list: who may come in", runPeople},
		{"invite", "make an invitation and print its link", runInvite},
		{"models", "the encoders: list, and more", runModels},
		{"embed", "print embeddings of photos or names", runEmbed},
		{"export", "write what was taught to a file", runExport},
		{"import", "teach what a file holds, or take an import back", runImport},
		{"taxa", "import: take in a checklist of taxa", runTaxa},
		{"backup", "write all data to one file, while a server goes on", runBackup},
		{"restore", "put a backup into an empty folder", runRestore},
		{"verify", "check the data folder and fold the log afresh", runVerify},
		{"healthcheck", "ask a server whether it is ready", runHealthcheck},
		{"version", "print which Fieldmark this is", runVersion},
	}
}

// run executes one subcommand and returns the exit status, as the command's
// documentation has it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	name, rest := "serve", args
	switch {
	case len(args) == 1 && isHelp(args[0]):
		usage(stderr)
		return 0
	case len(args) > 1 && isHelp(args[0]):
		name, rest = args[1], []string{"-help"}
	case len(args) > 0 && !strings.HasPrefix(args[0], "-"):
		name, rest = args[0], args[1:]
	}
	for _, c := range commands() {
		if c.name != name {
			continue
		}
		err := c.run(ctx, rest, stdout, stderr)
		switch {
		case err == nil || errors.Is(err, flag.ErrHelp):
			return 0
		case errors.Is(err, errUsage):
			fmt.Fprintln(stderr, err)
			return 2
		case errors.Is(err, errGrace):
			fmt.Fprintln(stderr, err)
			return 3
		default:
			fmt.Fprintf(stderr, "webapp %s: %v\n", name, err)
			return 1
		}
	}
	fmt.Fprintf(stderr, "webapp: there is no command %q\n", name)
	usage(stderr)
	return 2
}

func isHelp(arg string) bool {
	return arg == "help" || arg == "-h" || arg == "-help" || arg == "--help"
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "Usage: webapp [command] [flags]")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-11s %s\n", c.name, c.summary)
	}
	fmt.Fprintln(w, "webapp <command> -help lists its flags; each can be set as FIELDMARK_<FLAG> too.")
}
