package probe

import (
	"context"
	"fmt"

	"fieldmark/internal/vec"

	"gonum.org/v1/gonum/mat"
)

// rank is the number of eigenvectors of Σ that a preconditioner knows. What it does
// not know weighs less the more of the curvature is the penalty's.
const rank = 96

// preconditioner solves H·x = g for the diagonal blocks of H, one a class, as a
// Curvature has them, but that of Σ it knows only the greatest eigenvalues, and
// takes the others to be equal. So it is measured at the price of a product or two.
type preconditioner struct {
	*problem
	s        []float64 // K
	centre   []float32 // K × D, m_k
	lambda   []float64 // R
	rest     float64   // the mean of the other eigenvalues
	toAxes   []float32 // panels: products with it are along the R eigenvectors
	fromAxes []float32 // panels: and back
	plain    []float32 // kp × ldd
	along    []float32 // kp × ldr
	ldd, ldr int
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

// greatest are the r greatest eigenvalues of a covariance and, as rows [r × D], about
// their eigenvectors, and the mean of the other eigenvalues: by subspace iteration
// (Golub and Van Loan, Matrix Computations, Sec. 8.2.4), which finds those well that
// stand out.
func greatest(sigma *mat.SymDense, r int) (axes []float32, lambda []float64, rest float64, err error) {
	d := sigma.SymmetricDim()
	m := make([]float32, d*d)
	for i := range d {
		rest += sigma.At(i, i)
		for j := range d {
			m[i*d+j] = float32(sigma.At(i, j))
		}
	}
	panels := vec.Panels(nil, m, d, d, d)
	axes = make([]float32, r*d)
	for i := range r { // rows of Σ are a beginning
		copy(axes[i*d:(i+1)*d], m[i*d/r*d:])
	}
	for range 3 {
		orthonormalise(axes, d)
		axes = product(axes, panels, d, 1)
	}
	orthonormalise(axes, d)
	turned := product(axes, panels, d, 1)
	within := mat.NewSymDense(r, nil) // Σ, as it is in the subspace
	for i := range r {
		for j := i; j < r; j++ {
			within.SetSym(i, j, float64(vec.Dot(axes[i*d:(i+1)*d], turned[j*d:(j+1)*d])))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(within, true) {
		return nil, nil, 0, fmt.Errorf("probe: the covariance of %d dimensions has no eigenvectors", d)
	}
	var v mat.Dense
	e.VectorsTo(&v)
	lambda = e.Values(nil)
	clear(turned)
	for i := range r {
		lambda[i] = max(0, lambda[i])
		rest -= lambda[i]
		for j := range r {
			vec.AddScaled(float32(v.At(j, i)), axes[j*d:(j+1)*d], turned[i*d:(i+1)*d])
		}
	}
	return turned, lambda, max(0, rest) / float64(max(1, d-r)), nil
}

// orthonormalise makes rows of d elements so, those that depend on others zero, by
// Gram and Schmidt, twice.
func orthonormalise(rows []float32, d int) {
	for at := 0; at < len(rows); at += d {
		row := rows[at : at+d]
		before := vec.Norm(row)
		for range 2 {
			for other := 0; other < at; other += d {
				vec.AddScaled(-vec.Dot(rows[other:other+d], row), rows[other:other+d], row)
			}
		}
		if vec.Normalize(row) < 1e-5*before {
			clear(row)
		}
	}
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

// solve is apply of the classes lo ≤ k < hi, a RowGroup or what is left of one.
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
