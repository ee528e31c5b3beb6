package dataset

import (
	"errors"
	"os"

	"fieldmark/internal/eval"
	"fieldmark/internal/protocol"
)

// readPack makes a task of a reference pack: of the labels that have exemplars
// or queries. (The others are names alone, of which nothing can be asked.)
func (l *loader) readPack(i int) error {
	spec := l.manifest.Tasks[i]
	p, err := eval.ReadPack(os.DirFS(l.manifest.path(spec.Pack)))
	if err != nil {
		return err
	}
	if l.options.Encoder != nil {
		return errors.New("a reference pack's embeddings are of an encoder of its own: they cannot go with another's. Leave out --model, and tasks of photos")
	}
	l.packTau = p.Tau
	t := protocol.Task{Name: spec.Name, ZeroShot: spec.ZeroShot}
	label := map[int]int{}
	has := make([]bool, len(p.Labels))
	for _, labels := range [][]int{p.ExemplarLabel, p.QueryLabel} {
		for _, y := range labels {
			has[y] = true
		}
	}
	for y, there := range has {
		if there {
			label[y] = len(t.Classes)
			t.Classes, t.Texts = append(t.Classes, p.Labels[y]), append(t.Texts, p.Texts[y])
		}
	}
	take := func(vectors [][]float32, labels []int) protocol.Split {
		s := protocol.Split{Vectors: vectors, Labels: make([]int, len(labels))}
		for i, y := range labels {
			s.Labels[i] = label[y]
		}
		return s
	}
	if t.Test = take(p.Queries, p.QueryLabel); !t.ZeroShot {
		t.Train = take(p.Exemplars, p.ExemplarLabel)
	}
	l.tasks[i] = t
	return nil
}
