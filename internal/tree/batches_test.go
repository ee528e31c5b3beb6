package tree

import (
	"math/rand/v2"
	"testing"
)

// A memory that is taught in batches finds out no curvature, and ends where any
// other does, by strokes too.
func TestBatches(t *testing.T) {
	d := exemplars(rand.New(rand.NewPCG(71, 71)), 600, 512, 20)
	most := data{d.rows[:590], d.labels[:590]}
	batches := consolidate(t, fold(t, most, Params{Workers: 2, Batches: true}))
	lessons := consolidate(t, fold(t, most, Params{Workers: 2}))
	if batches.leafAt(0).live.overlay != nil || lessons.leafAt(0).live.overlay == nil {
		t.Fatal("want a leaf that can be stroked where it is taught by lessons, and only there")
	}
	next, _, err := batches.Insert(d.labels[590], d.rows[590])
	if err != nil {
		t.Fatal(err)
	}
	batches = consolidate(t, stroke(t, next, 0))
	if next, _, err = lessons.Insert(d.labels[590], d.rows[590]); err != nil {
		t.Fatal(err)
	}
	lessons = consolidate(t, next)
	for _, row := range d.rows[590:] {
		if a := apart(predict(t, batches, row), predict(t, lessons, row)); a > 1e-6 {
			t.Errorf("probabilities differ by %v", a)
		}
	}
}
