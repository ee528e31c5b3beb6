package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"fieldmark/internal/eval"
	"fieldmark/internal/photo"
)

const copiesUsage = `Usage: evaluate copies --photos SOURCE [flags]

Teaches the first photo of each of some classes, each by itself among exemplars that
are drawn like embeddings of the other photos, half of them under invented names, and
asks for copies of it (re-encoded, cropped, mirrored): how many does near name as taught,
whatever the rest of the rule says? All classes are candidates; those of one name are
one.`

// copiesFlags is the command line of copies.
type copiesFlags struct {
	source
	drawing
	taught int
	sizes  string
	wholes bool
}

// runCopies measures what METHOD section 7 (a) wants.
func (p program) runCopies(ctx context.Context, args []string) error {
	var f copiesFlags
	fs := p.flags("copies", copiesUsage)
	f.source.register(fs)
	fs.IntVar(&f.taught, "taught", 300, "`photos` that are taught, of as many classes")
	fs.StringVar(&f.sizes, "sizes", "10,10000,1000000", "`numbers` of exemplars, ascending, commas between")
	f.registerSeed(fs)
	fs.BoolVar(&f.wholes, "wholes", false, "remember taught photos as wholes only, without their views")
	if err := parse(fs, args); err != nil {
		return err
	}
	var sizes []int
	for _, s := range strings.Split(f.sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 1 {
			return fmt.Errorf("--sizes: %q is no number of exemplars: %w", s, errUsage)
		}
		sizes = append(sizes, n)
	}
	if f.taught < 1 || !slices.IsSorted(sizes) || fs.NArg() > 0 {
		return fmt.Errorf("want --taught of at least 1, --sizes that ascend, and no other arguments: %w", errUsage)
	}
	crowd, err := p.crowd(ctx, f)
	if err != nil {
		return err
	}
	crowd.Sizes = sizes
	results, err := crowd.Run(ctx, f.rng())
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%d candidates\n", len(crowd.Classes)+len(crowd.Invented))
	return printFollowed(p.stdout, sizes, results)
}

// crowd reads and embeds photos: of those that are taught also the views and the
// copies.
func (p program) crowd(ctx context.Context, f copiesFlags) (_ eval.Crowd, err error) {
	classes, files, names, err := f.read(3)
	if err != nil {
		return eval.Crowd{}, err
	}
	classes = mergeNamesakes(classes, files, names)
	e, w, err := f.open(p.workers, classes, names)
	if err != nil {
		return eval.Crowd{}, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	var crowd eval.Crowd
	for i := range min(f.taught, len(classes)) / 2 {
		crowd.Invented = append(crowd.Invented, w.add(invented(i)))
	}
	if crowd.Subject, err = w.subject(ctx, e); err != nil {
		return eval.Crowd{}, err
	}
	s := seeing{remembered: photo.Views(), asked: views()}
	if f.wholes {
		s.remembered = nil
	}
	taught, others := firsts(files, classes, f.taught)
	if crowd.Classes, err = embedClasses(ctx, e, taught, classes, s); err != nil {
		return eval.Crowd{}, err
	}
	rest, err := embedClasses(ctx, e, others, classes, seeing{})
	for i, c := range rest {
		crowd.Classes[i].Photos = append(crowd.Classes[i].Photos, c.Photos...)
	}
	return crowd, err
}

// firsts parts the first photos of n classes, or of all if there are fewer, from the
// other photos. The classes lie evenly among all.
func firsts(files []photoFile, classes []string, n int) (first, others []photoFile) {
	n = min(n, len(classes))
	wanted := make(map[string]bool, n)
	for i := range n {
		wanted[classes[i*len(classes)/n]] = true
	}
	for _, f := range files {
		if wanted[f.class] {
			wanted[f.class] = false
			first = append(first, f)
		} else {
			others = append(others, f)
		}
	}
	return first, others
}

// printFollowed writes a line for each kind and a column for each size.
func printFollowed(out io.Writer, sizes []int, results []eval.Followed) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "named as taught, %\tasked\t")
	for _, n := range sizes {
		fmt.Fprintf(w, "of %d\t", n)
	}
	fmt.Fprintln(w)
	kinds := len(results) / len(sizes)
	for k, r := range results[:kinds] {
		fmt.Fprintf(w, "%s\t%d\t", r.Kind, r.Asked)
		for i := range sizes {
			at := results[i*kinds+k]
			fmt.Fprintf(w, "%.1f\t", 100*float64(at.Right)/float64(at.Asked))
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
