package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"fieldmark/internal/protocol"
	"fieldmark/internal/report"
)

const runUsage = `Usage: evaluate run --out DIR [flags] MANIFEST…
       evaluate run --out DIR [flags] --synthetic TARGETS,ZEROSHOT,CLASSES,TRAIN,TEST

Runs the paper's protocols over the tasks that a manifest lists (doc/evaluation.md
says how). DIR gets what is measured as it comes, in rows.jsonl: a run that was
stopped goes on from there when it is given the same command again. At the end it
prints the figures, and whether what the paper reports holds on these tasks.

Several --model, or several manifests with embeddings of one encoder each, are set
side by side: each has a folder of its own below DIR, and DIR the comparison.

--synthetic makes tasks of random numbers in their place, with so many classes in
a task and images in a class, of --dim numbers: to measure cost.`

// runFlags is the command line of run.
type runFlags struct {
	data     dataFlags
	out      string
	plan     protocol.Plan
	ablation bool
}

// runRun runs the paper's protocols.
func (p program) runRun(ctx context.Context, args []string) error {
	f := runFlags{plan: protocol.DefaultPlan()}
	fs := p.flags("run", runUsage)
	f.data.register(fs)
	f.register(fs)
	if err := parse(fs, args); err != nil {
		return err
	}
	if f.out == "" {
		return fmt.Errorf("want --out, a folder for the results: %w", errUsage)
	}
	if err := f.plan.Check(); err != nil {
		return fmt.Errorf("%w: %w", err, errUsage)
	}
	subjects, err := f.data.subjects(fs.Args())
	if err != nil {
		return err
	}
	if err := apart(subjects); err != nil {
		return err
	}
	command := "evaluate run " + strings.Join(args, " ")
	if len(subjects) == 1 {
		d, err := p.measureOne(ctx, f, subjects[0], command)
		if err != nil {
			return err
		}
		return p.save(f.out, d)
	}
	return p.measureAll(ctx, f, subjects, command)
}

// measureOne runs the plan on one subject.
func (p program) measureOne(ctx context.Context, f runFlags, s subject, command string) (report.Document, error) {
	loaded, err := f.data.read(ctx, p, s)
	if err != nil {
		return report.Document{}, err
	}
	if f.ablation {
		f.plan.Systems = slices.Clone(f.plan.Systems)
		for _, s := range loaded.Suite.Ablations() {
			if !slices.Contains(f.plan.Systems, s) {
				f.plan.Systems = append(f.plan.Systems, s)
			}
		}
	}
	result, err := p.measure(ctx, f, loaded.Suite, command)
	if err != nil {
		return report.Document{}, err
	}
	return report.Document{Result: *result, Notes: loaded.Notes}, nil
}

// measureAll runs the plan on each of several subjects, in a folder below the run's
// own by its name, and sets them side by side in that.
func (p program) measureAll(ctx context.Context, f runFlags, subjects []subject, command string) error {
	var encoders []report.Encoder
	for _, s := range subjects {
		mine := f
		mine.out = filepath.Join(f.out, s.name())
		fmt.Fprintf(p.stderr, "%s:\n", s.name())
		d, err := p.measureOne(ctx, mine, s, command)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name(), err)
		}
		if _, err := report.Save(mine.out, d.Result, d.Notes); err != nil {
			return fmt.Errorf("%s: the report could not be written: %w", s.name(), err)
		}
		encoders = append(encoders, report.Encoder{Name: s.name(), Document: d})
	}
	r, err := report.SaveComparison(f.out, encoders)
	if err != nil {
		return err
	}
	return p.print(f.out, r)
}

// measure does what the folder's file does not have yet, and returns the rows of
// the whole plan.
func (p program) measure(ctx context.Context, f runFlags, suite protocol.Suite, command string) (*protocol.Result, error) {
	about := suite.About()
	about.Command, about.Version, about.Started = command, version(), time.Now().UTC().Format(time.RFC3339)
	if err := os.MkdirAll(f.out, 0o777); err != nil {
		return nil, err
	}
	file, err := openRunFile(filepath.Join(f.out, runFileName), about, f.plan)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	lines := progressLine{out: p.stderr}
	runner := protocol.Runner{
		Suite: suite, Plan: f.plan, Workers: p.workers,
		Clock:  func() float64 { return time.Since(start).Seconds() },
		Report: lines.show,
	}
	err = runner.Run(ctx, file.has, file.keep)
	if err := file.Close(); err != nil {
		return nil, err
	}
	if errors.Is(err, context.Canceled) {
		return nil, fmt.Errorf("stopped; what was measured is in %s, and the same command goes on from there: %w", f.out, err)
	}
	if err != nil {
		return nil, err
	}
	result := &protocol.Result{About: file.about, Plan: f.plan}
	for _, c := range runner.Cells() {
		result.Rows = append(result.Rows, file.rows(c)...)
	}
	return result, nil
}

// version is the program's, as Go recorded it in the build.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}

// duration says seconds as people do.
func duration(seconds float64) string {
	if math.IsNaN(seconds) {
		return "unknown"
	}
	return time.Duration(seconds * float64(time.Second)).Round(time.Second).String()
}
