package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// errUsage marks a command line that cannot be understood.
var errUsage = errors.New("see -help")

// flagSet is a flag.FlagSet whose flags can be set by the environment as well.
func flagSet(name string, stderr io.Writer) *flag.FlagSet {
	fs := flag.NewFlagSet("webapp "+name, flag.ContinueOnError)
	fs.SetOutput(stderr)
	return fs
}

// parse reads the environment, then args, which go before it.
func parse(fs *flag.FlagSet, args []string) error {
	var bad error
	fs.VisitAll(func(f *flag.Flag) {
		key := "FIELDMARK_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		if value, set := os.LookupEnv(key); set {
			if err := fs.Set(f.Name, value); err != nil {
				bad = errors.Join(bad, fmt.Errorf("%w: %s=%q: %w", errUsage, key, value, err))
			}
		}
	})
	if bad != nil {
		return bad
	}
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	return nil
}

// parseAround is parse for a command with operands, which flags may follow. It
// returns the operands.
func parseAround(fs *flag.FlagSet, args []string) (operands []string, err error) {
	if err := parse(fs, args); err != nil {
		return nil, err
	}
	for fs.NArg() > 0 {
		operands = append(operands, fs.Arg(0))
		if err := fs.Parse(fs.Args()[1:]); err != nil {
			return nil, fmt.Errorf("%w: %w", errUsage, err)
		}
	}
	return operands, nil
}

// noArgs refuses arguments that are left after the flags.
func noArgs(fs *flag.FlagSet) error {
	if fs.NArg() > 0 {
		return fmt.Errorf("%w: %q is not a flag", errUsage, fs.Arg(0))
	}
	return nil
}
