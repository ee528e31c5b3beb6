package protocol

import (
	"context"
	"fmt"
)

// stream is the lessons of Suite.Log, or all training images of the target tasks
// in an order drawn by the cell's seed.
func (r *Runner) stream(c Cell) []example {
	var out []example
	if len(r.Suite.Log) > 0 {
		for _, l := range r.Suite.Log {
			out = append(out, r.examples(l.Task, []int{l.Image})...)
		}
		return out
	}
	for _, t := range r.order(0) {
		images := make([]int, len(r.Suite.Tasks[t].Train.Labels))
		for i := range images {
			images[i] = i
		}
		out = append(out, r.examples(t, images)...)
	}
	rng := c.rng("lessons")
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// log asks each lesson among the labels of all target tasks, and then teaches it:
// TreeProbe by the immediate stroke, and by a consolidating one at the end of each
// window. A LinProbe, which has no immediate stroke, follows by the latter alone.
func (r *Runner) log(ctx context.Context, c Cell, x *examiner, p *pace) ([]Row, error) {
	lessons := r.stream(c)
	if r.Plan.LogLimit > 0 {
		lessons = lessons[:min(len(lessons), r.Plan.LogLimit)]
	}
	among := r.labels.among(r.labels.all(r.Suite.Tasks, target))
	var rows []Row
	for from := 0; from < len(lessons); from += r.Plan.LogWindow {
		window := lessons[from:min(len(lessons), from+r.Plan.LogWindow)]
		base := Row{Cell: c, Stage: len(rows)/len(x.variants) + 1, Candidates: "union",
			StageName: fmt.Sprintf("lessons %d–%d", from+1, from+len(window))}
		to := course{headings: []heading{{name: "log"}}}
		var answers [][]answer
		for i := range window {
			q := question{vector: window[i].vector, label: int(window[i].label), among: among}
			a, err := x.ask(ctx, []question{q})
			if err != nil {
				return nil, err
			}
			to.questions, answers = append(to.questions, q), append(answers, a[0])
			if err := x.lesson(ctx, window[i:i+1], &base.Cost); err != nil {
				return nil, err
			}
		}
		if err := x.finish(ctx, &base); err != nil {
			return nil, err
		}
		rows = append(rows, r.rows(x, base, to, answers, true)...)
		if err := p.stage(c, base.StageName, float64(len(window))/float64(len(lessons))); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// growth times the lesson that makes a memory one of 1, 2, 4, 8, … exemplars, and
// the last one. The exemplars before it are taken in and trained without a clock.
func (r *Runner) growth(ctx context.Context, c Cell, x *examiner, p *pace) ([]Row, error) {
	lessons := r.stream(c)
	var rows []Row
	for _, n := range doublings(len(lessons)) {
		if _, _, err := x.learn(ctx, lessons[x.taught:n-1]); err != nil {
			return nil, err
		}
		row := Row{Cell: c, Stage: len(rows) + 1, StageName: fmt.Sprintf("exemplar %d", n), Candidates: "union"}
		if err := x.lesson(ctx, lessons[n-1:n], &row.Cost); err != nil {
			return nil, err
		}
		if err := x.finish(ctx, &row); err != nil {
			return nil, err
		}
		row.Exemplars, row.Known = x.taught, len(x.order)
		row.Cost.Bytes, row.Cost.ClassifierBytes = x.memory.bytes()
		rows = append(rows, row)
		if err := p.stage(c, row.StageName, float64(n-n/2)/float64(len(lessons)+1)); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// doublings are 1, 2, 4, … below n, and n.
func doublings(n int) []int {
	var out []int
	for at := 1; at < n; at *= 2 {
		out = append(out, at)
	}
	return append(out, n)
}
