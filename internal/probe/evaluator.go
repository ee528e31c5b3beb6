package probe

import (
	"context"
	"math"

	"fieldmark/internal/vec"
)

const (
	blockRows = 256  // exemplars whose logits are held at once
	chunkRows = 1024 // exemplars whose gradient is summed up in T, before it is added in float64
	stripes   = 8    // parts of the data that workers share out; each has sums of its own
	// pad sets rows of matrices apart by other than a power of two, at which a
	// column of them would compete for one set of the cache.
	pad = 16
)

// evaluator computes f and ∇f with matrix products in T. For each block of m
// rows: logits Zᵀ = W Xᵀ, residuals Rᵀ = softmax − onehot, and G += Rᵀ X. Chunks
// of rows belong to stripes in turn. Sums over a chunk are in T, and in float64 in
// a fixed order beyond, so that the number of workers changes nothing.
type evaluator[T vec.Float] struct {
	*problem
	kp      int // K, rounded up to whole groups of rows
	ldw     int // distance of W's rows, and of exemplars
	ldg     int // distance of G's rows
	w       []T // kp × ldw, W rounded to T
	parts   []part
	scratch []scratch[T] // a worker's
	doubt   []float32    // N, 1 − p of each exemplar's own class, at the last θ
}

// part is a stripe's share of f and its gradient, without C and the penalty.
type part struct {
	loss float64
	grad []float64 // K·D + K
}

// reset makes it the share of no exemplars, of a gradient of size elements. These are
// made when they are first wanted: a hessian's evaluator forms no gradient.
func (p *part) reset(size int) {
	p.loss = 0
	if p.grad == nil {
		p.grad = make([]float64, size)
	}
	clear(p.grad)
}

// scratch is what one worker needs for a block.
type scratch[T vec.Float] struct {
	z           []T // kp × (blockRows + pad), Zᵀ, then Rᵀ
	g           []T // kp × ldg, a chunk's gradient
	x           []T // blockRows × ldw, the block's exemplars, centred
	across      []T // D × m, those in panels of exemplars
	along       []T // m × D, those in panels of dimensions
	shift, sums []T // m, greatest logit and sum of exponentials
	own         []T // m, the logit of the exemplar's own class
	lse         []T // m, log Σ_k exp of the logits
}

const ldz = blockRows + pad

func newEvaluator[T vec.Float](p *problem) *evaluator[T] {
	lanes := vec.Lanes[T]()
	e := &evaluator[T]{
		problem: p,
		kp:      (p.k + vec.RowGroup - 1) / vec.RowGroup * vec.RowGroup,
		ldw:     p.d + pad,
		ldg:     (p.d+lanes-1)/lanes*lanes + pad,
	}
	e.w, e.doubt = make([]T, e.kp*e.ldw), make([]float32, len(p.rows))
	e.parts = make([]part, min(stripes, e.chunks()))
	e.scratch = make([]scratch[T], max(1, min(p.workers, len(e.parts))))
	for i := range e.scratch {
		e.scratch[i] = scratch[T]{
			z: make([]T, e.kp*ldz), g: make([]T, e.kp*e.ldg), x: make([]T, blockRows*e.ldw),
			shift: make([]T, blockRows), sums: make([]T, blockRows),
			own: make([]T, blockRows), lse: make([]T, blockRows),
		}
	}
	return e
}

func (e *evaluator[T]) chunks() int { return (len(e.rows) + chunkRows - 1) / chunkRows }

// eval returns f(θ) and writes ∇f(θ) to grad. It looks at ctx between chunks.
func (e *evaluator[T]) eval(ctx context.Context, theta, grad []float64) (float64, error) {
	kd := e.k * e.d
	w, b := theta[:kd], theta[kd:]
	e.load(theta)
	parallel(e.workers, len(e.parts), func(worker, stripe int) {
		part := &e.parts[stripe]
		part.reset(e.size())
		for chunk := stripe; chunk < e.chunks() && ctx.Err() == nil; chunk += len(e.parts) {
			e.chunk(&e.scratch[worker], part, chunk, b, nil)
		}
	})
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	loss := 0.0
	clear(grad)
	for i := range e.parts {
		loss += e.parts[i].loss
		vec.AxpyFloat64(1, e.parts[i].grad, grad)
	}
	vec.Scale(e.c, grad)
	vec.AxpyFloat64(1, w, grad[:kd])
	return e.c*loss + vec.DotFloat64(w, w)/2, nil
}

// load rounds W to T.
func (e *evaluator[T]) load(theta []float64) {
	for k := range e.k {
		row := e.w[k*e.ldw : k*e.ldw+e.d]
		for i, v := range theta[k*e.d : (k+1)*e.d] {
			row[i] = T(v)
		}
	}
}

// chunk adds the loss of one chunk of rows to part, and the sums over them of
// residual × (x, 1), its gradient. change, if not nil, may replace the residuals
// in z, a class's of the rows from ≤ i < from+m at a time.
func (e *evaluator[T]) chunk(s *scratch[T], part *part, chunk int, b []float64, change func(from, m int)) {
	clear(s.g)
	end := min(len(e.rows), (chunk+1)*chunkRows)
	for from := chunk * chunkRows; from < end; from += blockRows {
		m := min(blockRows, end-from)
		e.logits(s, from, m, b)
		part.loss += e.residuals(s, from, m)
		if change != nil {
			change(from, m)
		}
		s.along = vec.Panels(s.along, s.x, m, e.d, e.ldw)
		vec.MulAdd(e.kp, m, e.d, s.z, ldz, s.along, s.g, e.ldg)
		for k := range e.k {
			part.grad[e.k*e.d+k] += sumOf(s.z[k*ldz : k*ldz+m])
		}
	}
	for k := range e.k {
		out := part.grad[k*e.d : (k+1)*e.d]
		for d, v := range s.g[k*e.ldg : k*e.ldg+e.d] {
			out[d] += float64(v)
		}
	}
}

// logits sets z to those of the rows from ≤ i < from+m, a row of z for a class.
func (e *evaluator[T]) logits(s *scratch[T], from, m int, b []float64) {
	for i := range m {
		vec.SubInto(s.x[i*e.ldw:i*e.ldw+e.d], e.rows[from+i], e.mean)
	}
	s.across = vec.PanelsTransposed(s.across, s.x, e.d, m, e.ldw)
	e.bias(s.z, b)
	vec.MulAdd(e.kp, e.d, m, e.w, e.ldw, s.across, s.z, ldz)
}

// bias sets each row of z to its class's element of b.
func (e *evaluator[T]) bias(z []T, b []float64) {
	clear(z[e.k*ldz:])
	for k, v := range b[:e.k] {
		row := z[k*ldz : (k+1)*ldz]
		for i := range row {
			row[i] = T(v)
		}
	}
}

// residuals makes of the logits z the residuals softmax − onehot, and returns the
// loss of the rows.
func (e *evaluator[T]) residuals(s *scratch[T], from, m int) float64 {
	shift, sums, own := s.shift[:m], s.sums[:m], s.own[:m]
	copy(shift, s.z)
	clear(sums)
	for k := 1; k < e.k; k++ {
		vec.MaxInto(shift, s.z[k*ldz:k*ldz+m])
	}
	// The own class is left out of the sum: 1 − p_y as the sum of the others loses
	// no digits when p_y is near 1.
	for i, y := range e.y[from : from+m] {
		z := &s.z[int(y)*ldz+i]
		own[i], *z = *z-shift[i], T(math.Inf(-1))
	}
	for k := range e.k {
		vec.ExpShift(s.z[k*ldz:k*ldz+m], shift, sums)
	}
	loss := 0.0
	for i, others := range sums {
		mine := math.Exp(float64(own[i]))
		all := float64(others) + mine
		l := lossOf(float64(own[i]), mine, float64(others))
		s.lse[i] = shift[i] + own[i] + T(l)
		loss += l
		shift[i] = T(1 / all) // from here on the factor of the exponentials
		sums[i] = T(-float64(others) / all)
		e.doubt[from+i] = float32(-sums[i])
	}
	for k := range e.k {
		vec.MulInto(s.z[k*ldz:k*ldz+m], shift)
	}
	for i, y := range e.y[from : from+m] {
		s.z[int(y)*ldz+i] = sums[i]
	}
	return loss
}

// lossOf is −log(mine / (mine + others)), where mine = exp(own).
func lossOf(own, mine, others float64) float64 {
	if others < mine {
		return math.Log1p(others / mine)
	}
	return math.Log(others+mine) - own
}

// sumOf is the sum of x. Four sums do not wait for one another.
func sumOf[T vec.Float](x []T) float64 {
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		s0 += float64(x[i])
		s1 += float64(x[i+1])
		s2 += float64(x[i+2])
		s3 += float64(x[i+3])
	}
	for ; i < len(x); i++ {
		s0 += float64(x[i])
	}
	return (s0 + s1) + (s2 + s3)
}
