package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"fieldmark/internal/dataset"
	"fieldmark/internal/eval"
)

const forgetUsage = `Usage: evaluate forget --photos SOURCE [flags]

Teaches some photos, then --lessons more, drawn from all classes, and asks before
and after these lessons for photos of the classes that they were not of: what is
lost there, in points, is what the lessons cost. Every --every-th photo of a class is
asked and never taught. All classes are candidates; classes of one name are one.`

// forgetFlags is the command line of forget.
type forgetFlags struct {
	source
	drawing
	before, lessons, every int
	labelSet               string
}

// runForget measures what lessons cost elsewhere.
func (p program) runForget(ctx context.Context, args []string) error {
	var f forgetFlags
	fs := p.flags("forget", forgetUsage)
	f.source.register(fs)
	f.drawing.register(fs, 5)
	f.registerRules(fs, "zero-shot,aim-emb,aim-bayes,careful,near")
	besideVar(fs, &f.labelSet)
	fs.IntVar(&f.before, "before", 600, "`photos` that are taught before")
	fs.IntVar(&f.lessons, "lessons", 200, "`photos` that are taught then")
	fs.IntVar(&f.every, "every", 8, "one of how many `photos` of a class is asked and never taught")
	if err := parse(fs, args); err != nil {
		return err
	}
	rules, err := f.asked()
	if err != nil {
		return err
	}
	if f.before < 0 || f.lessons < 1 || f.every < 2 || f.draws < 1 || fs.NArg() > 0 {
		return fmt.Errorf("want --before of at least 0, --lessons and --draws of at least 1, --every of at least 2, and no other arguments: %w", errUsage)
	}
	trial, err := p.forgetting(ctx, f)
	if err != nil {
		return err
	}
	trial.Rules = rules
	results, err := trial.Run(ctx, f.rng())
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%d exemplars, then %d lessons; %d candidates, %d draws\n", f.before, f.lessons, len(trial.Classes)+len(trial.Extra), f.draws)
	return printForgotten(p.stdout, results)
}

// forgetting reads and embeds photos.
func (p program) forgetting(ctx context.Context, f forgetFlags) (_ eval.Forgetting, err error) {
	classes, files, names, err := f.read(2)
	if err != nil {
		return eval.Forgetting{}, err
	}
	classes = mergeNamesakes(classes, files, names)
	e, w, err := f.open(p.workers, classes, names)
	if err != nil {
		return eval.Forgetting{}, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	trial := eval.Forgetting{Before: f.before, Lessons: f.lessons, Every: f.every, Draws: f.draws}
	if trial.Extra, err = w.beside(f.labelSet, len(classes)); err != nil {
		return eval.Forgetting{}, err
	}
	if trial.Subject, err = w.subject(ctx, e); err != nil {
		return eval.Forgetting{}, err
	}
	trial.Classes, err = embedClasses(ctx, e, files, classes, seeing{})
	return trial, err
}

// mergeNamesakes gives the photos of classes with the same names to the first of
// them, and returns the classes that are left.
func mergeNamesakes(classes []string, files []photoFile, names dataset.ClassNames) []string {
	var left []string
	byName, as := map[string]string{}, map[string]string{}
	for _, c := range classes {
		key := strings.ToLower(strings.Join(names.Of(c), "\n"))
		if byName[key] == "" {
			byName[key] = c
			left = append(left, c)
		}
		as[c] = byName[key]
	}
	for i := range files {
		files[i].class = as[files[i].class]
	}
	return left
}

func printForgotten(out io.Writer, results []eval.Forgotten) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "top-1, %\tother classes before\tafter\tlost\tthe lessons' classes before\tafter\t")
	for _, r := range results {
		lost := make([]float64, len(r.Before))
		for i := range lost {
			lost[i] = r.Before[i] - r.After[i]
		}
		fmt.Fprintf(w, "%s\t", r.Rule)
		for i, list := range [][]float64{r.Before, r.After, lost, r.SameBefore, r.SameAfter} {
			mean, sd := eval.MeanSD(list)
			if i == 2 {
				fmt.Fprintf(w, "%.2f ± %.2f\t", 100*mean, 100*sd)
			} else {
				fmt.Fprintf(w, "%.1f\t", 100*mean)
			}
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
