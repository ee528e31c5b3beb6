package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"

	"fieldmark/internal/fusion"
)

// drawing is how often an experiment draws what it teaches, and by which rules it asks.
type drawing struct {
	draws int
	seed  uint64
	rules string // names, commas between
}

func (d *drawing) register(fs *flag.FlagSet, draws int) {
	fs.IntVar(&d.draws, "draws", draws, "`number` of draws of what is taught")
	d.registerSeed(fs)
}

func (d *drawing) registerSeed(fs *flag.FlagSet) {
	fs.Uint64Var(&d.seed, "seed", 1, "`seed` of the draws")
}

func (d *drawing) registerRules(fs *flag.FlagSet, rules string) {
	fs.StringVar(&d.rules, "fusion", rules, "fusion `rules`, commas between; \"all\" for all")
}

func (d *drawing) rng() *rand.Rand { return rand.New(rand.NewPCG(d.seed, 0)) }

// asked are the rules; the error is one of usage.
func (d *drawing) asked() ([]fusion.Rule, error) {
	if d.rules == "all" {
		return fusion.Rules(), nil
	}
	var rules []fusion.Rule
	for _, name := range strings.Split(d.rules, ",") {
		r, err := fusion.ParseRule(strings.TrimSpace(name))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", err, errUsage)
		}
		rules = append(rules, r)
	}
	return rules, nil
}
