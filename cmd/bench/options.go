package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// options is the command line: config, and what that is made of.
type options struct {
	config
	out                                  string
	labelList, widthList, psiList, asked string // commas between
}

// flags are those of the command line, which set o when they are parsed.
func (o *options) flags(stderr io.Writer) *flag.FlagSet {
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprintln(stderr, usage)
		for _, s := range stages() {
			fmt.Fprintf(stderr, "  %-11s %s\n", s.name, s.summary)
		}
		fs.PrintDefaults()
	}
	fs.StringVar(&o.out, "out", "", "`file` that the document is written to, and plots beside it")
	fs.StringVar(&o.labelList, "labels", "100,1000", "`numbers` of labels K, a memory for each, commas between")
	fs.StringVar(&o.widthList, "widths", "16,32,64,96,128,192,256,384,512", "search `widths` to choose among, commas between")
	fs.StringVar(&o.asked, "peers", strings.Join(allPeers(), ","), "`names` of what to compare with, commas between")
	fs.StringVar(&o.psiList, "psis", "5000,500,1000,10000", "`numbers` ψ of its trees, the first beside LinProbe, commas between")
	o.config.register(fs)
	o.peers.register(fs)
	return fs
}

// register adds the flags of what is measured.
func (c *config) register(fs *flag.FlagSet) {
	fs.IntVar(&c.exemplars, "exemplars", 100_000, "exemplars in the memory (`N`)")
	fs.IntVar(&c.leaf, "leaf", 50_000, "exemplars of a full leaf (`ψ`)")
	fs.IntVar(&c.parity, "parity", 5000, "exemplars of a further leaf, on which scikit-learn ends in time (`N`)")
	fs.IntVar(&c.dim, "dim", 512, "`elements` of an embedding")
	fs.IntVar(&c.held, "held-out", 2000, "`queries` that classifiers are compared on")
	fs.IntVar(&c.lessons, "corrections", 100, "`number` of corrections that are timed")
	fs.IntVar(&c.queries, "queries", 500, "`number` of answers and searches that are timed")
	fs.IntVar(&c.slow, "slow", 20_000, "most `vectors` that coder/hnsw and the graph of FAISS are given")
	fs.IntVar(&c.imported, "import", 50_000, "`rows` of the imported file")
	fs.IntVar(&c.scale, "scale", 22_000, "exemplars of the paper's run (`N`); the paper's are 220000, with --psis 50000,5000,10000,100000")
	fs.Uint64Var(&c.seed, "seed", 1, "`seed` of the made-up embeddings")
	fs.IntVar(&c.workers, "workers", runtime.NumCPU(), "`goroutines` that share a fit or a scan")
	fs.StringVar(&c.keep, "keep", "", "`folder` where filled memories are kept for the next run")
}

// register adds the flags of what it is compared with.
func (p *peers) register(fs *flag.FlagSet) {
	fs.DurationVar(&p.patience, "patience", 3*time.Minute, "how `long` a peer, or our LinProbe in the stage scale, may take for one piece of work before it is stopped")
	fs.StringVar(&p.python, "python", "/usr/bin/python3", "`interpreter` that has the Python peers")
	fs.StringVar(&p.script, "script", filepath.Join("tools", "bench", "peers.py"), "the Python peers' `program`")
	fs.StringVar(&p.native, "native", filepath.Join("build", "bench", "hnswlib"), "tools/bench/hnswlib.cpp, compiled (`program`)")
}

// read makes config of the flags that were parsed, and returns the stages of the given
// names.
func (o *options) read(names []string) ([]stage, error) {
	for _, list := range []struct {
		text string
		into *[]int
	}{{o.labelList, &o.labels}, {o.widthList, &o.widths}, {o.psiList, &o.psis}} {
		var err error
		if *list.into, err = numbers(list.text); err != nil {
			return nil, err
		}
	}
	slices.Sort(o.labels)
	slices.Sort(o.widths)
	o.peers.wanted = strings.Split(o.asked, ",")
	if o.out != "" {
		o.plots = filepath.Dir(o.out)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	return choose(names)
}

// command is the command line as it was given, but for places on this machine.
func command(fs *flag.FlagSet) string {
	words := []string{"bench"}
	fs.Visit(func(f *flag.Flag) {
		if !slices.Contains([]string{"out", "keep", "python", "script", "native"}, f.Name) {
			words = append(words, "--"+f.Name, f.Value.String())
		}
	})
	return strings.Join(append(words, fs.Args()...), " ")
}

func (c config) check() error {
	switch {
	case c.exemplars < 1 || c.leaf < 2 || c.parity < 2 || c.dim < 2 || c.held < 1 || c.lessons < 1 || c.queries < 1 || c.imported < 1 || c.workers < 1 || c.slow < 1 || c.scale < 1:
		return errors.New("all numbers must be positive, and --leaf and --dim at least 2")
	case len(c.labels) == 0 || len(c.widths) == 0 || len(c.psis) == 0:
		return errors.New("--labels, --widths and --psis need a number each")
	}
	return nil
}

func numbers(list string) ([]int, error) {
	var out []int
	for _, text := range strings.Split(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 2 {
			return nil, fmt.Errorf("%q is not a number of at least 2", text)
		}
		out = append(out, n)
	}
	return out, nil
}

func choose(names []string) ([]stage, error) {
	if len(names) == 0 {
		return stages(), nil
	}
	var list []stage
	for _, name := range names {
		i := slices.IndexFunc(stages(), func(s stage) bool { return s.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no stage %q; bench -help lists them", name)
		}
		list = append(list, stages()[i])
	}
	return list, nil
}
