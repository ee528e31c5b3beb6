package eval

import "testing"

// Six pairs. {0,1},{2,3} against {0,1,2},{3}: wanted together 01, 02, 12; both
// have 01; both part 03 and 13: three agreements of six.
func TestAgreeByHand(t *testing.T) {
	a := agree([]int{5, 5, 2, 2}, []int{0, 0, 0, 1})
	if a.Leaves != 2 || a.Expected != 2 || a.Together != 1 || a.WantPairs != 3 || a.Rand != .5 {
		t.Errorf("%+v, want 2 and 2 leaves, 1 of 3 pairs, Rand index ½", a)
	}
}

// Our tree follows the reference's insertions and 2-means to the last exemplar.
func TestPartitionsOfTheReferencePack(t *testing.T) {
	p := referencePack(t)
	list, err := Partitions(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 27 {
		t.Errorf("%d trees grown; the pack has 27", len(list))
	}
	for _, a := range list {
		if a.Rand != 1 {
			t.Errorf("%s %d, ψ = %d: %d leaves for %d, Rand index %.4f", a.Run, a.Stage, a.Psi, a.Leaves, a.Expected, a.Rand)
		}
	}
}
