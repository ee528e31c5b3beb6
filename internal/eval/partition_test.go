package eval

import (
	"math"
	"testing"
)

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

// What the tree predicts by itself is what Parity computes from the given
// leaves: p_e and every neighbour's predicted label.
func TestTreeAgreesWithTheGivenLeaves(t *testing.T) {
	p := referencePack(t)
	stage := p.Stages[2]
	stage.Partitions = stage.Partitions[:2] // ψ = 50 and 200: 19 and 5 leaves
	m, err := newMemory(t.Context(), p, stage, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range stage.Partitions {
		s, err := NewStudent(Subject{Texts: p.Texts, Tau: p.Tau, K: p.K}, part.Psi)
		if err != nil {
			t.Fatal(err)
		}
		var taught []Example
		for _, id := range stage.Exemplars {
			taught = append(taught, Example{Label: p.ExemplarLabel[id], Vector: p.Exemplars[id]})
		}
		if err := s.Teach(t.Context(), taught...); err != nil {
			t.Fatal(err)
		}
		for _, q := range p.ProbeQueries {
			want := m.read(p.Queries[q], p.K).trees[i]
			got, err := s.tree.Predict(p.Queries[q], p.K)
			if err != nil {
				t.Fatal(err)
			}
			for y, l := range want.logP {
				if d := math.Abs(got.Exemplar.Prob(int32(y)) - math.Exp(l)); d > 1e-5 {
					t.Errorf("ψ = %d, query %d, label %d: p_e differs by %g", part.Psi, q, y, d)
				}
			}
			for j, n := range got.Neighbours {
				if int(n.Predicted) != want.predicted[j] {
					t.Errorf("ψ = %d, query %d: neighbour %d predicts %d, want %d", part.Psi, q, j, n.Predicted, want.predicted[j])
				}
			}
		}
	}
}
