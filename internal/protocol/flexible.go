package protocol

import (
	"context"
	"fmt"
	"slices"
)

// flexible asks the memory of a task-incremental cell, after its last stage, in
// the paper's two ways beyond each task's own labels (Sec. 4):
//
//   - "union": each target task among the labels of all target tasks; beside it,
//     images of Plan.ZeroShotLabels labels drawn from the zero-shot tasks, among
//     those. The paper's figure is the mean of both accuracies.
//   - "mix": the target labels are dealt out into Plan.MixSplits parts; images of
//     each part and of the drawn labels, at most Plan.MixPerClass a label, are
//     asked among both together. The paper's figure is the mean over the parts.
//
// Labels of zero-shot tasks that a target task has too are not drawn. (The authors'
// program asks the union's images, too, among target and drawn labels together.)
func (r *Runner) flexible(ctx context.Context, x *examiner, base Row) ([]Row, error) {
	targets := r.labels.all(r.Suite.Tasks, target)
	others := slices.DeleteFunc(r.labels.all(r.Suite.Tasks, zeroShot), func(y int) bool {
		_, both := slices.BinarySearch(targets, y)
		return both
	})
	rng := base.Cell.rng("flexible")
	drawn := draw(rng, others, r.Plan.ZeroShotLabels)
	base.Protocol = Flexible
	var rows []Row
	for _, way := range []struct {
		name   string
		course course
	}{
		{"union", r.union(targets, drawn)},
		{"mix", r.mix(rng.Perm(len(targets)), targets, drawn)},
	} {
		answers, err := x.ask(ctx, way.course.questions)
		if err != nil {
			return nil, err
		}
		base.Candidates = way.name
		rows = append(rows, r.rows(x, base, way.course, answers, true)...)
	}
	return rows, nil
}

func (r *Runner) union(targets, drawn []int) course {
	var to course
	r.ask(&to, target)
	among := r.labels.among(targets)
	for i := range to.questions {
		to.questions[i].among = among
	}
	if len(drawn) > 0 {
		among := r.labels.among(drawn)
		r.images(zeroShot, drawn, -1, func(q question) {
			q.among, q.score = among, len(to.headings)
			to.questions = append(to.questions, q)
		})
		to.headings = append(to.headings, heading{"zero-shot", true})
	}
	return to
}

func (r *Runner) mix(dealt, targets, drawn []int) course {
	var to course
	n := min(r.Plan.MixSplits, len(targets))
	for s := range n {
		var part []int
		for _, i := range dealt[s*len(dealt)/n : (s+1)*len(dealt)/n] {
			part = append(part, targets[i])
		}
		slices.Sort(part)
		among := r.labels.among(slices.Concat(part, drawn))
		add := func(q question) {
			q.among, q.score = among, len(to.headings)
			to.questions = append(to.questions, q)
		}
		r.images(target, part, r.Plan.MixPerClass, add)
		to.headings = append(to.headings, heading{fmt.Sprintf("split %d", s+1), false})
		r.images(zeroShot, drawn, r.Plan.MixPerClass, add)
		to.headings = append(to.headings, heading{fmt.Sprintf("split %d, zero-shot", s+1), true})
	}
	return to
}

// images gives the test images of the given labels (ascending) of the tasks for
// which want is true, at most limit of each label; all if limit is negative.
func (r *Runner) images(want func(Task) bool, of []int, limit int, give func(question)) {
	count := map[int]int{}
	for t, task := range r.Suite.Tasks {
		if !want(task) {
			continue
		}
		for i, v := range task.Test.Vectors {
			y := r.labels.of[t][task.Test.Labels[i]]
			if _, is := slices.BinarySearch(of, y); is && count[y] != limit {
				count[y]++
				give(question{vector: v, label: y})
			}
		}
	}
}
