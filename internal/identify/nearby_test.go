package identify

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"fieldmark/internal/vec"
)

// The nearest are those that sorting all of them finds, however many came, and no
// more than a few are ever held.
func TestNearbyIsTheHeadOfASort(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	draw := func() []float32 {
		v := make([]float32, 8)
		for i := range v {
			v[i] = float32(random.NormFloat64())
		}
		return v
	}
	taught := [][]float32{draw(), draw()}
	for _, n := range []int{0, 5, turnLook, 4*turnLook - 1, 4 * turnLook, 3000} {
		got, all := nearestTo(taught), []near{}
		for i := range n {
			w := WaitingVector{ObservationID(i + 1), draw()}
			if i%7 == 0 && i > 0 {
				w.Vector = all[i-1].Vector // as near as another: the first that came goes first
			}
			v := unit(w.Vector)
			all = append(all, near{w, max(vec.Dot(unit(taught[0]), v), vec.Dot(unit(taught[1]), v))})
			if err := got.look(w); err != nil {
				t.Fatal(err)
			}
			if len(got.list) > 4*turnLook {
				t.Fatalf("%d are held", len(got.list))
			}
		}
		slices.SortStableFunc(all, func(a, b near) int { return cmp.Compare(b.cos, a.cos) })
		var want, found []ObservationID
		for _, x := range all[:min(turnLook, n)] {
			want = append(want, x.Observation)
		}
		for _, x := range got.found() {
			found = append(found, x.Observation)
		}
		if got.looked != n || !slices.Equal(found, want) {
			t.Errorf("of %d: looked at %d, found %v, want %v", n, got.looked, found, want)
		}
	}
}
