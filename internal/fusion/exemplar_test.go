package fusion

import (
	"math"
	"testing"
)

func TestKNNByHand(t *testing.T) {
	// Rows 0 to 2 are candidates, row 3 a label outside Y.
	texts := append([][]float32{{0, 0, 0, 1}}, [][]float32{{0, 1, 0, 0}, {0, 0, 1, 0}, {1, 0, 0, 0}}...)
	// τ_β = ln 2 / 0.1: each tenth of cosine halves the weight, so β ∝ 8, 4, 2, 1, 1.
	q := Query{
		Vector: []float32{1, 1, 1, 1}, Texts: texts, Candidates: 3, Tau: 1, TauBeta: ln2 / .1,
		Neighbours: []Neighbour{{Cosine: .9, Row: 1}, {Cosine: .8, Row: 3}, {Cosine: .7, Row: 2}, {Cosine: .6, Row: 1}, {Cosine: .6, Row: 2}},
	}
	s := scorer(t, q)
	tests := []struct {
		system System
		ve     []float64 // before normalising
	}{
		{KNNMV, []float64{0, 1, 0, 0}}, // two votes each for 1 and 2: 1 has the nearest
		{KNNAvg, []float64{.2, .4, .4, 0}},
		{KNNWAvg, []float64{4. / 16, 9. / 16, 3. / 16, 0}},
	}
	for _, tt := range tests {
		p, err := s.KNN(tt.system)
		if err != nil {
			t.Fatal(err)
		}
		if got := exp(p.logPe); !alike(got, []float64{0, .5, .5}, 1e-12) {
			t.Errorf("%s: p_e = %v, want 0, ½, ½: one of five votes lies outside Y", tt.system, got)
		}
		for i, x := range tt.ve {
			if got := float64(p.dir[i]) * p.norm; math.Abs(got-x) > 1e-6 {
				t.Errorf("%s: v_e[%d] = %g, want %g", tt.system, i, got, x)
			}
		}
	}
	if _, err := s.KNN(Tree); err == nil {
		t.Error("tree passed for a KNN system")
	}
}

func TestTauBetaDefaultsToTau(t *testing.T) {
	q := Query{Vector: []float32{1, 0, 0}, Texts: axes, Candidates: 3, Tau: 10, Neighbours: []Neighbour{{Cosine: .9}, {Cosine: .8, Row: 1}}}
	want := 1 / (1 + math.Exp(-1))
	if b := scorer(t, q).beta(); math.Abs(b[0]-want) > 1e-12 {
		t.Errorf("β = %v, want %g first", b, want)
	}
	q.TauBeta = 1
	want = 1 / (1 + math.Exp(-.1))
	if b := scorer(t, q).beta(); math.Abs(b[0]-want) > 1e-12 {
		t.Errorf("τ_β = 1: β = %v, want %g first", b, want)
	}
}

// The tree's v_e is made of what the leaves predict, not of the neighbours' own
// labels.
func TestTreePullsTowardsPredictedLabels(t *testing.T) {
	s := scorer(t, Query{Vector: []float32{1, 1, 1}, Texts: axes, Candidates: 3, Tau: ln2 / .1,
		Neighbours: []Neighbour{{Cosine: .9, Row: 0, Predicted: 2}, {Cosine: .8, Row: 0, Predicted: 1}}})
	p, err := s.Tree(logs(.2, .3, .5))
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range []float64{0, 1. / 3, 2. / 3} {
		if got := float64(p.dir[i]) * p.norm; math.Abs(got-x) > 1e-6 {
			t.Errorf("v_e[%d] = %g, want %g", i, got, x)
		}
	}
}

func TestOppositePullsCancel(t *testing.T) {
	s := scorer(t, Query{Vector: []float32{0, 1}, Texts: [][]float32{{1, 0}, {-1, 0}}, Candidates: 2, Tau: 9, Known: []bool{true, true},
		Neighbours: []Neighbour{{Cosine: .5, Row: 0, Predicted: 0}, {Cosine: .5, Row: 1, Predicted: 1}}})
	p, err := s.KNN(KNNAvg)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Fuse(AIMEmb, p)
	if err != nil || !alike(r.P, []float64{.5, .5}, 0) || r.Weight != 0 {
		t.Errorf("%v, weight %g, %v; want p_z and 0: v_e has no direction", r.P, r.Weight, err)
	}
}

func TestHead(t *testing.T) {
	tests := []struct {
		name   string
		counts []int
		want   []bool
	}{
		{"none", nil, []bool{}},
		{"one label stays", []int{0, 4}, []bool{false, true}},
		{"of two the commoner", []int{1, 2}, []bool{false, true}},
		{"of three one", []int{5, 9, 5}, []bool{false, true, false}},
		{"ties go to the lower index", []int{3, 3, 3, 0, 3, 3, 3}, []bool{true, true, false, false, false, false, false}},
		{"of seven three", []int{1, 2, 3, 4, 5, 6, 7}, []bool{false, false, false, false, true, true, true}},
	}
	for _, tt := range tests {
		got := Head(tt.counts)
		for i := range got {
			if got[i] != tt.want[i] {
				t.Errorf("%s: Head(%v) = %v, want %v", tt.name, tt.counts, got, tt.want)
				break
			}
		}
	}
}
