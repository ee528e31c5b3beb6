package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"text/tabwriter"

	"fieldmark/internal/eval"
	"fieldmark/internal/fusion"
	"fieldmark/internal/photo"
)

// teachFlags is the command line of teach.
type teachFlags struct {
	source
	taught, perClass, draws int
	seed                    uint64
	sets, rules             string
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
	f.register(fs)
	fs.IntVar(&f.taught, "taught", 1, "`photos` of each class that are taught")
	fs.IntVar(&f.perClass, "per-class", 10, "`photos` of each class that are taught or asked")
	fs.IntVar(&f.draws, "draws", 20, "`number` of draws")
	fs.Uint64Var(&f.seed, "seed", 1, "`seed` of the draws")
	fs.StringVar(&f.sets, "label-sets", "butterflies-moths,everything", "label `sets` of the vocabulary that are candidates too, commas between")
	fs.StringVar(&f.rules, "fusion", "zero-shot,aim-emb,near", "fusion `rules`, commas between; \"all\" for all")
	if err := parse(fs, args); err != nil {
		return err
	}
	rules, err := parseRules(f.rules)
	if err != nil {
		return fmt.Errorf("%w: %w", err, errUsage)
	}
	if f.taught < 1 || f.perClass <= f.taught || f.draws < 1 || fs.NArg() > 0 {
		return fmt.Errorf("want --taught of at least 1, --per-class above it, --draws of at least 1, and no other arguments: %w", errUsage)
	}
	lesson, err := p.lesson(ctx, f, rules)
	if err != nil {
		return err
	}
	results, err := lesson.Run(ctx, rand.New(rand.NewPCG(f.seed, 0)))
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
	e, err := openEncoder(f.model, f.library, p.workers)
	if err != nil {
		return eval.Lesson{}, err
	}
	defer e.Close()
	m := e.Manifest()
	w, err := newWorld(classes, names, m.Names)
	if err != nil {
		return eval.Lesson{}, err
	}
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
	lesson.Subject = eval.Subject{Tau: m.LogitScale, K: neighbours, Near: fusion.NearParams{Slope: m.Near.Slope, Midpoint: m.Near.Midpoint}}
	if lesson.Subject.Texts, err = w.embed(ctx, e); err != nil {
		return eval.Lesson{}, err
	}
	lesson.Classes, err = embedClasses(ctx, e, files, classes, seeing{remembered: photo.Views()})
	return lesson, err
}

// neighbours is k of the paper.
const neighbours = 9

func parseRules(list string) ([]fusion.Rule, error) {
	if list == "all" {
		return fusion.Rules(), nil
	}
	var rules []fusion.Rule
	for _, name := range strings.Split(list, ",") {
		r, err := fusion.ParseRule(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
	return rules, nil
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
