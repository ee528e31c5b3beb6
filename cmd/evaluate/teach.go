package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"fieldmark/internal/eval"
	"fieldmark/internal/fusion"
	"fieldmark/internal/photo"
)

// teachFlags is the command line of teach.
type teachFlags struct {
	source
	drawing
	taught, perClass int
	sets             string
}

const teachUsage = `Usage: evaluate teach --photos SOURCE [flags]

Teaches some photos of each class and asks for the others, by each fusion rule
over the tree, and prints the share named right (top-1) as mean and standard
deviation over draws of which photos are taught. Zero-shot is the encoder alone.
The candidates are the classes alone; the default ones, which are what the encoder
has learned to see, and the classes; and each of --label-sets, and the classes.`

// runTeach measures what a few corrections are worth.
func (p program) runTeach(ctx context.Context, args []string) error {
	var f teachFlags
	fs := p.flags("teach", teachUsage)
	f.source.register(fs)
	f.drawing.register(fs, 20)
	f.registerRules(fs, "zero-shot,aim-emb,near")
	fs.IntVar(&f.taught, "taught", 1, "`photos` of each class that are taught")
	fs.IntVar(&f.perClass, "per-class", 10, "`photos` of each class that are taught or asked")
	fs.StringVar(&f.sets, "label-sets", "butterflies-moths,everything", "label `sets` of the vocabulary that are candidates too, commas between")
	if err := parse(fs, args); err != nil {
		return err
	}
	rules, err := f.asked()
	if err != nil {
		return err
	}
	if f.taught < 1 || f.perClass <= f.taught || f.draws < 1 || fs.NArg() > 0 {
		return fmt.Errorf("want --taught of at least 1, --per-class above it, --draws of at least 1, and no other arguments: %w", errUsage)
	}
	lesson, err := p.lesson(ctx, f, rules)
	if err != nil {
		return err
	}
	results, err := lesson.Run(ctx, f.rng())
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%d classes, %d taught and %d asked of each, %d draws\n", len(lesson.Classes), f.taught, lesson.Asked, f.draws)
	return printLesson(p.stdout, lesson, results)
}

// lesson reads and embeds all that the experiment needs.
func (p program) lesson(ctx context.Context, f teachFlags, rules []fusion.Rule) (_ eval.Lesson, err error) {
	classes, files, names, err := f.read(f.perClass)
	if err != nil {
		return eval.Lesson{}, err
	}
	e, w, err := f.open(p.workers, classes, names)
	if err != nil {
		return eval.Lesson{}, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	lesson := eval.Lesson{
		Taught: f.taught, Asked: f.perClass - f.taught, Rules: rules, Draws: f.draws,
		Sets: []eval.CandidateSet{{Name: fmt.Sprintf("the classes (%d)", len(classes)), Labels: seq(len(classes))}},
	}
	set, err := w.byDefault(e.Seen(), len(classes))
	if err != nil {
		return eval.Lesson{}, err
	}
	lesson.Sets = append(lesson.Sets, set)
	for _, key := range strings.FieldsFunc(f.sets, func(r rune) bool { return r == ',' }) {
		set, err := w.set(key, len(classes))
		if err != nil {
			return eval.Lesson{}, err
		}
		lesson.Sets = append(lesson.Sets, set)
	}
	if lesson.Subject, err = w.subject(ctx, e); err != nil {
		return eval.Lesson{}, err
	}
	lesson.Classes, err = embedClasses(ctx, e, files, classes, seeing{remembered: photo.Views()})
	return lesson, err
}

// printLesson writes a line for each rule and a pair of columns for each
// candidate set.
func printLesson(out io.Writer, l eval.Lesson, results []eval.LessonResult) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "top-1, %\t")
	for _, s := range l.Sets {
		fmt.Fprintf(w, "%s\tECE\t", s.Name)
	}
	fmt.Fprintln(w)
	for r, rule := range l.Rules {
		fmt.Fprintf(w, "%s\t", rule)
		for s := range l.Sets {
			res := results[s*len(l.Rules)+r]
			mean, sd := eval.MeanSD(res.Top1)
			fmt.Fprintf(w, "%.1f ± %.1f\t%.3f\t", 100*mean, 100*sd, eval.ECE(res.Answers, 15))
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
