package protocol

import (
	"math/rand/v2"
	"slices"
)

// labels is the union of all tasks' classes. Classes of two tasks are one label
// if both their names and their text embeddings are equal: with prompts of their
// own, two tasks' classes of one name stay apart.
type labels struct {
	texts [][]float32 // of each label
	of    [][]int     // label of [task][class]
}

func unite(tasks []Task) labels {
	u := labels{of: make([][]int, len(tasks))}
	byName := map[string][]int{}
	for t, task := range tasks {
		for c, name := range task.Classes {
			same := func(y int) bool { return slices.Equal(u.texts[y], task.Texts[c]) }
			i := slices.IndexFunc(byName[name], same)
			if i < 0 {
				i = len(byName[name])
				byName[name] = append(byName[name], len(u.texts))
				u.texts = append(u.texts, task.Texts[c])
			}
			u.of[t] = append(u.of[t], byName[name][i])
		}
	}
	return u
}

// choice is a candidate set, laid out as fusion wants it: rows of texts are the
// candidates, then the other labels.
type choice struct {
	labels []int // each once
	texts  [][]float32
	row    []int // of each label
}

func (u labels) among(candidates []int) *choice {
	c := &choice{row: make([]int, len(u.texts))}
	for y := range c.row {
		c.row[y] = -1
	}
	for _, y := range candidates {
		if c.row[y] < 0 {
			c.row[y] = len(c.labels)
			c.labels = append(c.labels, y)
			c.texts = append(c.texts, u.texts[y])
		}
	}
	for y, r := range c.row {
		if r < 0 {
			c.row[y] = len(c.texts)
			c.texts = append(c.texts, u.texts[y])
		}
	}
	return c
}

// all is the labels of those tasks for which want is true, ascending.
func (u labels) all(tasks []Task, want func(Task) bool) []int {
	var out []int
	for t, task := range tasks {
		if want(task) {
			out = append(out, u.of[t]...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func target(t Task) bool   { return !t.ZeroShot }
func zeroShot(t Task) bool { return t.ZeroShot }

// draw is n of the given labels, all if there are fewer, ascending.
func draw(rng *rand.Rand, from []int, n int) []int {
	out := make([]int, 0, n)
	for _, i := range rng.Perm(len(from))[:min(n, len(from))] {
		out = append(out, from[i])
	}
	slices.Sort(out)
	return out
}
