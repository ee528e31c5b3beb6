package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"fieldmark/internal/eval"
	"fieldmark/internal/fusion"
	"fieldmark/internal/photo"
)

const nearUsage = `Usage: evaluate near --photos SOURCE [flags]
       evaluate near --pack DIR [flags]

Deals classes out at random: two fifths are taught under their own names, a fifth
under invented ones, the others not at all; all names are candidates. Asks for
copies of the taught photos (re-encoded, cropped, mirrored), other photos of the
taught classes and photos of the untaught ones, and prints the share named right
by zero-shot, aim-emb, bayes, and near under a grid of its parameters a and s₀.
The last line proposes those for an encoder's manifest that follow the most
copies while other photos lose at most --loss against aim-emb. On photos that the
encoder was trained on, zero-shot looks better than it is.

With --pack, the classes are the exemplars of a reference pack, without copies;
then its queries are asked at every stage of its runs.`

// defaultLoss is what near may cost, in points, as METHOD section 7 has it.
const defaultLoss = .5

// nearFlags is the command line of near.
type nearFlags struct {
	source
	drawing
	pack     string
	taught   int
	loss     float64
	labelSet string
	wholes   bool
}

// runNear shows what the rule near gains and costs.
func (p program) runNear(ctx context.Context, args []string) error {
	var f nearFlags
	fs := p.flags("near", nearUsage)
	f.source.register(fs)
	f.drawing.register(fs, 5)
	besideVar(fs, &f.labelSet)
	fs.StringVar(&f.pack, "pack", "", "`folder` with a reference pack, in place of photos")
	fs.BoolVar(&f.wholes, "wholes", false, "remember taught photos as wholes only, without their views")
	fs.IntVar(&f.taught, "taught", 1, "`photos` of each taught class that are taught")
	fs.Float64Var(&f.loss, "loss", defaultLoss, "`points` that near may lose against aim-emb")
	if err := parse(fs, args); err != nil {
		return err
	}
	if (f.pack == "") == (f.photos == "") || f.taught < 1 || f.draws < 1 || fs.NArg() > 0 {
		return fmt.Errorf("want either --photos or --pack, --taught and --draws of at least 1, and no other arguments: %w", errUsage)
	}
	if f.pack != "" {
		return p.nearOnPack(ctx, f)
	}
	trial, err := p.photoTrial(ctx, f)
	if err != nil {
		return err
	}
	_, err = p.try(ctx, f, trial)
	return err
}

// grid is the parameters that are tried.
func grid() []fusion.NearParams {
	var g []fusion.NearParams
	for _, a := range []float64{10, 20} {
		for s := 40; s <= 90; s += 10 {
			g = append(g, fusion.NearParams{Slope: a, Midpoint: float64(s) / 100})
		}
	}
	return g
}

// try runs a trial, prints it, and returns what it proposes.
func (p program) try(ctx context.Context, f nearFlags, trial eval.NearTrial) (fusion.NearParams, error) {
	counts, err := trial.Run(ctx, f.rng())
	if err != nil {
		return fusion.NearParams{}, err
	}
	if err := printTrial(p.stdout, trial.Grid, counts); err != nil {
		return fusion.NearParams{}, err
	}
	best := eval.Choose(counts, len(trial.Grid), f.loss/100)
	if best < 0 {
		_, err = fmt.Fprintf(p.stdout, "no parameters lose at most %.2f points\n", f.loss)
		return fusion.NearParams{}, err
	}
	g := trial.Grid[best]
	_, err = fmt.Fprintf(p.stdout, "proposed: slope %g, midpoint %g\n", g.Slope, g.Midpoint)
	return g, err
}

// photoTrial reads and embeds photos.
func (p program) photoTrial(ctx context.Context, f nearFlags) (_ eval.NearTrial, err error) {
	classes, files, names, err := f.read(f.taught + 1)
	if err != nil {
		return eval.NearTrial{}, err
	}
	e, w, err := f.open(p.workers, classes, names)
	if err != nil {
		return eval.NearTrial{}, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	trial := eval.NearTrial{Taught: f.taught, Draws: f.draws, Grid: grid()}
	if trial.Extra, err = w.beside(f.labelSet, len(classes)); err != nil {
		return eval.NearTrial{}, err
	}
	for i := range len(classes) / 5 {
		trial.Invented = append(trial.Invented, w.add(invented(i)))
	}
	if trial.Subject, err = w.subject(ctx, e); err != nil {
		return eval.NearTrial{}, err
	}
	s := seeing{remembered: photo.Views(), asked: views()}
	if f.wholes {
		s.remembered = nil
	}
	trial.Classes, err = embedClasses(ctx, e, files, classes, s)
	return trial, err
}

// invented returns the i-th name that means nothing.
func invented(i int) string {
	syllables := []string{"zor", "quib", "mel", "tavo", "prin", "dush", "wexa", "glim", "orru", "fenk"}
	return fmt.Sprintf("%s%s %s%s", syllables[i%10], syllables[i/10%10], syllables[(i+3)%10], syllables[(i/100+i+7)%10])
}

// nearOnPack chooses parameters on a pack's exemplars and tries them on its
// queries.
func (p program) nearOnPack(ctx context.Context, f nearFlags) error {
	pack, err := eval.ReadPack(os.DirFS(f.pack))
	if err != nil {
		return err
	}
	best, err := p.try(ctx, f, pack.Trial(grid(), f.taught, f.draws))
	if err != nil {
		return err
	}
	rules := []fusion.Rule{fusion.ZeroShot, fusion.AIMEmb, fusion.Bayes, fusion.Near}
	list, err := eval.Qualities(ctx, pack, rules, best)
	if err != nil {
		return err
	}
	return printQualities(p.stdout, rules, list)
}

func printTrial(out io.Writer, grid []fusion.NearParams, counts []eval.NearCount) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "top-1, %\t")
	for _, c := range counts {
		fmt.Fprintf(w, "%s\t", c.Kind)
	}
	line := func(name string, right func(eval.NearCount) int) {
		fmt.Fprintf(w, "\n%s\t", name)
		for _, c := range counts {
			fmt.Fprintf(w, "%.1f\t", 100*float64(right(c))/float64(c.Asked))
		}
	}
	fmt.Fprint(w, "\nphotos\t")
	for _, c := range counts {
		fmt.Fprintf(w, "%d\t", c.Asked)
	}
	line("zero-shot", func(c eval.NearCount) int { return c.ZeroShot })
	line("aim-emb", func(c eval.NearCount) int { return c.AIM })
	line("bayes", func(c eval.NearCount) int { return c.Bayes })
	for g, par := range grid {
		line(fmt.Sprintf("near %g, %g", par.Slope, par.Midpoint), func(c eval.NearCount) int { return c.Near[g] })
	}
	fmt.Fprintln(w)
	return w.Flush()
}

func printQualities(out io.Writer, rules []fusion.Rule, list []eval.Quality) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "run\tstage\texemplars\tcandidates\tqueries\t")
	for _, r := range rules {
		fmt.Fprintf(w, "%s, %%\tECE\t", r)
	}
	fmt.Fprintln(w)
	for _, q := range list {
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%d\t", q.Run, q.Stage, q.Exemplars, q.Set, q.Asked)
		for r := range rules {
			fmt.Fprintf(w, "%.1f\t%.3f\t", 100*float64(q.Right[r])/float64(q.Asked), q.ECE[r])
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
