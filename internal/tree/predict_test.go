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
