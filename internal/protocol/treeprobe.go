package protocol

import (
	"context"

	"fieldmark/internal/fusion"
	"fieldmark/internal/nearest"
	"fieldmark/internal/probe"
	"fieldmark/internal/tree"
)

// treeProbe is TreeProbe, to be asked with its ensemble or without.
type treeProbe struct {
	tree    *tree.Tree
	find    finder
	workers int
}

func (t *treeProbe) place(x []example) error {
	e := t.tree.Edit()
	for _, x := range x {
		if _, err := e.Insert(x.label, x.vector); err != nil {
			return err
		}
	}
	t.tree = e.Tree()
	t.find.extend(t.tree.Vectors())
	return nil
}

func (t *treeProbe) stroke(ctx context.Context) error {
	if t.tree.Len() == 0 {
		return nil
	}
	next, err := t.tree.Stroke(ctx, []int{t.tree.LeafOf(t.tree.Len() - 1)}, t.workers)
	t.tree = next
	return err
}

func (t *treeProbe) train(ctx context.Context) (unconverged int, err error) {
	for _, leaf := range t.tree.Stale() {
		f, err := t.tree.Fit(ctx, leaf, probe.Options{Workers: t.workers})
		if err != nil {
			return unconverged, err
		}
		if !f.Report.Converged {
			unconverged++
		}
		t.tree, _ = t.tree.WithProbe(f)
	}
	return unconverged, nil
}

func (t *treeProbe) label(id int) int32 { return t.tree.Label(id) }

func (t *treeProbe) vector(id int) []float32 { return t.tree.Vectors().Row(id, nil) }

func (t *treeProbe) nearest(v []float32, k int) []nearest.Neighbour {
	return t.find.search(t.tree.Vectors(), v, k)
}

func (t *treeProbe) read(s System, v []float32, near []nearest.Neighbour) (reading, error) {
	if s.Kind == fusion.TreeSingle {
		_, d, err := t.tree.PredictLeaf(v)
		best, _ := d.Best()
		return reading{p: d, best: best}, err
	}
	p, err := t.tree.PredictFrom(v, near)
	if err != nil {
		return reading{}, err
	}
	r := reading{p: p.Exemplar, predicted: make([]int32, len(p.Neighbours))}
	for j, n := range p.Neighbours {
		r.predicted[j] = n.Predicted
	}
	return r, nil
}

func (t *treeProbe) bytes() (exemplars, classifiers int) {
	seen := map[int]bool{}
	for id := range t.tree.Len() {
		if leaf := t.tree.LeafOf(id); !seen[leaf] {
			seen[leaf] = true
			classifiers += weightBytes(t.tree.Probe(leaf))
		}
	}
	return t.tree.Len() * (t.tree.Vectors().EncodedLen() + labelBytes), classifiers
}
