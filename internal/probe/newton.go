package probe

import (
	"context"
	"math"

	"fieldmark/internal/vec"
)

const (
	// inexact is how much of the gradient a Newton step leaves, by √(gᵀP g) with the
	// preconditioner P: f is not quadratic enough for more to pay.
	inexact = 0.05
	// mostProducts bounds the products with the Hessian that a step takes.
	mostProducts = 100
	// idleSteps is the number of steps in turn after which the gradient must have
	// been halved.
	idleSteps = 3
	// worthPreconditioning is the number of exemplars × labels from which a
	// preconditioner saves more products than it costs.
	worthPreconditioning = 1 << 16
)

// newton goes on from l's point until done by Newton steps (Nocedal and Wright, Alg.
// 7.1): f and its gradient are e's, the second derivatives those of a hessian in
// single precision, whatever e's is. What it rounds, and what it leaves out, the next
// gradient makes up for, as in the refinement of a linear system. It returns without
// an error, and short of done, where no step lowers f, where idleSteps have not halved
// the gradient, and fewSteps before opts.MaxIter; L-BFGS may go on then. noise is the
// relative rounding error of f.
func newton[T vec.Float](ctx context.Context, l *lbfgs, e *evaluator[T], noise float64, opts Options, done func() bool) error {
	least, idle := l.gradNorm(), 0
	for l.iterations+fewSteps < opts.MaxIter && !done() && idle < idleSteps {
		h, err := e.hessian(ctx, l.x, e.doubt)
		if err != nil {
			return err
		}
		if l.precondition == nil && len(h.rows)*h.k >= worthPreconditioning {
			p, err := h.precondition(ctx)
			if err != nil {
				return err
			}
			l.precondition = p.apply
		}
		if err := h.direction(ctx, l, max(inexact, opts.Tol/l.gradNorm()/2)); err != nil {
			return err
		}
		if ok, err := l.search(ctx, e.eval, noise); err != nil || !ok {
			return err
		}
		l.iterations++
		idle++
		if g := l.gradNorm(); g <= least/2 {
			least, idle = g, 0
		}
	}
	return nil
}

// direction sets l.dir to about −H⁻¹g by conjugate gradients with l's preconditioner P,
// if it has one (Nocedal and Wright, Alg. 5.3), until the residual r = −g − H·dir has
// √(rᵀP r) ≤ left·√(gᵀP g), or mostProducts have been made.
func (h *hessian) direction(ctx context.Context, l *lbfgs, left float64) error {
	n := len(l.x)
	rest, turned, along, product := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	vec.AxpyFloat64(-1, l.g, rest)
	clear(l.dir)
	var first, before float64
	for i := range mostProducts {
		copy(turned, rest)
		if l.precondition != nil {
			l.precondition(turned)
		}
		size := vec.DotFloat64(rest, turned)
		switch {
		case i == 0:
			first = size
			copy(along, turned)
		case !(size > left*left*first):
			return nil
		default:
			vec.Scale(size/before, along)
			vec.AxpyFloat64(1, turned, along)
		}
		before = size
		if err := h.mul(ctx, along, product); err != nil {
			return err
		}
		curvature := vec.DotFloat64(along, product)
		if !(curvature > 0) || math.IsInf(curvature, 0) {
			return nil // rounding is all that is left
		}
		vec.AxpyFloat64(size/curvature, along, l.dir)
		vec.AxpyFloat64(-size/curvature, product, rest)
	}
	return nil
}
