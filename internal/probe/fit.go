package probe

import (
	"context"
	"fmt"
	"math"
	"slices"

	"fieldmark/internal/vec"
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
	// Curvature is that of a model near Warm, if it is known. A long fit of much
	// data measures it otherwise.
	Curvature *Curvature
}

// Report says how far a fit came.
type Report struct {
	Objective   float64 // f(W, b)
	GradNorm    float64 // greatest absolute element of ∇f
	Iterations  int     // steps made
	Evaluations int     // times that f and ∇f were computed
	Converged   bool    // GradNorm ≤ Tol
}

// handover is the gradient, relative to 1 + f, below which single precision is
// no longer good enough to go on.
const handover = 3e-6

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
// of the data, and to measure the curvature.
const large = 1 << 19

// fewSteps is the number of steps up to which a fit from a warm start does not pay
// for measuring the curvature.
const fewSteps = 20

// minimise runs l in single precision for as long as that serves, then in
// double: the greater part of the way at half the cost.
func (p *problem) minimise(ctx context.Context, l *lbfgs, opts Options) error {
	single := newEvaluator[float32](p)
	if len(p.rows)*p.k >= large && p.d >= pad {
		if opts.Warm == nil {
			if err := p.approach(ctx, l.x); err != nil {
				return err
			}
		}
		c := opts.Curvature
		if (c == nil || c.d != p.d) && (opts.Warm == nil || opts.MaxIter > fewSteps) {
			var err error
			if c, err = p.curvature(ctx, single, l.x, nil); err != nil {
				return err
			}
		}
		if c != nil {
			l.precondition = p.precondition(c).apply
		}
	}
	err := l.run(ctx, single.eval, 1e-7, opts.MaxIter, func() bool {
		return l.gradNorm() <= max(opts.Tol, handover*(1+l.f))
	})
	if err != nil {
		return err
	}
	double := newEvaluator[float64](p)
	return l.run(ctx, double.eval, 1e-13, opts.MaxIter, func() bool { return l.gradNorm() <= opts.Tol })
}

// approach moves θ towards the optimum by a few steps over a sixteenth of the
// data, and then over a quarter, each exemplar standing for sixteen, or four.
func (p *problem) approach(ctx context.Context, theta []float64) error {
	for _, share := range []int{16, 4} {
		part := p.part((len(p.rows) + share - 1) / share)
		l := newLBFGS(slices.Clone(theta))
		if err := l.run(ctx, newEvaluator[float32](part).eval, 1e-7, 20, func() bool { return false }); err != nil {
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

// gather reads the data, and numbers its labels in ascending order.
func gather(data Data, opts Options) (*problem, error) {
	n := data.Len()
	p := &problem{rows: make([][]float32, n), y: make([]int32, n), c: opts.C, workers: opts.Workers}
	labels := make([]int32, n)
	for i := range n {
		p.rows[i], labels[i] = data.Row(i), data.Label(i)
		if len(p.rows[i]) != len(p.rows[0]) || len(p.rows[0]) == 0 {
			return nil, fmt.Errorf("probe: exemplar %d has %d elements, the first has %d", i, len(p.rows[i]), len(p.rows[0]))
		}
	}
	p.d = len(p.rows[0])
	if opts.Warm != nil && opts.Warm.dim != p.d {
		return nil, fmt.Errorf("probe: exemplars of %d elements, a model of %d to start from", p.d, opts.Warm.dim)
	}
	p.mean = meanOf(p.rows, p.d)

	classes := slices.Clone(labels)
	slices.Sort(classes)
	classes = slices.Clip(slices.Compact(classes))
	for i, label := range labels {
		k, _ := slices.BinarySearch(classes, label)
		p.y[i] = int32(k)
	}
	p.classes, p.k = classes, len(classes)
	return p, nil
}

// start is θ of the warm model; cold, W = 0 and b′ = log class frequencies,
// which is the best b′ for that W. A class that the warm model does not know
// gets zero weights and the intercept of its least likely class.
func (p *problem) start(warm *Model) []float64 {
	theta := make([]float64, p.size())
	w, b := theta[:p.k*p.d], theta[p.k*p.d:]
	if warm == nil {
		count := make([]float64, p.k)
		for _, k := range p.y {
			count[k]++
		}
		for k, c := range count {
			b[k] = math.Log(c / float64(len(p.y)))
		}
		return theta
	}

	lowest := math.Inf(1)
	at := make([]float64, len(warm.classes)) // b′ of the warm model
	for i := range warm.classes {
		row, bi := warm.Weights(i)
		at[i] = bi + vec.DotWide(row, p.mean)
		lowest = min(lowest, at[i])
	}
	for k, label := range p.classes {
		b[k] = lowest
		if i, ok := slices.BinarySearch(warm.classes, label); ok {
			row, _ := warm.Weights(i)
			vec.Axpy(1, row, w[k*p.d:(k+1)*p.d])
			b[k] = at[i]
		}
	}
	return theta
}

// model rounds W to single precision, and makes of b′ the b that goes with the
// rounded W.
func (p *problem) model(theta []float64) *Model {
	m := &Model{dim: p.d, classes: p.classes, w: make([]float32, p.k*p.d), b: slices.Clone(theta[p.k*p.d:])}
	for i := range m.w {
		m.w[i] = float32(theta[i])
	}
	for k := range m.b {
		row, _ := m.Weights(k)
		m.b[k] -= vec.DotWide(row, p.mean)
	}
	centre(m.b)
	return m
}

// Evaluate computes f and the greatest absolute element of ∇f of a model over
// data in double precision: the certificate that a model is, or is no longer,
// the optimum. A model rounded to single precision has a gradient of some 1e-5.
// The model must know exactly the labels of data.
func Evaluate(ctx context.Context, m *Model, data Data, opts Options) (objective, gradNorm float64, err error) {
	if data.Len() == 0 {
		return 0, 0, nil
	}
	p, theta, err := at(m, data, opts)
	if err != nil {
		return 0, 0, err
	}
	l := newLBFGS(theta)
	l.f, err = newEvaluator[float64](p).eval(ctx, l.x, l.g)
	return l.f, l.gradNorm(), err
}

// at is the problem of some data, and θ of a model that knows exactly its labels.
func at(m *Model, data Data, opts Options) (*problem, []float64, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, nil, err
	}
	opts.Warm = m
	p, err := gather(data, opts)
	if err != nil {
		return nil, nil, err
	}
	if !slices.Equal(p.classes, m.Classes()) {
		return nil, nil, fmt.Errorf("probe: a model of %d classes cannot be evaluated on data of %d others", len(m.Classes()), len(p.classes))
	}
	return p, p.start(m), nil
}
