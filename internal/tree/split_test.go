package tree

import (
	"math"
	"math/rand/v2"
	"testing"

	"fieldmark/internal/vec"
)

// What single precision lets pass must be what double precision says, also of
// vectors so short beside the centres, or between centres so near to one another,
// that double precision itself rounds: or the tree would depend on the processor.
func TestBisectorIsDoublePrecision(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 45))
	power := func(from, to float64) float64 { return math.Pow(10, from+(to-from)*r.Float64()) }
	for range 20_000 {
		const dim = 6
		c0, c1, x := make([]float64, dim), make([]float64, dim), make([]float32, dim)
		apart, short := power(-6, 0), power(-14, 1)
		for i := range dim {
			c0[i] = r.NormFloat64()
			c1[i] = c0[i] + apart*r.NormFloat64()
			x[i] = float32(short * r.NormFloat64())
		}
		vec.Scale(vec.Norm(c0)/vec.Norm(c1), c1) // the plane goes through the origin, or nearly
		b := newBisector(c0, c1)
		want := vec.SquaredDistance(x, c1) < vec.SquaredDistance(x, c0)
		if got := b.beyond(x, vec.Norm(x)); got != want {
			t.Fatalf("beyond is %v, want %v, for %v between %v and %v", got, want, x, c0, c1)
		}
	}
}
