package probe

import (
	"slices"

	"fieldmark/internal/vec"
)

// preconditioner solves H·x = g for the H of a Curvature.
type preconditioner struct {
	*problem
	lambda    []float32
	s         []float32 // K, by the problem's classes
	centre    []float64 // K × D, likewise, from the problem's own mean
	toBasis   []float64 // panels of U: products with it are in the basis
	fromBasis []float64 // panels of Uᵀ
	rotated   []float64 // K × ld
	plain     []float64 // K × ld
	kp, ld    int
}

// precondition is a preconditioner for p. A class that c does not know is taken
// for one that nothing doubts.
func (p *problem) precondition(c *Curvature) *preconditioner {
	lanes := vec.Lanes[float64]()
	q := &preconditioner{problem: p, lambda: c.lambda,
		s: slices.Repeat([]float32{leastWeight}, p.k), centre: make([]float64, p.k*p.d),
		kp: (p.k + vec.RowGroup - 1) / vec.RowGroup * vec.RowGroup,
		ld: (p.d+lanes-1)/lanes*lanes + pad,
	}
	for k, label := range p.classes {
		if i, ok := c.class(label); ok {
			q.s[k] = c.s[i]
			row := q.centre[k*p.d : (k+1)*p.d]
			vec.Axpy(1, c.centre[i*p.d:(i+1)*p.d], row)
			vec.Axpy(1, c.mean, row)
			vec.Axpy(-1, p.mean, row)
		}
	}
	basis := make([]float64, p.d*p.d)
	vec.Axpy(1, c.basis, basis)
	q.toBasis = vec.PanelsTransposed(nil, basis, p.d, p.d, p.d)
	q.fromBasis = vec.Panels(nil, basis, p.d, p.d, p.d)
	q.rotated, q.plain = make([]float64, q.kp*q.ld), make([]float64, q.kp*q.ld)
	return q
}

// apply replaces g = (g_W, g_b′) by H⁻¹g. Eliminating b′, with u = g_w − m·g_b:
// w = (I + C s Σ)⁻¹ u and b′ = g_b/(C s) − m·w.
func (q *preconditioner) apply(g []float64) {
	w, b := g[:q.k*q.d], g[q.k*q.d:]
	parallel(q.workers, q.kp/vec.RowGroup, func(_, group int) {
		lo := group * vec.RowGroup
		hi := min(q.k, lo+vec.RowGroup)
		plain, rotated := q.plain[lo*q.ld:(lo+vec.RowGroup)*q.ld], q.rotated[lo*q.ld:(lo+vec.RowGroup)*q.ld]
		for k := lo; k < hi; k++ {
			row := plain[(k-lo)*q.ld:][:q.d]
			copy(row, w[k*q.d:])
			vec.AxpyFloat64(-b[k], q.centre[k*q.d:(k+1)*q.d], row)
		}
		clear(rotated)
		vec.MulAdd(vec.RowGroup, q.d, q.d, plain, q.ld, q.toBasis, rotated, q.ld)
		for k := lo; k < hi; k++ {
			row := rotated[(k-lo)*q.ld:][:q.d]
			weight := q.c * float64(q.s[k])
			for j, l := range q.lambda {
				row[j] /= 1 + weight*float64(l)
			}
		}
		clear(plain)
		vec.MulAdd(vec.RowGroup, q.d, q.d, rotated, q.ld, q.fromBasis, plain, q.ld)
		for k := lo; k < hi; k++ {
			row := plain[(k-lo)*q.ld:][:q.d]
			copy(w[k*q.d:(k+1)*q.d], row)
			b[k] = b[k]/(q.c*float64(q.s[k])) - vec.DotFloat64(q.centre[k*q.d:(k+1)*q.d], row)
		}
	})
}
