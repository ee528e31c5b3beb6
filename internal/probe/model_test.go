package probe

import (
	"math"
	"slices"
	"testing"
)

func TestPredict(t *testing.T) {
	// Logits at x = (1, 2): 1·1 + 0·2 + log 2 − 1 = log 2, and 0, and −1 + 1 = 0.
	m := &Model{dim: 2, classes: []int32{4, 6, 9}, w: []float32{1, 0, 0, 0, 1, -1}, b: []float64{math.Ln2 - 1, 0, 1}}
	d := m.Predict([]float32{1, 2})
	for label, want := range map[int32]float64{4: 0.5, 6: 0.25, 9: 0.25, 5: 0} {
		if got := d.Prob(label); math.Abs(got-want) > 1e-12 {
			t.Errorf("p(%d) = %v, want %v", label, got, want)
		}
	}
	if best, ok := d.Best(); !ok || best != 4 {
		t.Errorf("best label %d, want 4", best)
	}
	tie := m.Predict([]float32{-10, -10}) // logits −10 + …, 0, 1
	if best, _ := tie.Best(); best != 9 {
		t.Errorf("best label %d, want 9", best)
	}
}

// Far from the data a probability underflows; its logarithm must not.
func TestLogProbabilitiesSurviveUnderflow(t *testing.T) {
	m := &Model{dim: 1, classes: []int32{1, 2}, w: []float32{1, -1}, b: []float64{0, 0}}
	d := m.Predict([]float32{1000})
	if d.Prob(2) != 0 || d.LogP[1] != -2000 || d.LogP[0] != 0 {
		t.Errorf("log p = %v, want 0 and −2000", d.LogP)
	}
}

func TestWithout(t *testing.T) {
	m := &Model{dim: 1, classes: []int32{4, 6, 9}, w: []float32{1, 2, 3}, b: []float64{-2, 1, 1}}
	x := []float32{0.5}
	before, after := m.Predict(x), m.Without(6).Predict(x)
	if !slices.Equal(after.Labels, []int32{4, 9}) {
		t.Fatalf("labels %v, want 4 and 9", after.Labels)
	}
	odds := func(d Distribution) float64 { return d.Prob(9) / d.Prob(4) }
	if math.Abs(odds(before)-odds(after)) > 1e-9 {
		t.Errorf("odds %v became %v", odds(before), odds(after))
	}
	if m.Without(5) != m {
		t.Errorf("striking out an unknown label changed the model")
	}
	if Constant(1, 4).Without(4) != nil {
		t.Errorf("striking out the only class left a model")
	}
	if w, b := m.Weights(1); len(m.Classes()) != 3 || w[0] != 2 || b != 1 {
		t.Errorf("the model itself changed")
	}
}
