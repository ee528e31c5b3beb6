package protocol

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"fieldmark/internal/eval"
)

// labels is the union of all tasks' classes. Classes of two tasks are one label
// if their text embeddings are equal: as candidates nothing could tell them apart.
// (Names do not count: with prompts of their own, two tasks' classes of one name
// are asked differently.) Classes of one task never are.
type labels struct {
	texts [][]float32 // of each label
	of    [][]int     // label of [task][class]
}

func unite(tasks []Task) labels {
	u := labels{of: make([][]int, len(tasks))}
	byText := map[string][]int{}
	for t, task := range tasks {
		for _, text := range task.Texts {
			key := string(bits(nil, text))
			i := slices.IndexFunc(byText[key], func(y int) bool { return !slices.Contains(u.of[t], y) })
			if i < 0 {
				i = len(byText[key])
				byText[key] = append(byText[key], len(u.texts))
				u.texts = append(u.texts, text)
			}
			u.of[t] = append(u.of[t], byText[key][i])
		}
	}
	return u
}

// bits appends a vector bit for bit.
func bits(to []byte, v []float32) []byte {
	for _, x := range v {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(x))
	}
	return to
}

// among is a candidate set over all labels.
func (u labels) among(candidates []int) *eval.Candidates { return eval.Among(u.texts, candidates) }

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
