package eval

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"fieldmark/internal/nearest"
	"fieldmark/internal/vec"
)

// stranger is an exemplar of the crowd that is near to a copy.
type stranger struct {
	cos    float64
	label  int
	vector []float32
}

// crowdBatch is how many strangers are drawn and compared at once.
const crowdBatch = 1 << 13

// strangers returns what draws an embedding like those of further photos of the
// classes, by a smoothed bootstrap that keeps each class's mean μ and the covariance
// within classes (Silverman, "Density Estimation", 1986, section 6.4): of a photo p
// of the class and two photos a and b of another,
//
//	x = μ + √½ (p - μ) + ½ (a - b)
//
// whose last two terms have half of that covariance each.
func (c Crowd) strangers(rng *rand.Rand) func() (int, []float32) {
	means := make([][]float64, len(c.Classes))
	for i, k := range c.Classes {
		means[i] = make([]float64, len(k.Photos[0].Vector))
		for _, p := range k.Photos[1:] {
			vec.Axpy(1/float64(len(k.Photos)-1), p.Vector, means[i])
		}
	}
	return func() (int, []float32) {
		at := rng.IntN(len(c.Classes))
		own, other := c.Classes[at].Photos[1:], c.Classes[rng.IntN(len(c.Classes))].Photos[1:]
		p, a := own[rng.IntN(len(own))], rng.IntN(len(other))
		b := (a + 1 + rng.IntN(len(other)-1)) % len(other)
		x := make([]float32, len(p.Vector))
		for d, mean := range means[at] {
			residual := float64(p.Vector[d]) - mean
			x[d] = float32(mean + math.Sqrt(.5)*residual + .5*float64(other[a].Vector[d]-other[b].Vector[d]))
		}
		return c.Classes[at].Label, x
	}
}

// gather adds n strangers to the crowd.
func (c Crowd) gather(ctx context.Context, asked []*crowded, draw func() (int, []float32), n int) error {
	rows := nearest.NewVectors(len(c.Subject.Texts[0]), nearest.Half)
	labels := make([]int, n)
	for i := range labels {
		var x []float32
		var err error
		labels[i], x = draw()
		if rows, err = rows.Append(x); err != nil {
			return err
		}
	}
	index := nearest.Exact{Vectors: rows}
	for _, q := range asked {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, nb := range index.Search(q.vector, c.Subject.K, nil) {
			if nb.Cos <= q.exceeds {
				break
			}
			q.meet(stranger{nb.Cos, labels[nb.ID], slices.Clone(rows.Row(nb.ID, nil))}, c.Subject.K)
		}
	}
	return nil
}

// meet keeps the k nearest, nearest first; the earlier of two that are as near.
func (q *crowded) meet(s stranger, k int) {
	at := slices.IndexFunc(q.near, func(t stranger) bool { return t.cos < s.cos })
	if at < 0 {
		at = len(q.near)
	}
	q.near = slices.Insert(q.near, at, s)
	if len(q.near) > k {
		q.near = q.near[:k]
	}
	if len(q.near) == k {
		q.exceeds = q.near[k-1].cos
	}
}
