package protocol

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
)

// stage is a delivery of exemplars.
type stage struct {
	name     string
	examples []example
}

// course is what a cell teaches, stage by stage, and asks after each.
type course struct {
	stages    []stage
	headings  []heading
	questions []question
	// group, after a stage, names the group of a taught task's image by its label;
	// nil: there are no groups.
	group func(x *pupil) func(label int) string
}

// rng is the generator of one purpose of a cell. It does not depend on the
// system, so that all systems get the same lessons.
func (c Cell) rng(purpose string) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\n%s\n%d\n%s", c.Protocol, c.Taught, c.Order, purpose)
	return rand.New(rand.NewPCG(c.Seed, h.Sum64()))
}

// course makes a cell's.
func (r *Runner) course(c Cell) course {
	switch c.Protocol {
	case DataIncremental:
		return r.byData(c)
	case ClassIncremental:
		return r.byClass(c)
	case LongTail:
		return r.longTail(c)
	default:
		return r.byTask(c)
	}
}

// examples are the training images of a task with the given numbers.
func (r *Runner) examples(task int, images []int) []example {
	out := make([]example, len(images))
	for i, at := range images {
		split := r.Suite.Tasks[task].Train
		out[i] = example{int32(r.labels.of[task][split.Labels[at]]), split.Vectors[at]}
	}
	return out
}

// ask adds the test images of every task for which want is true, each task among
// its own labels.
func (r *Runner) ask(to *course, want func(Task) bool) {
	for t, task := range r.Suite.Tasks {
		if !want(task) {
			continue
		}
		own := r.own[t]
		for i, v := range task.Test.Vectors {
			to.questions = append(to.questions, question{
				vector: v, label: r.labels.of[t][task.Test.Labels[i]], among: own, score: len(to.headings),
			})
		}
		to.headings = append(to.headings, heading{task.Name, task.ZeroShot})
	}
}

// regroup names the groups anew after a stage.
func (c *course) regroup(x *pupil) {
	if c.group == nil {
		return
	}
	name := c.group(x)
	for i, q := range c.questions {
		if !c.headings[q.score].zeroShot {
			c.questions[i].group = name(q.label)
		}
	}
}

// single is the course of a memory that learns one task: which, and whom to ask.
func (r *Runner) single(c Cell) (task int, to course) {
	task = slices.IndexFunc(r.Suite.Tasks, func(t Task) bool { return t.Name == c.Taught })
	r.ask(&to, func(t Task) bool { return t.Name == c.Taught || t.ZeroShot })
	return task, to
}

func (r *Runner) byData(c Cell) course {
	task, to := r.single(c)
	all := r.examples(task, c.rng("images").Perm(len(r.Suite.Tasks[task].Train.Labels)))
	from := 0
	for _, f := range r.Plan.Fractions {
		upTo := int(math.Round(f * float64(len(all))))
		to.stages = append(to.stages, stage{fmt.Sprintf("%g %%", 100*f), all[from:upTo]})
		from = upTo
	}
	return to
}

func (r *Runner) byClass(c Cell) course {
	task, to := r.single(c)
	classes := c.rng("classes").Perm(len(r.Suite.Tasks[task].Classes))
	images := c.rng("images").Perm(len(r.Suite.Tasks[task].Train.Labels))
	n := r.Plan.ClassStages
	for s := range n {
		part := classes[s*len(classes)/n : (s+1)*len(classes)/n]
		var of []int
		for _, i := range images {
			if slices.Contains(part, r.Suite.Tasks[task].Train.Labels[i]) {
				of = append(of, i)
			}
		}
		to.stages = append(to.stages, stage{fmt.Sprintf("%g %% of classes", math.Round(100*float64(s+1)/float64(n))), r.examples(task, of)})
	}
	to.group = func(x *pupil) func(int) string {
		return func(label int) string {
			if x.count[int32(label)] > 0 {
				return "seen"
			}
			return "unseen"
		}
	}
	return to
}

// longTail keeps of the class of rank i of n the share μ^(i/(n-1)), μ =
// 1/Imbalance, at least one image: the exponential profile of Cui, Jia, Lin, Song
// and Belongie, "Class-Balanced Loss Based on Effective Number of Samples" (CVPR
// 2019), which the field's long-tailed data sets follow.
func (r *Runner) longTail(c Cell) course {
	task, to := r.single(c)
	train := r.Suite.Tasks[task].Train
	n := len(r.Suite.Tasks[task].Classes)
	room := make([]int, n)
	for _, y := range train.Labels {
		room[y]++
	}
	for rank, class := range c.rng("classes").Perm(n) {
		share := math.Pow(r.Plan.Imbalance, -float64(rank)/float64(max(1, n-1)))
		room[class] = int(math.Ceil(share * float64(room[class])))
	}
	var of []int
	for _, i := range c.rng("images").Perm(len(train.Labels)) {
		if y := train.Labels[i]; room[y] > 0 {
			room[y]--
			of = append(of, i)
		}
	}
	to.stages = []stage{{fmt.Sprintf("imbalance %g", r.Plan.Imbalance), r.examples(task, of)}}
	to.group = func(x *pupil) func(int) string {
		head := x.head()
		return func(label int) string {
			if head[label] {
				return "many"
			}
			return "few"
		}
	}
	return to
}

func (r *Runner) byTask(c Cell) course {
	var to course
	r.ask(&to, func(Task) bool { return true })
	images := c.rng("images")
	for _, t := range r.order(c.Order) {
		task := r.Suite.Tasks[t]
		to.stages = append(to.stages, stage{task.Name, r.examples(t, images.Perm(len(task.Train.Labels)))})
	}
	return to
}

// order is the target tasks, by index, in one of the orders: 0 as given, the
// others drawn by their number alone.
func (r *Runner) order(number int) []int {
	var out []int
	for t, task := range r.Suite.Tasks {
		if !task.ZeroShot {
			out = append(out, t)
		}
	}
	if number > 0 {
		rng := Cell{Order: number}.rng("order")
		rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return out
}
