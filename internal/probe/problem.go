package probe

import (
	"context"
	"math"
	"slices"

	"fieldmark/internal/vec"
)

const (
	blockRows = 512 // exemplars whose residuals are held at once
	groupRows = 16  // of those, the rows that one worker classifies together
	tileDims  = 8   // gradient columns that one worker adds up together
	// pad sets rows of scratch matrices apart by other than a power of two, at
	// which a column of them would compete for one set of the cache.
	pad = 16
)

// problem is f and its gradient over θ = (W, b′), K·D + K numbers, where
// b′ = b + Wμ and μ is the mean exemplar: f is the same function of either
// intercept, but embeddings lie far from the origin, and centring them makes W
// and b′ all but independent of each other.
type problem struct {
	rows [][]float32 // N × D
	y    []int32     // N, index of each exemplar's class
	mean []float32   // D
	k, d int
	c    float64
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

// evaluator computes f and ∇f with inner products in T. With N blocks of rows it
// does, for each block: logits and residuals R = softmax − onehot row by row
// (shared by rows), then G += Rᵀ X (shared by columns of G). Sums over the rows
// are in T within a block and in float64 over the blocks.
type evaluator[T vec.Float] struct {
	*problem
	dot     func(a, b []T) T
	w       []T         // K × D, W rounded to T
	stride  int         // of rt and xt: a block's rows, and pad
	rt      []T         // K × stride, residuals, transposed
	xt      []T         // D × stride, centred exemplars, transposed
	loss    []float64   // a block's rows
	scratch [][]T       // a worker's groupRows × (D + pad) centred exemplars
	logits  [][]float64 // a worker's groupRows × K logits
}

func newEvaluator[T vec.Float](p *problem, dot func(a, b []T) T) *evaluator[T] {
	rows := min(blockRows, len(p.rows))
	stride := rows + pad
	e := &evaluator[T]{
		problem: p, dot: dot, stride: stride,
		w:  make([]T, p.k*p.d),
		rt: make([]T, p.k*stride), xt: make([]T, p.d*stride), loss: make([]float64, rows),
	}
	for range max(1, p.workers) {
		e.scratch = append(e.scratch, make([]T, groupRows*(p.d+pad)))
		e.logits = append(e.logits, make([]float64, groupRows*p.k))
	}
	return e
}

// eval returns f(θ) and writes ∇f(θ) to grad. It looks at ctx between blocks.
func (e *evaluator[T]) eval(ctx context.Context, theta, grad []float64) (float64, error) {
	kd := e.k * e.d
	w, b := theta[:kd], theta[kd:]
	for i, v := range w {
		e.w[i] = T(v)
	}
	clear(grad)
	var loss float64
	for from := 0; from < len(e.rows); from += blockRows {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		m := min(blockRows, len(e.rows)-from)
		parallel(e.workers, (m+groupRows-1)/groupRows, func(worker, group int) {
			e.residuals(worker, from, group*groupRows, min(m, (group+1)*groupRows), b)
		})
		parallel(e.workers, (e.d+tileDims-1)/tileDims, func(_, tile int) {
			e.accumulate(tile*tileDims, min(e.d, (tile+1)*tileDims), m, grad)
		})
		for k := range e.k {
			for _, r := range e.rt[k*e.stride : k*e.stride+m] {
				grad[kd+k] += float64(r)
			}
		}
		for _, l := range e.loss[:m] {
			loss += l
		}
	}
	vec.Scale(e.c, grad)
	vec.Axpy(1, w, grad[:kd])
	return e.c*loss + vec.DotFloat64(w, w)/2, nil
}

// residuals classifies the rows lo ≤ i < hi of the block that starts at row from,
// and writes their columns of rt, xt and loss.
func (e *evaluator[T]) residuals(worker, from, lo, hi int, b []float64) {
	x, z := e.scratch[worker], e.logits[worker]
	ld := e.d + pad
	for i := lo; i < hi; i++ {
		row := x[(i-lo)*ld:][:e.d]
		for d, v := range e.rows[from+i] {
			row[d] = T(v) - T(e.mean[d])
		}
	}
	for d := range e.d {
		column := e.xt[d*e.stride+lo : d*e.stride+hi]
		for i := range column {
			column[i] = x[i*ld+d]
		}
	}
	for k := range e.k {
		w := e.w[k*e.d : (k+1)*e.d]
		for i := range hi - lo {
			z[i*e.k+k] = float64(e.dot(w, x[i*ld:][:e.d])) + b[k]
		}
	}
	for i := lo; i < hi; i++ {
		zi, y := z[(i-lo)*e.k:(i-lo+1)*e.k], e.y[from+i]
		top := slices.Max(zi)
		zy := zi[y] - top
		var sum float64
		for k, v := range zi {
			zi[k] = math.Exp(v - top)
			sum += zi[k]
		}
		e.loss[i] = math.Log(sum) - zy
		for k, v := range zi {
			e.rt[k*e.stride+i] = T(v / sum)
		}
		// 1 − p_y as the sum of the others: no digits are lost when p_y is near 1.
		others := 0.0
		for k, v := range zi {
			if k != int(y) {
				others += v
			}
		}
		e.rt[int(y)*e.stride+i] = T(-others / sum)
	}
}

// accumulate adds Rᵀ X of a block of m rows to the columns lo ≤ d < hi of grad.
func (e *evaluator[T]) accumulate(lo, hi, m int, grad []float64) {
	for k := range e.k {
		r := e.rt[k*e.stride:][:m]
		for d := lo; d < hi; d++ {
			grad[k*e.d+d] += float64(e.dot(r, e.xt[d*e.stride:][:m]))
		}
	}
}
