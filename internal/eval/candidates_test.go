package eval

import (
	"math"
	"slices"
	"testing"

	"fieldmark/internal/probe"
)

// Of five labels 3 and 1 are asked, 3 twice: rows 0 and 1, then 0, 2 and 4.
func TestAmongByHand(t *testing.T) {
	texts := axes(5)
	c := Among(texts, []int{3, 1, 3})
	if !slices.Equal(c.Labels, []int{3, 1}) || !slices.Equal(c.Row, []int{2, 1, 3, 0, 4}) {
		t.Errorf("candidates %v, rows %v", c.Labels, c.Row)
	}
	for y, r := range c.Row {
		if !slices.Equal(c.Texts[r], texts[y]) {
			t.Errorf("row %d is not the text of label %d", r, y)
		}
	}
	got := c.LogProb(probe.Distribution{Labels: []int32{0, 1}, LogP: []float64{math.Log(.7), math.Log(.3)}})
	if len(got) != 2 || !math.IsInf(got[0], -1) || got[1] != math.Log(.3) {
		t.Errorf("log p = %v, want -Inf and log .3", got)
	}
}
