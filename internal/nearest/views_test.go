package nearest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}

// Whatever the numbers of views, the result is that of comparing with everything.
// A view counts where (1 - cos) is at most .6 of the nearest whole's.
func TestBestAgainstAnOracle(t *testing.T) {
	const k, dim, most = 5, 6, 3
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		draw := func() []float32 {
			v := make([]float32, dim)
			for i := range v {
				v[i] = float32(rng.NormFloat64())
			}
			return v
		}
		query := draw()
		wholes, views := NewVectors(dim, Float32), NewVectors(dim, Float32)
		var owners []int
		var want []Neighbour
		top, of := -1.0, map[int][]float64{} // cosines of each one's views
		for id := range rng.IntN(20) {
			var err error
			v := draw()
			if wholes, err = wholes.Append(v); err != nil {
				t.Fatal(err)
			}
			want = append(want, Neighbour{id, cosine(query, v)})
			top = max(top, cosine(query, v))
			for range rng.IntN(most + 1) {
				v := draw()
				if views, err = views.Append(v); err != nil {
					t.Fatal(err)
				}
				owners, of[id] = append(owners, id), append(of[id], cosine(query, v))
			}
		}
		for id, views := range of {
			for _, cos := range views {
				if 1-cos <= .6*(1-top) {
					want[id].Cos = max(want[id].Cos, cos)
				}
			}
		}
		want = first(want, k)
		got := Best(k, Exact{Vectors: wholes}.Search(query, k, nil), Exact{Vectors: views}.Search(query, k*most, nil),
			func(view int) int { return owners[view] })
		if !slices.EqualFunc(got, want, func(a, b Neighbour) bool { return a.ID == b.ID && a.Cos-b.Cos < 1e-6 && b.Cos-a.Cos < 1e-6 }) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
	}
}
