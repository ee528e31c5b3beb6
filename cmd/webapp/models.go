package main

import (
	"context"
	"fmt"
	"io"
)

// modelCommands are what `webapp models` can do, one line each.
func modelCommands() []command {
	return []command{
		{"list", "show the encoders that there are", runModelsList},
		{"add", "FOLDER: copy an exported encoder into the data folder", runModelsAdd},
		{"pull", "[NAME]: download an encoder of the catalogue and add it", runModelsPull},
		{"use", "NAME: embed the photos with another encoder and let it serve", runModelsUse},
		{"reembed", "[NAME]: embed the photos that are not yet, under an encoder", runModelsReembed},
	}
}

// runModels executes one of modelCommands.
func runModels(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		for _, c := range modelCommands() {
			if c.name == args[0] {
				return c.run(ctx, args[1:], stdout, stderr)
			}
		}
	}
	fmt.Fprintln(stderr, "Usage: webapp models COMMAND [flags]")
	for _, c := range modelCommands() {
		fmt.Fprintf(stderr, "  %-8s %s\n", c.name, c.summary)
	}
	switch {
	case len(args) == 0:
		return fmt.Errorf("%w: say what to do with the encoders", errUsage)
	case isHelp(args[0]):
		return nil
	}
	return fmt.Errorf("%w: there is no command %q for encoders", errUsage, args[0])
}
