package probe

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The conditions themselves are the oracle: they have one solution.
func TestSettleFulfilsItsConditions(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for trial := range 2000 {
		k := 1 + r.IntN(12)
		z, c, p := make([]float64, k), make([]float64, k), make([]float64, k)
		scale := math.Pow(10, 3*r.Float64()-1)
		for i := range z {
			z[i] = scale * r.NormFloat64()
			if r.IntN(4) > 0 {
				c[i] = math.Pow(10, 5*r.Float64()-3)
			}
		}
		y := r.IntN(k)
		rest := math.Inf(-1)
		if r.IntN(2) == 0 {
			rest = scale * r.NormFloat64()
		}
		settle(z, c, y, rest, p)
		var sum, most float64
		at := make([]float64, k)
		for i := range z {
			at[i] = z[i] - c[i]*p[i]
			if i == y {
				at[i] += c[i]
			}
			sum += p[i]
		}
		lse := rest
		for _, v := range at {
			lse = max(lse, v)
		}
		total := math.Exp(rest - lse)
		for _, v := range at {
			total += math.Exp(v - lse)
		}
		for i, v := range at {
			most = max(most, math.Abs(math.Exp(v-lse)/total-p[i]))
		}
		sum += math.Exp(rest-lse) / total
		if math.Abs(sum-1) > 1e-6 || most > 1e-6 {
			t.Fatalf("trial %d: z %v, c %v, class %d, rest %v: p = %v, off by %v, sum %v", trial, z, c, y, rest, p, most, sum)
		}
	}
}
