package projection

import (
	"cmp"
	"context"
	"math"
	"slices"

	"fieldmark/internal/vec"
)

// link is p_ij of one j.
type link struct {
	to int32
	p  float64
}

// affinities are the joint probabilities p_ij = (p_{j|i} + p_{i|j}) / 2n of each
// row's 3·perplexity nearest, by cosine: |x̂_i − x̂_j|² = 2 − 2cos (van der Maaten
// and Hinton, eq. 1 and 2).
func affinities(ctx context.Context, rows [][]float32, perplexity float64) ([][]link, error) {
	n := len(rows)
	k := min(n-1, int(3*perplexity))
	unit := make([][]float32, n)
	for i, r := range rows {
		unit[i] = slices.Clone(r)
		vec.Normalize(unit[i])
	}
	joint := make([]map[int32]float64, n)
	for i := range joint {
		joint[i] = make(map[int32]float64, 2*k)
	}
	near := make([]link, 0, n)
	for i := range unit {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		near = near[:0]
		for j := range unit {
			if j != i {
				near = append(near, link{int32(j), max(0, 2-2*float64(vec.Dot(unit[i], unit[j])))})
			}
		}
		slices.SortFunc(near, func(a, b link) int { return cmp.Or(cmp.Compare(a.p, b.p), cmp.Compare(a.to, b.to)) })
		conditional(near[:k], perplexity)
		for _, l := range near[:k] {
			joint[i][l.to] += l.p / float64(2*n)
			joint[l.to][int32(i)] += l.p / float64(2*n)
		}
	}
	out := make([][]link, n)
	for i, m := range joint {
		for j, p := range m {
			out[i] = append(out[i], link{j, p})
		}
		slices.SortFunc(out[i], func(a, b link) int { return cmp.Compare(a.to, b.to) })
	}
	return out, nil
}

// conditional turns squared distances into p_{j|i} = exp(−β d²) / Σ, with the β
// whose distribution has the perplexity, found by halving.
func conditional(near []link, perplexity float64) {
	want := math.Log(perplexity)
	d := make([]float64, len(near))
	for i, l := range near {
		d[i] = l.p - near[0].p // which changes no p_{j|i}
	}
	beta, low, high := 1.0, 0.0, math.Inf(1)
	for range 64 {
		var sum, weighted float64
		for i := range d {
			near[i].p = math.Exp(-beta * d[i])
			sum, weighted = sum+near[i].p, weighted+d[i]*near[i].p
		}
		for i := range near {
			near[i].p /= sum
		}
		entropy := math.Log(sum) + beta*weighted/sum
		switch {
		case math.Abs(entropy-want) < 1e-5:
			return
		case entropy > want:
			low = beta
		default:
			high = beta
		}
		if beta = (low + high) / 2; math.IsInf(high, 1) {
			beta = 2 * low
		}
	}
}
