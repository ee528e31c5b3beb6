package probe

import (
	"context"

	"fieldmark/internal/vec"
)

// rank is the number of eigenvectors of Σ that a preconditioner knows. What it does
// not know weighs less the more of the curvature is the penalty's.
const rank = 96

// preconditioner solves H·x = g for the diagonal blocks of H, one a class, as a
// Curvature has them, but that of Σ it knows only the greatest eigenvalues, and
// takes the others to be equal. So it is measured at the price of a product or two.
// apply writes into rows of its own: one goroutine at a time.
type preconditioner struct {
	*problem
	s        []float64 // K
	centre   []float32 // K × D, m_k
	lambda   []float64 // R
	rest     float64   // the mean of the other eigenvalues
	toAxes   []float32 // panels: products with it are along the R eigenvectors
	fromAxes []float32 // panels: and back
	plain    []float32 // kp × ldd, rows of g while they are solved for
	along    []float32 // kp × ldr, the same along the R eigenvectors
	ldd, ldr int       // distances of their rows
}

// precondition is the preconditioner where h is.
func (h *hessian) precondition(ctx context.Context) (*preconditioner, error) {
	w, err := h.weights(ctx)
	if err != nil {
		return nil, err
	}
	r := min(rank, h.d)
	q := &preconditioner{problem: h.problem, s: w.s, centre: make([]float32, h.k*h.d), ldd: padded(h.d), ldr: padded(r)}
	for k := range w.s {
		w.s[k] = max(leastWeight, w.s[k])
		vec.Scale(1/w.s[k], w.m[k*h.d:(k+1)*h.d])
	}
	vec.Axpy(1, w.m, q.centre)
	axes, lambda, rest, err := greatest(h.covariance(w), r)
	if err != nil {
		return nil, err
	}
	q.lambda, q.rest = lambda, rest
	q.toAxes = vec.PanelsTransposed(nil, axes, h.d, r, h.d)
	q.fromAxes = vec.Panels(nil, axes, r, h.d, h.d)
	q.plain, q.along = make([]float32, h.kp*q.ldd), make([]float32, h.kp*q.ldr)
	return q, nil
}

// padded is the distance of rows of n elements.
func padded(n int) int {
	lanes := vec.Lanes[float32]()
	return (n+lanes-1)/lanes*lanes + pad
}

// weights are p(1 − p) of the hessian's exemplars, times how many each stands for.
func (h *hessian) weights(ctx context.Context) (doubts, error) {
	out := doubts{v: make([]float32, len(h.rows))}
	err := h.sum(ctx, func(s *scratch[float32], sum *curvedSum, block int) {
		c := &h.blocks[block]
		m := len(c.each)
		v := out.v[block*blockRows:][:m]
		clear(s.z[h.k*ldz:])
		for k := range h.k {
			row := s.z[k*ldz : k*ldz+m]
			for i, p := range c.p[k*ldz : k*ldz+m] {
				row[i] = max(0, p-p*p*c.each[i])
				v[i] += row[i]
			}
			sum.b[k] += sumOf(row)
		}
		vec.MulAdd(h.kp, m, h.d, s.z, ldz, c.along, sum.w, h.ldg)
	})
	sums := make([]float64, h.size())
	h.total(sums)
	out.m, out.s = sums[:h.k*h.d], sums[h.k*h.d:]
	return out, err
}

// apply replaces g = (g_W, g_b′) by H⁻¹g. Eliminating b′, with u = g_w − m·g_b:
// w = (I + C s Σ)⁻¹ u and b′ = g_b/(C s) − m·w.
func (q *preconditioner) apply(g []float64) {
	groups := len(q.plain) / (vec.RowGroup * q.ldd)
	parallel(q.workers, groups, func(_, group int) {
		lo := group * vec.RowGroup
		q.solve(g, lo, min(q.k, lo+vec.RowGroup))
	})
}

// solve is apply of the classes lo ≤ k < hi, a RowGroup or what is left of one. With A
// the R eigenvectors as columns, and the other eigenvalues all ρ,
//
//	(I + C s Σ)⁻¹ u = u/(1 + C s ρ) + A diag(1/(1 + C s λ_j) − 1/(1 + C s ρ)) Aᵀu
func (q *preconditioner) solve(g []float64, lo, hi int) {
	w, b := g[:q.k*q.d], g[q.k*q.d:]
	r := len(q.lambda)
	plain, along := q.plain[lo*q.ldd:(lo+vec.RowGroup)*q.ldd], q.along[lo*q.ldr:(lo+vec.RowGroup)*q.ldr]
	for k := lo; k < hi; k++ {
		row := plain[(k-lo)*q.ldd:][:q.d]
		for i, v := range w[k*q.d : (k+1)*q.d] {
			row[i] = float32(v)
		}
		vec.AddScaled(-float32(b[k]), q.centre[k*q.d:(k+1)*q.d], row)
	}
	clear(along)
	vec.MulAdd(vec.RowGroup, q.d, r, plain, q.ldd, q.toAxes, along, q.ldr)
	for k := lo; k < hi; k++ {
		weight := q.c * q.s[k]
		rest := 1 / (1 + weight*q.rest)
		row := along[(k-lo)*q.ldr:][:r]
		for j, l := range q.lambda {
			row[j] *= float32(1/(1+weight*l) - rest)
		}
		vec.Scale(rest, plain[(k-lo)*q.ldd:][:q.d])
	}
	vec.MulAdd(vec.RowGroup, r, q.d, along, q.ldr, q.fromAxes, plain, q.ldd)
	for k := lo; k < hi; k++ {
		row := plain[(k-lo)*q.ldd:][:q.d]
		for i, v := range row {
			w[k*q.d+i] = float64(v)
		}
		b[k] = b[k]/(q.c*q.s[k]) - float64(vec.Dot(q.centre[k*q.d:(k+1)*q.d], row))
	}
}
