package tree

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"fieldmark/internal/probe"
)

// The first stroke of a leaf too large for a few steps of a fit is a beginning,
// and lessons are learnt from there one by one.
func TestFirstStrokeOfAVeryLargeLeaf(t *testing.T) {
	const dim, labels = 16, 4200
	n := fitSize/dim/labels + labels
	d := exemplars(rand.New(rand.NewPCG(46, 46)), n+5, dim, labels)
	tree := fold(t, data{d.rows[:n], d.labels[:n]}, Params{Workers: 2})
	if size := tree.leafAt(0).size(dim); size <= fitSize {
		t.Fatalf("a leaf of size %d, want more than %d", size, fitSize)
	}
	batches := *tree
	batches.params.Batches = true
	if !tree.begins(tree.leafAt(0)) || batches.begins(tree.leafAt(0)) {
		t.Errorf("begins: %v, in batches %v", tree.begins(tree.leafAt(0)), batches.begins(tree.leafAt(0)))
	}
	tree = stroke(t, tree, 0)
	if v := tree.leafAt(0).live; !v.begun || v.learnt != n {
		t.Fatalf("begun %v, %d of %d exemplars learnt", v.begun, v.learnt, n)
	}
	for i := n; i < n+5; i++ {
		before := tree.leafAt(0).predict(d.rows[i]).Prob(d.labels[i])
		next, _, err := tree.Insert(d.labels[i], d.rows[i])
		if err != nil {
			t.Fatal(err)
		}
		tree = stroke(t, next, 0)
		if after := tree.leafAt(0).predict(d.rows[i]).Prob(d.labels[i]); after <= before {
			t.Errorf("lesson %d: p went from %v to %v", i-n, before, after)
		}
	}
	if tree.Pending() != 1 {
		t.Errorf("%d leaves are stale, want the one that has only begun", tree.Pending())
	}
}

// A beginning and its lessons go through a snapshot and a fit that is cut short,
// and leave no trace at the optimum.
func TestABeginningEndsAtTheOptimum(t *testing.T) {
	const n, dim = 4400, 32
	d := exemplars(rand.New(rand.NewPCG(47, 47)), n+6, dim, 32)
	tree := fold(t, data{d.rows[:n], d.labels[:n]}, Params{Workers: 2})
	tree, err := tree.begin(t.Context(), 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i := n; i < n+6; i++ {
		next, _, err := tree.Insert(d.labels[i], d.rows[i])
		if err == nil {
			next, err = next.Withdraw(i - n) // of the base
		}
		if err != nil {
			t.Fatal(err)
		}
		tree = stroke(t, next, 0)
	}
	restored := read(t, written(t, tree), dim, Params{Workers: 2})
	alike(t, restored, tree, d.rows[n:])
	if !restored.leafAt(0).live.begun {
		t.Errorf("the leaf that was read takes its beginning for an optimum")
	}

	f, err := tree.Fit(&counting{Context: t.Context(), left: 60}, 0, probe.Options{})
	if !errors.Is(err, context.Canceled) || f.Model == nil {
		t.Fatalf("%+v, %v: want a fit that is cut short", f.Report, err)
	}
	taken, ok := tree.WithProbe(f)
	if a := apart(predict(t, taken, d.rows[n]), predict(t, tree, d.rows[n])); !ok || a > 0 {
		t.Errorf("taken %v: a fit that was cut short moved a lesson by %v", ok, a)
	}
	optimum := consolidate(t, taken)
	if l := optimum.leafAt(0); l.live.begun || l.live.overlay == nil {
		t.Errorf("the optimum is taken for a beginning")
	}
	cold, _, err := probe.Fit(t.Context(), optimum.Members(0), probe.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range d.rows[n:] {
		if a := apart(predict(t, optimum, row), cold.Predict(row)); a > 1e-4 {
			t.Errorf("probabilities are %v from those of a cold fit", a)
		}
	}
}
