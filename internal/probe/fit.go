package probe

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Defaults of Options.
const (
	DefaultC       = 0.316 // the paper's, for embeddings of length near 10
	DefaultTol     = 1e-7
	DefaultMaxIter = 5000 // the paper's
)

// Data is what a probe is fitted on: Len exemplars, each a raw embedding and a
// label. Row's result is not changed and not kept. Both are called from the
// goroutine that calls Fit.
type Data interface {
	Len() int
	Row(i int) []float32
	Label(i int) int32
}

// Options say how to fit. The zero Options mean a cold fit to convergence on
// the caller's goroutine alone.
type Options struct {
	C float64 // weight of the data against ½‖W‖²; 0 is DefaultC
	// Tol is the greatest absolute element of ∇f at which the fit is converged. 0
	// is DefaultTol · max(1, C·N/16): f, and how much it curves in the directions
	// that the data see, grow with C·N. f curves by at least 1 in every direction of
	// W, so that no weight is then farther than about Tol·√(K·D) from the optimum,
	// and in practice far less.
	Tol     float64
	MaxIter int    // steps after which to stop short of that; 0 is DefaultMaxIter
	Workers int    // goroutines that share the work; the result does not depend on it
	Warm    *Model // where to start; nil is a cold start
	// Curvature is that of a model near the one that Curve is asked about, if it is
	// known; Fit makes no use of it.
	Curvature *Curvature
}

// Report says how far a fit came.
type Report struct {
	Objective   float64 // f(W, b)
	GradNorm    float64 // greatest absolute element of ∇f
	Iterations  int     // steps made over all of the data, of L-BFGS and of Newton
	Evaluations int     // times that f and ∇f were computed over all of it
	Converged   bool    // GradNorm ≤ Tol
}

// noise32 and noise64 are the relative rounding errors of f in either precision.
const noise32, noise64 = 1e-7, 1e-13

// handover is the gradient, relative to 1 + f, below which single precision is
// no longer good enough to go on.
const handover = 1e-6

// Fit minimises f over data. It returns the model of the lowest f that it found,
// which a warm start makes at least as good as opts.Warm; nil if data is empty.
//
// When ctx ends, Fit returns what it has by then, with ctx's error: a later Fit
// can go on from there. If f has not been computed once by then, there is no
// model, and the report's objective and gradient are +Inf. A label of opts.Warm
// that data lacks is dropped, one that it does not know starts at zero weights.
func Fit(ctx context.Context, data Data, opts Options) (*Model, Report, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, Report{}, err
	}
	n := data.Len()
	if n == 0 {
		return nil, Report{Converged: true}, nil
	}
	if opts.Tol == 0 {
		opts.Tol = DefaultTol * max(1, opts.C*float64(n)/16)
	}
	p, err := gather(data, opts)
	if err != nil {
		return nil, Report{}, err
	}
	if p.k == 1 {
		return Constant(p.d, p.classes[0]), Report{Converged: true}, nil
	}

	l := newLBFGS(p.start(opts.Warm))
	err = p.minimise(ctx, l, opts)
	if l.evals == 0 {
		return nil, Report{Objective: math.Inf(1), GradNorm: math.Inf(1)}, err
	}
	report := Report{Objective: l.f, GradNorm: l.gradNorm(), Iterations: l.iterations, Evaluations: l.evals}
	report.Converged = err == nil && report.GradNorm <= opts.Tol
	return p.model(l.x), report, err
}

// large is the number of elements of X Wᵀ at which it pays to begin with a part
// of the data.
const large = 1 << 19

const (
	// nearOptimum is the gradient, relative to 1 + f, below which Newton steps are
	// better than those of L-BFGS, which need no second derivatives.
	nearOptimum = 3e-3
	// fewSteps is the number of steps up to which a fit is too short for a Newton step.
	fewSteps = 20
)

// minimise runs l in single precision for as long as that serves, then in
// double; by L-BFGS at first, and by Newton steps where f is nearly quadratic. Where
// these give up, L-BFGS goes on with their preconditioner.
func (p *problem) minimise(ctx context.Context, l *lbfgs, opts Options) error {
	if len(p.rows)*p.k >= large && p.d >= pad && opts.Warm == nil {
		if err := p.approach(ctx, l.x); err != nil {
			return err
		}
	}
	single := newEvaluator[float32](p)
	within := func(bar float64) func() bool {
		return func() bool { return l.gradNorm() <= max(opts.Tol, bar*(1+l.f)) }
	}
	if err := l.begin(ctx, single.eval); err != nil {
		return err
	}
	if err := l.run(ctx, single.eval, noise32, opts.MaxIter, within(nearOptimum)); err != nil {
		return err
	}
	if err := newton(ctx, l, single, noise32, opts, within(handover)); err != nil {
		return err
	}
	if err := l.run(ctx, single.eval, noise32, opts.MaxIter, within(handover)); err != nil {
		return err
	}
	double := newEvaluator[float64](p)
	if err := l.begin(ctx, double.eval); err != nil {
		return err
	}
	if err := newton(ctx, l, double, noise64, opts, within(0)); err != nil {
		return err
	}
	return l.run(ctx, double.eval, noise64, opts.MaxIter, within(0))
}

// approach moves θ towards the optimum by a few steps over a sixteenth of the
// data, and then over a quarter, each exemplar standing for sixteen, or four.
func (p *problem) approach(ctx context.Context, theta []float64) error {
	for _, share := range []int{16, 4} {
		part := p.part((len(p.rows) + share - 1) / share)
		l := newLBFGS(slices.Clone(theta))
		e := newEvaluator[float32](part)
		if err := l.begin(ctx, e.eval); err != nil {
			return err
		}
		if err := l.run(ctx, e.eval, noise32, 20, func() bool { return false }); err != nil {
			return err
		}
		copy(theta, l.x)
	}
	return nil
}

func (o Options) withDefaults() (Options, error) {
	if o.C < 0 || math.IsNaN(o.C) || math.IsInf(o.C, 0) || o.Tol < 0 || math.IsNaN(o.Tol) || o.MaxIter < 0 {
		return o, fmt.Errorf("probe: C = %v, Tol = %v, MaxIter = %d: want C > 0 and none negative", o.C, o.Tol, o.MaxIter)
	}
	if o.C == 0 {
		o.C = DefaultC
	}
	if o.MaxIter == 0 {
		o.MaxIter = DefaultMaxIter
	}
	return o, nil
}
