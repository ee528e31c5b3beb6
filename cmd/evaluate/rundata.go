package main

import (
	"flag"
	"fmt"
	"strings"

	"fieldmark/internal/fusion"
	"fieldmark/internal/protocol"
)

// dataFlags say what is measured: the tasks of a manifest, or synthetic ones.
type dataFlags struct {
	source    suiteSource
	near      fusion.NearParams
	synthetic string
	dim       int
	seed      uint64
}

func (f *dataFlags) register(fs *flag.FlagSet) {
	f.source.register(fs)
	fs.Float64Var(&f.near.Slope, "near-slope", 0, "a of the rule near, where no encoder's manifest says; 0: nothing is near")
	fs.Float64Var(&f.near.Midpoint, "near-midpoint", 0, "s₀ of the rule near, likewise")
	fs.StringVar(&f.synthetic, "synthetic", "", "tasks of random numbers: target tasks, zero-shot tasks, `classes` of each, training and test images of each class, commas between")
	fs.IntVar(&f.dim, "dim", 512, "`numbers` of a synthetic embedding")
	fs.Uint64Var(&f.seed, "data-seed", 1, "`seed` of synthetic tasks")
}

// make makes synthetic tasks.
func (f *dataFlags) make() (protocol.Suite, error) {
	var s protocol.Shape
	text := strings.ReplaceAll(f.synthetic, ",", " ")
	if n, err := fmt.Sscan(text, &s.Targets, &s.ZeroShotTasks, &s.Classes, &s.Train, &s.Test); err != nil || n != len(strings.Fields(text)) {
		return protocol.Suite{}, fmt.Errorf("--synthetic %s: want five numbers, such as 8,3,100,275,20: %w", f.synthetic, errUsage)
	}
	if min(s.Targets, s.Classes, s.Train, s.Test, f.dim) < 1 || s.ZeroShotTasks < 0 {
		return protocol.Suite{}, fmt.Errorf("--synthetic %s, --dim %d: all but the zero-shot tasks must be at least 1: %w", f.synthetic, f.dim, errUsage)
	}
	s.Dim = f.dim
	return protocol.Synthetic(s, f.seed), nil
}
