package tree

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fieldmark/internal/nearest"
	"fieldmark/internal/probe"
)

func empty(t testing.TB, dim int, params Params) *Tree {
	t.Helper()
	tree, err := New(dim, params)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// fold inserts all of d into an empty tree.
func fold(t testing.TB, d data, params Params) *Tree {
	t.Helper()
	e := empty(t, len(d.rows[0]), params).Edit()
	for i, row := range d.rows {
		if id, err := e.Insert(d.labels[i], row); err != nil || id != i {
			t.Fatalf("exemplar %d: id %d, %v", i, id, err)
		}
	}
	return e.Tree()
}

func predict(t testing.TB, tree *Tree, v []float32) probe.Distribution {
	t.Helper()
	p, err := tree.Predict(v, 9)
	if err != nil {
		t.Fatal(err)
	}
	return p.Exemplar
}

func sum(d probe.Distribution) float64 {
	var s float64
	for _, lp := range d.LogP {
		s += math.Exp(lp)
	}
	return s
}

// apart is the greatest difference between two distributions' probabilities.
func apart(a, b probe.Distribution) float64 {
	var worst float64
	for _, l := range slices.Concat(a.Labels, b.Labels) {
		worst = max(worst, math.Abs(a.Prob(l)-b.Prob(l)))
	}
	return worst
}

func TestAgainstOracle(t *testing.T) {
	for _, c := range []struct{ n, dim, psi, labels int }{
		{40, 3, 1, 3}, {60, 2, 2, 4}, {150, 4, 7, 5}, {400, 8, 25, 6}, {300, 8, 1000, 4},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(c.n), 1))
			d := exemplars(r, c.n, c.dim, c.labels)
			tree := empty(t, c.dim, Params{Psi: c.psi})
			want := &plain{psi: c.psi, root: &plainNode{}}
			for i, row := range d.rows {
				var err error
				if tree, _, err = tree.Insert(d.labels[i], row); err != nil {
					t.Fatal(err)
				}
				want.insert(d.labels[i], row)
				if id := r.IntN(i + 1); r.IntN(4) == 0 && tree.Has(id) {
					if tree, err = tree.Withdraw(id); err != nil {
						t.Fatal(err)
					}
					want.withdraw(id)
				}
				if i%17 == 0 {
					invariants(t, tree)
				}
			}
			invariants(t, tree)

			if got := leavesOf(tree); fmt.Sprint(got) != fmt.Sprint(want.leaves(want.root)) {
				t.Fatalf("leaves\n%v, want\n%v", got, want.leaves(want.root))
			}
			tree = consolidate(t, tree)
			for range 10 {
				v := d.rows[r.IntN(len(d.rows))]
				p := predict(t, tree, v)
				q := want.predict(t, v, 9)
				if len(q) != len(p.Labels) || math.Abs(sum(p)-1) > 1e-9 {
					t.Fatalf("%d labels of mass %v, want %d", len(p.Labels), sum(p), len(q))
				}
				for label, pr := range q {
					if math.Abs(p.Prob(label)-pr) > 2e-5 {
						t.Errorf("p(%d) = %v, want %v", label, p.Prob(label), pr)
					}
				}
			}
		})
	}
}

func TestSameLogSameTree(t *testing.T) {
	d := exemplars(rand.New(rand.NewPCG(7, 7)), 3000, 6, 5)
	want := fold(t, d, Params{Psi: 2500, Workers: 1})
	steps := empty(t, 6, Params{Psi: 2500, Workers: 3})
	for i, row := range d.rows {
		var err error
		if steps, _, err = steps.Insert(d.labels[i], row); err != nil {
			t.Fatal(err)
		}
		if i == 1000 { // what is fitted, and when, must not matter
			steps = consolidate(t, steps)
		}
	}
	if steps.Digest() != want.Digest() {
		t.Errorf("one by one and at once give different trees")
	}
	if s := want.Stats(); s.Leaves != 2 {
		t.Errorf("%d leaves, want a split", s.Leaves)
	}

	less, err := want.Withdraw(17)
	if err != nil {
		t.Fatal(err)
	}
	swapped := data{slices.Clone(d.rows), slices.Clone(d.labels)}
	swapped.labels[0]++
	for name, other := range map[string]*Tree{"a withdrawal": less, "a label": fold(t, swapped, Params{Psi: 2500}), "ψ": fold(t, d, Params{Psi: 2501})} {
		if other.Digest() == want.Digest() {
			t.Errorf("%s makes no difference to the digest", name)
		}
	}
}

func TestWithdrawRestoresPredictions(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	d := exemplars(r, 200, 6, 4)
	before := consolidate(t, fold(t, d, Params{Psi: 60}))
	for _, label := range []int32{0, 10, 77} { // known labels and a new one
		after, id, err := before.Insert(label, d.rows[3])
		if err != nil {
			t.Fatal(err)
		}
		taught := consolidate(t, after)
		if a := apart(predict(t, taught, d.rows[3]), predict(t, before, d.rows[3])); a < 1e-3 {
			t.Errorf("label %d: teaching moved probabilities by %v only", label, a)
		}
		if taught, err = taught.Withdraw(id); err != nil {
			t.Fatal(err)
		}
		if p := predict(t, taught, d.rows[3]); label == 77 && p.Prob(77) != 0 {
			t.Errorf("a withdrawn label still has probability %v", p.Prob(77))
		}
		undone := consolidate(t, taught)
		invariants(t, undone)
		for range 20 {
			v := d.rows[r.IntN(len(d.rows))]
			if a := apart(predict(t, undone, v), predict(t, before, v)); a > 2e-6 {
				t.Errorf("label %d: after withdrawal probabilities are %v off", label, a)
			}
		}
	}
}

func TestEqualExemplarsAreNotSplit(t *testing.T) {
	var d data
	for i := range 12 {
		d.rows, d.labels = append(d.rows, []float32{3, 4}), append(d.labels, int32(i%2))
	}
	tree := fold(t, d, Params{Psi: 5})
	if s := tree.Stats(); s.Leaves != 1 || s.Unsplit != 1 || len(leavesOf(tree)[0]) != 12 {
		t.Fatalf("%+v, want one leaf of 12 that cannot be split", s)
	}
	tree, _, err := tree.Insert(1, []float32{-3, 4})
	if err != nil {
		t.Fatal(err)
	}
	if s := tree.Stats(); s.Leaves != 1 || s.Unsplit != 0 {
		t.Fatalf("%+v, want one leaf that may be split now", s)
	}
	if tree, _, err = tree.Insert(1, []float32{-3, 4}); err != nil {
		t.Fatal(err)
	}
	if s := tree.Stats(); s.Leaves != 2 || fmt.Sprint(leavesOf(tree)) != "[[12 13] [0 1 2 3 4 5 6 7 8 9 10 11]]" {
		t.Fatalf("%+v, want the two that differ in a leaf of their own", s)
	}
	invariants(t, tree)
}

func TestEmptiedLeafStillRoutes(t *testing.T) {
	far, near := []float32{-5, 0}, []float32{5, 0}
	tree := fold(t, data{[][]float32{far, near, near}, []int32{1, 2, 2}}, Params{Psi: 2})
	lonely := tree.LeafOf(0)
	if s := tree.Stats(); s.Leaves != 2 {
		t.Fatalf("%+v, want two leaves", s)
	}
	tree, err := tree.Withdraw(0)
	if err != nil {
		t.Fatal(err)
	}
	invariants(t, tree)
	if _, d, err := tree.PredictLeaf(far); err != nil || len(d.Labels) != 0 {
		t.Errorf("the empty leaf predicts %v, %v", d, err)
	}
	if p := predict(t, tree, far); p.Prob(2) != 1 {
		t.Errorf("p = %v, want all on the label that is left", p)
	}
	tree, id, err := tree.Insert(3, []float32{-4, 1})
	if err != nil || tree.LeafOf(id) != lonely {
		t.Errorf("the next exemplar went to leaf %d, want %d (%v)", tree.LeafOf(id), lonely, err)
	}
	if leaf, d, err := tree.PredictLeaf(far); err != nil || leaf != lonely || d.Prob(3) != 1 {
		t.Errorf("leaf %d predicts %v, %v", leaf, d, err)
	}
	for _, id := range []int{1, 2, 3} {
		if tree, err = tree.Withdraw(id); err != nil {
			t.Fatal(err)
		}
	}
	invariants(t, tree)
	p, err := tree.Predict(far, 9)
	if err != nil || len(p.Neighbours) != 0 || len(p.Exemplar.Labels) != 0 {
		t.Errorf("an empty memory predicts %+v, %v", p, err)
	}
}

func TestBadInputIsRefused(t *testing.T) {
	tree := fold(t, data{[][]float32{{1, 0}}, []int32{5}}, Params{})
	before := tree.Digest()
	nan := float32(math.NaN())
	e := tree.Edit()
	for name, c := range map[string]struct {
		do   func() error
		want error
	}{
		"insert short":     {func() error { _, err := e.Insert(1, []float32{1}); return err }, nearest.ErrDimension},
		"insert NaN":       {func() error { _, err := e.Insert(1, []float32{nan, 1}); return err }, nearest.ErrNotFinite},
		"insert zero":      {func() error { _, err := e.Insert(1, []float32{0, 0}); return err }, nearest.ErrNorm},
		"insert label":     {func() error { _, err := e.Insert(-1, []float32{1, 1}); return err }, nil},
		"withdraw unknown": {func() error { return e.Withdraw(1) }, ErrUnknown},
		"withdraw below":   {func() error { return e.Withdraw(-1) }, ErrUnknown},
		"predict short":    {func() error { _, err := tree.Predict([]float32{1}, 3); return err }, nearest.ErrDimension},
		"predict NaN":      {func() error { _, err := tree.Predict([]float32{nan, 0}, 3); return err }, nearest.ErrNotFinite},
		"leaf NaN":         {func() error { _, _, err := tree.PredictLeaf([]float32{nan, 0}); return err }, nearest.ErrNotFinite},
		"foreign neighbour": {func() error {
			_, err := tree.PredictFrom([]float32{1, 0}, []nearest.Neighbour{{ID: 9}})
			return err
		}, ErrUnknown},
		"fit no leaf": {func() error { _, err := tree.Fit(t.Context(), 3, probe.Options{}); return err }, nil},
	} {
		if err := c.do(); err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if e.Tree().Digest() != before {
		t.Errorf("refused input left traces")
	}
	if err := e.Withdraw(0); err != nil {
		t.Fatal(err)
	}
	if err := e.Withdraw(0); !errors.Is(err, ErrUnknown) {
		t.Errorf("withdrawn twice: %v", err)
	}
	for _, p := range []Params{{Psi: -1}, {C: -1}, {C: math.NaN()}} {
		if _, err := New(2, p); err == nil {
			t.Errorf("%+v was accepted", p)
		}
	}
	if _, err := New(0, Params{}); err == nil {
		t.Errorf("dimension 0 was accepted")
	}
}
