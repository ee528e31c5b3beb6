package probe

import (
	"fieldmark/internal/vec"
)

// problem is f and its gradient over θ = (W, b′), K·D + K numbers, where
// b′ = b + Wμ and μ is the mean exemplar: f is the same function of either
// intercept, but embeddings lie far from the origin, and centring them makes W
// and b′ all but independent of each other.
type problem struct {
	rows    [][]float32 // N × D
	y       []int32     // N, index of each exemplar's class
	mean    []float32   // D
	classes []int32     // K labels, ascending
	k, d    int
	c       float64
	// workers share the work in such a way that their number does not change
	// the result by a bit.
	workers int
}

func (p *problem) size() int { return p.k*p.d + p.k }

// meanOf is μ. It need not be exact: any centre gives the same f.
func meanOf(rows [][]float32, d int) []float32 {
	sum := make([]float64, d)
	for _, r := range rows {
		vec.Axpy(1, r, sum)
	}
	mean := make([]float32, d)
	for i, s := range sum {
		mean[i] = float32(s / float64(len(rows)))
	}
	return mean
}
