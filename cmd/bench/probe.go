package main

import (
	"context"
	"fmt"

	"fieldmark/internal/probe"
)

// probe measures the classifier of one leaf: of full ones, and of one of which
// scikit-learn finds the optimum in time.
func (b *bench) probe(ctx context.Context) (section, error) {
	var s section
	for _, k := range b.labels {
		rows, note, err := b.probeOf(ctx, leafSize{b.leaf, k})
		if err != nil {
			return s, err
		}
		s.rows, s.notes = append(s.rows, rows...), append(s.notes, note)
	}
	rows, err := b.parityOf(ctx, leafSize{min(b.leaf, b.parity), b.labels[0]})
	s.rows = append(s.rows, rows...)
	return s, err
}

// parityOf compares a leaf's optimum with scikit-learn's.
func (b *bench) parityOf(ctx context.Context, size leafSize) ([]row, error) {
	l, err := b.newLeaf(size)
	if err != nil {
		return nil, err
	}
	fit, _, err := l.consolidate(ctx, b.workers)
	if err != nil {
		return nil, err
	}
	return b.refitOf(ctx, size, fit.Model).parity(size.String(), fit.Report, l.top1(fit.Model)), nil
}

func (b *bench) probeOf(ctx context.Context, size leafSize) ([]row, string, error) {
	name := size.String()
	l, err := b.newLeaf(size)
	if err != nil {
		return nil, "", err
	}
	b.tell("cold fit, %s", name)
	cold, coldTime, err := l.consolidate(ctx, b.workers)
	if err != nil {
		return nil, "", err
	}
	l.tree, _ = l.tree.WithProbe(cold)
	before := l.top1(cold.Model)
	strokes, err := l.strokes(ctx, l.mistakes(cold.Model, b.lessons), b.workers)
	if err != nil {
		return nil, "", err
	}
	after := l.top1(l.tree.Probe(l.leaf))
	b.tell("warm fit, %s", name)
	warm, warmTime, err := l.consolidate(ctx, b.workers)
	if err != nil {
		return nil, "", err
	}
	optimum := l.top1(warm.Model)
	reference := b.refitOf(ctx, size, cold.Model)
	figures := reference.figures()
	rows := []row{
		{what: "cold fit to the optimum, " + name, unit: duration, ours: took(coldTime.clock), peers: figures[:1],
			note: fmt.Sprintf("%d steps", cold.Report.Iterations), bounds: []bound{{5, scikit + " cold"}}},
		{what: "the same, seconds of processors, " + name, unit: duration, ours: took(coldTime.processors),
			peers: []figure{reference.figure("cold", ofProcessors)}},
		{what: "one stroke, the median, " + name, unit: duration, ours: strokes.quantile(.5), peers: figures},
		{what: "one stroke, p95, " + name, unit: duration, ours: strokes.quantile(.95)},
		{what: fmt.Sprintf("%d strokes alone: same top-1 as the optimum, %s", len(strokes), name), unit: share,
			ours: alike(after, optimum), bounds: []bound{{value: .98}},
			peers: []figure{{name: "without any stroke", value: alike(before, optimum)}}},
	}
	note := fmt.Sprintf("%s: consolidating %d corrections took %s.", name, len(strokes), seconds(took(warmTime.clock)))
	return append(rows, reference.parity(name, cold.Report, before)...), note, nil
}

// strokes teaches exemplars one by one and times each stroke. Nothing is
// consolidated meanwhile.
func (l *fullLeaf) strokes(ctx context.Context, lessons []int, workers int) (times, error) {
	var t times
	for _, i := range lessons {
		x, label := l.draw.At(i)
		err := t.add(func() error {
			next, _, err := l.tree.Insert(int32(label), x)
			if err != nil {
				return err
			}
			l.tree, err = next.Stroke(ctx, []int{l.leaf}, workers)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

// parity compares a consolidated leaf with scikit-learn's optimum.
func (r refit) parity(name string, report probe.Report, top1 []int32) []row {
	objective := row{what: "objective above scikit-learn's optimum, relative, " + name, unit: excess, bounds: []bound{{value: 1e-4}}}
	same := row{what: fmt.Sprintf("same top-1 as scikit-learn's optimum on %d held out, %s", len(top1), name), unit: share,
		bounds: []bound{{value: .995}}}
	best, there := r.pick("optimum")
	if !there {
		return []row{objective.unmeasured(missing(r.err)), same.unmeasured(missing(r.err))}
	}
	objective.ours = (report.Objective - best.Objective) / best.Objective
	objective.note = fmt.Sprintf("gradient %.0e", report.GradNorm)
	same.ours = alike(top1, best.Top1)
	if cold, there := r.pick("cold"); there {
		objective.peers = []figure{{name: scikit + " cold", value: (cold.Objective - best.Objective) / best.Objective}}
		same.peers = []figure{{name: scikit + " cold", value: alike(cold.Top1, best.Top1)}}
	}
	return []row{objective, same}
}
