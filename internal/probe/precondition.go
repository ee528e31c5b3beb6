package probe

import "fieldmark/internal/vec"

// preconditioner solves H·x = g for the H of a Curvature.
type preconditioner struct {
	*problem
	lambda    []float32
	s         []float32 // K, by the problem's classes
	centre    []float64 // K × D, likewise, from the problem's own mean, in the basis
	toBasis   []float64 // panels of U: products with it are in the basis
	fromBasis []float64 // panels of Uᵀ
	rotated   []float64 // K × ld
	plain     []float64 // K × ld
	kp, ld    int
}

// precondition is a preconditioner for p. A class that c does not know is taken
// for one whose own exemplars are in doubt, and no others.
func (p *problem) precondition(c *Curvature) *preconditioner {
	lanes := vec.Lanes[float64]()
	q := &preconditioner{problem: p, lambda: c.lambda,
		s: make([]float32, p.k), centre: make([]float64, p.k*p.d),
		kp: (p.k + vec.RowGroup - 1) / vec.RowGroup * vec.RowGroup,
		ld: (p.d+lanes-1)/lanes*lanes + pad,
	}
	apart := make([]float32, p.d)
	vec.SubInto(apart, c.mean, p.mean)
	apart = c.rotate(apart, 1)
	for k, label := range p.classes {
		if i, ok := c.class(label); ok {
			q.s[k] = c.s[i]
			row := q.centre[k*p.d : (k+1)*p.d]
			vec.Axpy(1, c.centre[i*p.d:(i+1)*p.d], row)
			vec.Axpy(1, apart, row)
		}
	}
	p.unknown(q, c)
	basis := make([]float64, p.d*p.d)
	vec.Axpy(1, c.basis, basis)
	q.toBasis = vec.PanelsTransposed(nil, basis, p.d, p.d, p.d)
	q.fromBasis = vec.Panels(nil, basis, p.d, p.d, p.d)
	q.rotated, q.plain = make([]float64, q.kp*q.ld), make([]float64, q.kp*q.ld)
	return q
}

// unknown sets s and the centre of the classes that c does not know.
func (p *problem) unknown(q *preconditioner, c *Curvature) {
	sums := map[int32][]float32{}
	for i, y := range p.y {
		if _, ok := c.class(p.classes[y]); ok {
			continue
		}
		if sums[y] == nil {
			sums[y] = make([]float32, p.d)
		}
		q.s[y] += 0.5
		vec.AddScaled(1, p.rows[i], sums[y])
	}
	for y, sum := range sums {
		vec.Scale(0.5/float64(q.s[y]), sum)
		away := make([]float32, p.d)
		vec.SubInto(away, sum, p.mean)
		vec.Axpy(1, c.rotate(away, 1), q.centre[int(y)*p.d:(int(y)+1)*p.d])
	}
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
			copy(plain[(k-lo)*q.ld:][:q.d], w[k*q.d:])
		}
		clear(rotated)
		vec.MulAdd(vec.RowGroup, q.d, q.d, plain, q.ld, q.toBasis, rotated, q.ld)
		for k := lo; k < hi; k++ {
			row, centre := rotated[(k-lo)*q.ld:][:q.d], q.centre[k*q.d:(k+1)*q.d]
			weight := q.c * float64(q.s[k])
			vec.AxpyFloat64(-b[k], centre, row)
			for j, l := range q.lambda {
				row[j] /= 1 + weight*float64(l)
			}
			b[k] = b[k]/weight - vec.DotFloat64(centre, row)
		}
		clear(plain)
		vec.MulAdd(vec.RowGroup, q.d, q.d, rotated, q.ld, q.fromBasis, plain, q.ld)
		for k := lo; k < hi; k++ {
			copy(w[k*q.d:(k+1)*q.d], plain[(k-lo)*q.ld:])
		}
	})
}
