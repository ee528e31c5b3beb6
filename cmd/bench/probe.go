package main

import (
	"context"
	"fmt"

	"fieldmark/internal/probe"
)

// probe measures the classifier of one full leaf.
func (b *bench) probe(ctx context.Context) (section, error) {
	var s section
	for _, k := range b.labels {
		rows, note, err := b.probeOf(ctx, k)
		if err != nil {
			return s, err
		}
		s.rows, s.notes = append(s.rows, rows...), append(s.notes, note)
	}
	return s, nil
}

func (b *bench) probeOf(ctx context.Context, k int) ([]row, string, error) {
	name := fmt.Sprintf("ψ = %s, K = %s", count(b.leaf), count(k))
	l, err := b.newLeaf(k, b.leaf)
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
	figures := b.refitFigures(ctx, k)
	rows := []row{
		{what: "cold fit to the optimum, " + name, unit: duration, ours: took(coldTime), peers: figures[:1],
			note: fmt.Sprintf("%d steps", cold.Report.Iterations), bounds: []bound{{5, scikit + " cold"}}},
		{what: "one stroke, the median, " + name, unit: duration, ours: strokes.quantile(.5), peers: figures},
		{what: "one stroke, p95, " + name, unit: duration, ours: strokes.quantile(.95)},
		{what: fmt.Sprintf("%d strokes alone: same top-1 as the optimum, %s", len(strokes), name), unit: share,
			ours: alike(after, optimum), bounds: []bound{{value: .98}},
			peers: []figure{{name: "without any stroke", value: alike(before, optimum)}}},
	}
	note := fmt.Sprintf("%s: consolidating %d corrections took %s.", name, len(strokes), seconds(took(warmTime)))
	return append(rows, b.parity(ctx, k, name, cold.Report, before)...), note, nil
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

// parity compares a consolidated leaf with scikit-learn's optimum of the same data.
func (b *bench) parity(ctx context.Context, k int, name string, report probe.Report, top1 []int32) []row {
	objective := row{what: "objective above scikit-learn's optimum, relative, " + name, unit: excess, bounds: []bound{{value: 1e-4}}}
	same := row{what: fmt.Sprintf("same top-1 as scikit-learn's optimum on %d held out, %s", len(top1), name), unit: share,
		bounds: []bound{{value: .995}}}
	list, err := b.refit(ctx, k)
	best, there := pick(list, "optimum")
	if !there {
		return []row{objective.unmeasured(missing(err)), same.unmeasured(missing(err))}
	}
	objective.ours = (report.Objective - best.Objective) / best.Objective
	objective.note = fmt.Sprintf("gradient %.0e", report.GradNorm)
	same.ours = alike(top1, best.Top1)
	if cold, there := pick(list, "cold"); there {
		excess := (cold.Objective - best.Objective) / best.Objective
		objective.peers = []figure{{name: scikit + " cold", value: excess, note: "where it stops"}}
		same.peers = []figure{{name: scikit + " cold", value: alike(cold.Top1, best.Top1)}}
	}
	return []row{objective, same}
}
