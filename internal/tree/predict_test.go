package tree

import (
	"math"
	"slices"
	"testing"
)

// Four exemplars in two leaves of one label each: of three neighbours two live in
// one leaf, which therefore counts twice.
func TestLeavesCountAsOftenAsRetrieved(t *testing.T) {
	d := data{[][]float32{{1, 0}, {1, 0.2}, {0, 1}, {0.1, 1}}, []int32{1, 1, 2, 2}}
	tree := consolidate(t, fold(t, d, Params{Psi: 3}))
	p, err := tree.Predict([]float32{1, 0.3}, 3)
	if err != nil {
		t.Fatal(err)
	}
	if got := []int{p.Neighbours[0].ID, p.Neighbours[1].ID, p.Neighbours[2].ID}; !slices.Equal(got, []int{1, 0, 3}) {
		t.Fatalf("neighbours %v, want 1, 0, 3", got)
	}
	if math.Abs(p.Exemplar.Prob(1)-2./3) > 1e-12 || math.Abs(p.Exemplar.Prob(2)-1./3) > 1e-12 {
		t.Errorf("p_e = %v and %v, want ⅔ and ⅓", p.Exemplar.Prob(1), p.Exemplar.Prob(2))
	}
	for _, n := range p.Neighbours {
		if n.Predicted != n.Label || n.Leaf != tree.LeafOf(n.ID) {
			t.Errorf("%+v: want its leaf's only label", n)
		}
	}
}

// A leaf split off with its parent's probe, which knows only label 7, whose last
// exemplar is then withdrawn from the other leaf: until it is fitted, its members'
// labels are what it has to say.
func TestAProbeThatKnowsNoLabelThatIsLeft(t *testing.T) {
	d := data{
		[][]float32{{-1, 0}, {-1, 0.1}, {-1, 0.2}, {1, 0}, {1, 0.1}, {1, 0.2}, {1, 0.3}},
		[]int32{7, 7, 7, 8, 9, 8, 8},
	}
	e := fold(t, d, Params{Psi: 6}).Edit()
	for id := range 3 {
		if err := e.Withdraw(id); err != nil {
			t.Fatal(err)
		}
	}
	tree := e.Tree()
	if leaf := tree.LeafOf(3); tree.Stats().Leaves != 2 || !slices.Equal(tree.Probe(leaf).Classes(), []int32{7}) {
		t.Fatalf("%+v, the probe knows %v: want a leaf of the parent's probe", tree.Stats(), tree.Probe(leaf).Classes())
	}
	p, err := tree.Predict([]float32{1, 0}, 9)
	if err != nil || len(p.Neighbours) != 4 {
		t.Fatalf("%+v, %v: want four neighbours", p, err)
	}
	for _, n := range p.Neighbours {
		if n.Predicted != 8 {
			t.Errorf("%+v: want the leaf's commonest label 8 predicted", n)
		}
	}
	if math.Abs(p.Exemplar.Prob(8)-3./4) > 1e-12 || math.Abs(p.Exemplar.Prob(9)-1./4) > 1e-12 {
		t.Errorf("p_e = %v and %v, want ¾ and ¼", p.Exemplar.Prob(8), p.Exemplar.Prob(9))
	}
}

func TestNearestLeavesOut(t *testing.T) {
	d := data{[][]float32{{1, 0}, {1, 0.1}, {1, 0.2}, {1, 0.3}}, []int32{1, 2, 3, 4}}
	tree, err := fold(t, d, Params{}).Withdraw(1)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		keep func(int) bool
		want []int
	}{
		"withdrawn":     {nil, []int{0, 2, 3}},
		"and filtered":  {func(id int) bool { return id != 0 }, []int{2, 3}},
		"and all of it": {func(int) bool { return false }, nil},
	} {
		got, err := tree.Nearest([]float32{1, 0}, 9, c.keep)
		var ids []int
		for _, n := range got {
			ids = append(ids, n.ID)
		}
		if err != nil || !slices.Equal(ids, c.want) {
			t.Errorf("%s: %v, %v, want %v", name, ids, err, c.want)
		}
	}
	if tree.Len() != 4 || tree.Live() != 3 || tree.Has(1) || tree.LeafOf(1) != -1 || tree.Label(1) != 2 {
		t.Errorf("exemplar 1 is not withdrawn properly")
	}
}
