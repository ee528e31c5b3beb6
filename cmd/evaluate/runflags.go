package main

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fieldmark/internal/fusion"
	"fieldmark/internal/protocol"
)

// register adds the flags of the plan and the folder of results.
func (f *runFlags) register(fs *flag.FlagSet) {
	p := &f.plan
	fs.StringVar(&f.out, "out", "", "`folder` for the results")
	given := false
	fs.Func("system", "exemplar `system`, with parameters if need be: tree,psi=5000,k=6,tau=1; may be given several times; all of them with the paper's parameters if not given", func(text string) error {
		s, err := protocol.ParseSystem(text)
		if err != nil {
			return err
		}
		if !given {
			p.Systems, given = nil, true
		}
		if !slices.Contains(p.Systems, s) {
			p.Systems = append(p.Systems, s)
		}
		return nil
	})
	fs.BoolVar(&f.ablation, "ablations", false, "also the systems with other k, ψ and τ_β, and a single leaf")
	listVar(fs, &p.Rules, "rules", "fusion `rules`, commas between; all if not given", fusion.ParseRule)
	listVar(fs, &p.Protocols, "protocols", "`protocols`: data, class, task, long-tail, log, growth; all if not given", protocol.ParseProtocol)
	listVar(fs, &p.Seeds, "seeds", "`seeds`, commas between (default 1)", func(s string) (uint64, error) { return strconv.ParseUint(s, 10, 64) })
	listVar(fs, &p.Fractions, "fractions", "shares of the training images of protocol data, growing, commas between", func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
	fs.IntVar(&p.Orders, "orders", p.Orders, "`number` of orders of the target tasks")
	fs.BoolVar(&p.LongTailRule, "long-tail-rule", p.LongTailRule, "also each rule with the rarest two thirds of the known labels outside Y_e")
	fs.IntVar(&p.ClassStages, "class-stages", p.ClassStages, "`number` of stages of protocol class")
	fs.Float64Var(&p.Imbalance, "imbalance", p.Imbalance, "how many `times` more images the first class has than the last, in protocol long-tail")
	fs.IntVar(&p.LogWindow, "log-window", p.LogWindow, "`lessons` to a point of the curve of protocol log")
	fs.IntVar(&p.LogLimit, "log-limit", p.LogLimit, "`lessons` of protocol log at most; 0: all")
	fs.BoolVar(&p.Graph, "graph", false, "find neighbours by the graph that the product uses, which now and then misses one, in place of a scan: for a hundred thousand exemplars")
	fs.IntVar(&p.ZeroShotLabels, "zero-shot-labels", p.ZeroShotLabels, "`labels` of zero-shot tasks that flexible inference draws")
	fs.IntVar(&p.MixSplits, "mix-splits", p.MixSplits, "`parts` of the target labels in flexible inference")
	fs.IntVar(&p.MixPerClass, "mix-per-class", p.MixPerClass, "test `images` of a class at most in flexible inference's mix")
	fs.IntVar(&p.Bins, "bins", p.Bins, "`bins` of calibration")
}

// listVar adds a flag whose value is a list with commas between, in place of what
// is there.
func listVar[T comparable](fs *flag.FlagSet, into *[]T, name, usage string, parse func(string) (T, error)) {
	fs.Func(name, usage, func(text string) error {
		var out []T
		for _, part := range strings.Split(text, ",") {
			v, err := parse(strings.TrimSpace(part))
			if err != nil {
				return err
			}
			if slices.Contains(out, v) {
				return fmt.Errorf("%v is there twice", v)
			}
			out = append(out, v)
		}
		*into = out
		return nil
	})
}
