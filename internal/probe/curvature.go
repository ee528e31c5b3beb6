package probe

import (
	"context"
	"slices"

	"fieldmark/internal/vec"
)

// Curvature is a model of f's second derivatives around a fitted Model, class by
// class. With exemplars centred on their mean μ,
//
//	H_k = ∂²f/∂(w_k, b′_k)² = [I 0; 0 0] + C Σ_i p_ik(1 − p_ik) [x_i; 1][x_i; 1]ᵀ
//	    ≈ [I 0; 0 0] + C s_k ([Σ 0; 0 0] + [m_k; 1][m_k; 1]ᵀ)
//
// where s_k and m_k are the sum and the mean by the weights p_ik(1 − p_ik), and Σ
// is the covariance about m_k, taken to be the same for all classes but for its
// scale: D² + K·D numbers stand for K·D². With Σ = U diag(λ) Uᵀ, H_k is inverted
// by two rotations, U and Uᵀ. Off-diagonal blocks are left out.
//
// It is what an Overlay moves by. (A fit, which need not keep it, has a cheaper form:
// preconditioner.) It is immutable.
type Curvature struct {
	c       float64
	d, n    int // n is the number of exemplars
	classes []int32
	mean    []float32 // D, μ
	basis   []float32 // D × D, Uᵀ: row j is the eigenvector of λ_j
	lambda  []float32 // D
	s       []float32 // K
	centre  []float32 // K × D, Uᵀ m_k
	sample  sample
}

// sample stands for all exemplars where an Overlay needs to know how a new class
// does against them.
type sample struct {
	rows   []float32 // M × D, Uᵀ(x − μ)
	lse    []float32 // M, log Σ_k exp of the logits of each
	weight float64   // N / M: how many exemplars each stands for
}

const (
	// covarianceRows, times D, is the number of exemplars from which Σ is
	// estimated: its eigenvalues are then right to about 1/√covarianceRows.
	covarianceRows = 8
	// sampleRows is the number of exemplars that a Curvature keeps.
	sampleRows = 1024
	// leastWeight bounds s_k from below: a class that nothing doubts has next to
	// no curvature, and what divides by it must not explode.
	leastWeight = 0.25
)

// Curve measures the Curvature of a model, near its optimum, over data. It costs
// about as much as two steps of a fit, and the eigenvectors of a D × D matrix.
// opts.Curvature, if it was measured on nearly as many exemplars, lends its
// eigenvectors. The model must know exactly the labels of data.
func Curve(ctx context.Context, m *Model, data Data, opts Options) (*Curvature, error) {
	p, theta, err := at(m, data, opts)
	if err != nil {
		return nil, err
	}
	return p.curvature(ctx, newEvaluator[float32](p), theta, opts.Curvature)
}

// sameSize is the ratio of the lesser to the greater number of exemplars, those on
// which the eigenvectors were measured and those there are now, from which they are
// used again.
const sameSize = 0.8

// curvature measures s and m over all exemplars, and Σ over some of them, unless
// former has it.
func (p *problem) curvature(ctx context.Context, e *evaluator[float32], theta []float64, former *Curvature) (*Curvature, error) {
	w, err := e.doubts(ctx, theta)
	if err != nil {
		return nil, err
	}
	c := &Curvature{c: p.c, d: p.d, n: len(p.rows), classes: p.classes, mean: p.mean, s: make([]float32, p.k)}
	for k, s := range w.s {
		vec.Scale(1/max(leastWeight, s), w.m[k*p.d:(k+1)*p.d])
		c.s[k] = float32(max(leastWeight, s))
	}
	n := float64(c.n)
	if former != nil && former.d == p.d && float64(former.n) >= sameSize*n && float64(former.n)*sameSize <= n {
		c.n, c.basis, c.lambda = former.n, former.basis, former.lambda
	} else if err := c.decompose(p.covariance(w)); err != nil {
		return nil, err
	}
	centre := make([]float32, p.k*p.d)
	vec.Axpy(1, w.m, centre)
	c.centre = c.rotate(centre, p.workers)
	c.keep(p, w)
	return c, nil
}

// keep copies the sample.
func (c *Curvature) keep(p *problem, w doubts) {
	ids := p.spread(sampleRows)
	rows := make([]float32, len(ids)*p.d)
	c.sample = sample{lse: make([]float32, len(ids)), weight: float64(len(p.rows)) / float64(len(ids))}
	for i, id := range ids {
		vec.SubInto(rows[i*p.d:(i+1)*p.d], p.rows[id], p.mean)
		c.sample.lse[i] = w.lse[id]
	}
	c.sample.rows = c.rotate(rows, p.workers)
}

// rotate is Uᵀ x for each of the rows x.
func (c *Curvature) rotate(rows []float32, workers int) []float32 {
	return product(rows, vec.PanelsTransposed(nil, c.basis, c.d, c.d, c.d), c.d, workers)
}

// unrotate is U y for each of the rows y.
func (c *Curvature) unrotate(rows []float32, workers int) []float32 {
	return product(rows, vec.Panels(nil, c.basis, c.d, c.d, c.d), c.d, workers)
}

// product is rows [n × d] times a matrix of d × d in panels.
func product(rows, panels []float32, d, workers int) []float32 {
	n := len(rows) / d
	lanes := vec.Lanes[float32]()
	ldc := (d + lanes - 1) / lanes * lanes
	out := make([]float32, n*d)
	const group = 3 * vec.RowGroup
	parallel(workers, (n+group-1)/group, func(_, g int) {
		lo, hi := g*group, min(n, (g+1)*group)
		a, c := make([]float32, group*d), make([]float32, group*ldc)
		copy(a, rows[lo*d:hi*d])
		vec.MulAdd(group, d, d, a, d, panels, c, ldc)
		for i := lo; i < hi; i++ {
			copy(out[i*d:(i+1)*d], c[(i-lo)*ldc:])
		}
	})
	return out
}

// doubts are the weights p(1 − p) at some θ.
type doubts struct {
	s   []float64 // K, Σ_i p_ik(1 − p_ik)
	m   []float64 // K × D, the exemplars added up by these weights
	v   []float32 // N, Σ_k p_ik(1 − p_ik)
	lse []float32 // N, log Σ_k exp of the logits
}

func (e *evaluator[T]) doubts(ctx context.Context, theta []float64) (doubts, error) {
	e.load(theta)
	b := theta[e.k*e.d:]
	out := doubts{v: make([]float32, len(e.rows)), lse: make([]float32, len(e.rows))}
	parallel(e.workers, len(e.parts), func(worker, stripe int) {
		part, s := &e.parts[stripe], &e.scratch[worker]
		part.reset(e.size())
		for chunk := stripe; chunk < e.chunks() && ctx.Err() == nil; chunk += len(e.parts) {
			e.chunk(s, part, chunk, b, func(from, m int) {
				for i, y := range e.y[from : from+m] {
					s.z[int(y)*ldz+i]++ // the residual's probability
					out.lse[from+i] = float32(s.lse[i])
				}
				for k := range e.k {
					for i, q := range s.z[k*ldz : k*ldz+m] {
						weight := max(0, q*(1-q))
						s.z[k*ldz+i] = weight
						out.v[from+i] += float32(weight)
					}
				}
			})
		}
	})
	if err := ctx.Err(); err != nil {
		return doubts{}, err
	}
	sum := make([]float64, e.size())
	for i := range e.parts {
		vec.AxpyFloat64(1, e.parts[i].grad, sum)
	}
	out.m, out.s = sum[:e.k*e.d], sum[e.k*e.d:]
	return out, nil
}

// class is the index of a label; false if the curvature does not know it.
func (c *Curvature) class(label int32) (int, bool) { return slices.BinarySearch(c.classes, label) }
