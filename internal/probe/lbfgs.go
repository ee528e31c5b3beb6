package probe

import (
	"context"
	"math"

	"fieldmark/internal/vec"
)

// memory is the number of past steps from which L-BFGS models the curvature. An
// lbfgs holds 2·memory + 5 vectors of as many float64 as x has.
const memory = 10

// function is a convex function: it returns its value at x and writes its
// gradient there to grad.
type function func(ctx context.Context, x, grad []float64) (float64, error)

// lbfgs minimises a smooth convex function by limited-memory BFGS (Nocedal and
// Wright, Numerical Optimization, 2nd ed., Alg. 7.4 and 7.5). No step makes the
// function greater by more than its rounding, so that it can stop after any.
type lbfgs struct {
	x, g       []float64 // the best point so far and the gradient there
	f          float64
	iterations int
	evals      int

	// precondition, if not nil, replaces a vector by its product with a positive
	// definite approximation of the inverse Hessian.
	precondition func(g []float64)

	tryX, tryG, dir []float64
	steps           []step  // oldest first
	scale           float64 // of the preconditioner, by the last step
}

// step is one past step: s in x, y in the gradient, and 1 / s·y.
type step struct {
	s, y []float64
	rho  float64
}

func newLBFGS(x []float64) *lbfgs {
	n := len(x)
	return &lbfgs{x: x, g: make([]float64, n), tryX: make([]float64, n), tryG: make([]float64, n), dir: make([]float64, n)}
}

// gradNorm is the greatest absolute element of the gradient.
func (l *lbfgs) gradNorm() float64 { return maxAbs(l.g) }

// maxAbs is the greatest absolute element of x.
func maxAbs(x []float64) float64 {
	var n float64
	for _, v := range x {
		n = max(n, math.Abs(v))
	}
	return n
}

// begin computes f and its gradient at x.
func (l *lbfgs) begin(ctx context.Context, fn function) error {
	f, err := fn(ctx, l.x, l.tryG)
	if err != nil {
		return err
	}
	l.evals++
	l.f = f
	l.g, l.tryG = l.tryG, l.g
	return nil
}

// run goes on from x, of which begin has told it, until done, until maxIter steps
// have been made in all, or until rounding lets no step succeed. noise is the
// relative rounding error of fn's value. What was learnt about the curvature serves
// the next run too. On an error of fn, x is the best point before it.
func (l *lbfgs) run(ctx context.Context, fn function, noise float64, maxIter int, done func() bool) error {
	for l.iterations < maxIter && !done() {
		l.direction()
		ok, err := l.search(ctx, fn, noise)
		if err != nil {
			return err
		}
		if ok {
			l.iterations++
			continue
		}
		if len(l.steps) == 0 {
			return nil // not even along the gradient: this is as low as it gets
		}
		l.steps = l.steps[:0]
	}
	return nil
}

// direction sets dir to −H·g, where H is the L-BFGS model of the inverse
// Hessian.
func (l *lbfgs) direction() {
	copy(l.dir, l.g)
	if len(l.steps) == 0 {
		if l.precondition != nil {
			l.precondition(l.dir)
			vec.Scale(-1, l.dir)
			return
		}
		vec.Scale(-1/max(1, l.gradNorm()), l.dir)
		return
	}
	alpha := make([]float64, len(l.steps))
	for i := len(l.steps) - 1; i >= 0; i-- {
		st := l.steps[i]
		alpha[i] = st.rho * vec.DotFloat64(st.s, l.dir)
		vec.AxpyFloat64(-alpha[i], st.y, l.dir)
	}
	if l.precondition != nil {
		l.precondition(l.dir)
	}
	vec.Scale(l.scale, l.dir)
	for i, st := range l.steps {
		beta := st.rho * vec.DotFloat64(st.y, l.dir)
		vec.AxpyFloat64(alpha[i]-beta, st.s, l.dir)
	}
	vec.Scale(-1, l.dir)
}

// search moves x along dir, by a whole step if that lowers f enough (Armijo's
// condition) and by less otherwise; false if no step does. Near the optimum, where
// f's rounding hides its decrease, the slope decides (the approximate Wolfe condition
// of Hager and Zhang, SIAM J. Optim. 16, 2005).
func (l *lbfgs) search(ctx context.Context, fn function, noise float64) (bool, error) {
	slope := vec.DotFloat64(l.g, l.dir)
	if !(slope < 0) {
		return false, nil
	}
	for t := 1.0; t > 1e-10; {
		copy(l.tryX, l.x)
		vec.AxpyFloat64(t, l.dir, l.tryX)
		f, err := fn(ctx, l.tryX, l.tryG)
		if err != nil {
			return false, err
		}
		l.evals++
		lower := f <= l.f+1e-4*t*slope
		flat := f <= l.f+noise*math.Abs(l.f) && math.Abs(vec.DotFloat64(l.tryG, l.dir)) <= 0.9*-slope
		if lower || flat {
			l.accept(f)
			return true, nil
		}
		// The minimum of the parabola through what is known, kept within reason.
		shrink := -slope * t / (2 * (f - l.f - slope*t))
		if !(shrink > 0.1) {
			shrink = 0.1
		}
		t *= min(shrink, 0.5)
	}
	return false, nil
}

// accept makes the tried point the present one and remembers the step.
func (l *lbfgs) accept(f float64) {
	var st step
	if len(l.steps) == memory { // its vectors serve again
		st = l.steps[0]
		copy(l.steps, l.steps[1:])
		l.steps = l.steps[:memory-1]
	} else {
		st = step{s: make([]float64, len(l.x)), y: make([]float64, len(l.x))}
	}
	for i := range st.s {
		st.s[i] = l.tryX[i] - l.x[i]
		st.y[i] = l.tryG[i] - l.g[i]
	}
	if sy := vec.DotFloat64(st.s, st.y); sy > 0 {
		st.rho = 1 / sy
		l.steps = append(l.steps, st)
	}
	l.x, l.tryX = l.tryX, l.x
	l.g, l.tryG = l.tryG, l.g
	l.f = f
	if st.rho > 0 {
		l.scale = l.scaleOf(st)
	}
}

// scaleOf is γ = s·y / y·Py, by which the preconditioner P (or the identity) has
// the curvature that step met (Nocedal and Wright, Eq. 7.20, for P = I). Without
// it a P that leaves out off-diagonal blocks sends every step too far, and most are
// tried twice. It uses tryX, which holds nothing then.
func (l *lbfgs) scaleOf(st step) float64 {
	if l.precondition == nil {
		return 1 / (st.rho * vec.DotFloat64(st.y, st.y))
	}
	bent := l.tryX
	copy(bent, st.y)
	l.precondition(bent)
	return 1 / (st.rho * vec.DotFloat64(st.y, bent))
}
