package tree

import (
	"slices"
	"testing"
)

// Three exemplars of label 7 and one of label 2 in one leaf. Their mean is
// (2.5, 0.75); by cosine to it (2, 0) and (3, 1) lie at 0.958 and 0.9998, (1, 2)
// and (4, 0) at 0.685 and 0.958: so (3, 1) is the most typical, and of the two
// that tie the earlier comes next.
func TestLeavesSayWhatTheyHold(t *testing.T) {
	tr, err := New(2, Params{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		label int32
		row   []float32
	}{{7, []float32{2, 0}}, {2, []float32{1, 2}}, {7, []float32{3, 1}}, {7, []float32{4, 0}}} {
		if tr, _, err = tr.Insert(x.label, x.row); err != nil {
			t.Fatal(err)
		}
	}
	l := tr.Leaves()
	want := []LabelCount{{7, 3}, {2, 1}}
	if len(l) != 1 || l[0].Size != 4 || !slices.Equal(l[0].Labels, want) || l[0].State == Optimal {
		t.Fatalf("leaves %+v, want one of 4, %v, not yet at its optimum", l, want)
	}
	if ids := tr.MembersOf(l[0].Leaf); !slices.Equal(ids, []int{0, 1, 2, 3}) {
		t.Errorf("members %v", ids)
	}
	typical := tr.Typical(l[0].Leaf, 2)
	if len(typical) != 2 || typical[0].ID != 2 || typical[1].ID != 0 {
		t.Errorf("typical %+v, want exemplars 2 and 0", typical)
	}
	before := tr
	if tr, err = tr.Stroke(t.Context(), []int{l[0].Leaf}, 1); err != nil {
		t.Fatal(err)
	}
	retrained := 0
	tr.EachRetrained(before, func(leaf int) { retrained += 1 + leaf })
	tr.EachRetrained(tr, func(int) { t.Error("a leaf was retrained since itself") })
	if retrained != 1 {
		t.Errorf("retrained %d, want leaf 0 alone", retrained)
	}
	if x, ok := tr.LeafInfo(l[0].Leaf); !ok || x.State != Optimal {
		t.Errorf("after its stroke, which fits a leaf as small as this to its optimum: %+v", x)
	}
	if _, ok := tr.LeafInfo(99); ok || tr.MembersOf(99) != nil || tr.Typical(99, 1) != nil {
		t.Error("there is a leaf 99")
	}
}

// The leaves of a tree that was split share out its exemplars.
func TestLeavesShareOutTheExemplars(t *testing.T) {
	tr, err := New(2, Params{Psi: 3})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if tr, _, err = tr.Insert(int32(i%3), []float32{float32(1 + i), float32(i * i % 7)}); err != nil {
			t.Fatal(err)
		}
	}
	if tr, err = tr.Withdraw(4); err != nil {
		t.Fatal(err)
	}
	var all []int
	sum := 0
	for _, l := range tr.Leaves() {
		all, sum = append(all, tr.MembersOf(l.Leaf)...), sum+l.Size
	}
	slices.Sort(all)
	if len(slices.Compact(all)) != tr.Live() || sum != tr.Live() || len(tr.Leaves()) != tr.Stats().Leaves {
		t.Errorf("%d members of %d leaves, want %d of %d", sum, len(tr.Leaves()), tr.Live(), tr.Stats().Leaves)
	}
}
