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
func (r *Runner) log(ctx context.Context, taught *pupil, xs []*examiner, p *pace) ([][]Row, error) {
	lessons := r.stream(xs[0].cell)
	if r.Plan.LogLimit > 0 {
		lessons = lessons[:min(len(lessons), r.Plan.LogLimit)]
	}
	among := r.labels.among(r.labels.all(r.Suite.Tasks, target))
	rows := make([][]Row, len(xs))
	for from, stage := 0, 1; from < len(lessons); from, stage = from+r.Plan.LogWindow, stage+1 {
		window := lessons[from:min(len(lessons), from+r.Plan.LogWindow)]
		base := Row{Stage: stage, Candidates: "union", StageName: fmt.Sprintf("lessons %d–%d", from+1, from+len(window))}
		to := course{headings: []heading{{name: "log"}}}
		answers := make([][][]answer, len(xs))
		for i := range window {
			to.questions = append(to.questions, question{vector: window[i].vector, label: int(window[i].label), among: among})
			for j, x := range xs {
				a, err := x.ask(ctx, to.questions[i:])
				if err != nil {
					return nil, err
				}
				answers[j] = append(answers[j], a[0])
			}
			if err := taught.lesson(ctx, window[i:i+1], &base.Cost); err != nil {
				return nil, err
			}
		}
		if err := taught.finish(ctx, &base); err != nil {
			return nil, err
		}
		for j, x := range xs {
			base.Cell = x.cell
			rows[j] = append(rows[j], r.rows(x, base, to, answers[j], true)...)
			if err := p.stage(x.cell, base.StageName, float64(len(window))/float64(len(lessons)), ended(from+len(window) == len(lessons), j)); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

// growth times the lesson that makes a memory one of 1, 2, 4, 8, … exemplars, and
// the last one. The exemplars before it are taken in and trained without a clock.
func (r *Runner) growth(ctx context.Context, taught *pupil, xs []*examiner, p *pace) ([][]Row, error) {
	lessons := r.stream(xs[0].cell)
	rows := make([][]Row, len(xs))
	for i, n := range doublings(len(lessons)) {
		if _, _, err := taught.learn(ctx, lessons[taught.taught:n-1]); err != nil {
			return nil, err
		}
		row := Row{Stage: i + 1, StageName: fmt.Sprintf("exemplar %d", n), Candidates: "union"}
		if err := taught.lesson(ctx, lessons[n-1:n], &row.Cost); err != nil {
			return nil, err
		}
		if err := taught.finish(ctx, &row); err != nil {
			return nil, err
		}
		row.Exemplars, row.Known = taught.taught, len(taught.order)
		row.Cost.Bytes, row.Cost.ClassifierBytes = taught.memory.bytes()
		for j, x := range xs {
			row.Cell = x.cell
			rows[j] = append(rows[j], row)
			if err := p.stage(x.cell, row.StageName, float64(n-n/2)/float64(len(lessons)+1), ended(n == len(lessons), j)); err != nil {
				return nil, err
			}
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
