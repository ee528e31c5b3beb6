package probe

import (
	"context"
	"math"

	"fieldmark/internal/vec"
)

// beginWork bounds each evaluation of f by Begin, by exemplars × labels ×
// dimensions: some hundredths of a second.
const beginWork = 1 << 29

// Begin is a first model of much data and the curvature there, for an Overlay to
// follow lessons by until the optimum is known; nil if data is empty. It reads all
// exemplars once and evaluates f on some of them, so that it costs
// O(N·D + K·D² + D³): where there are many labels, less than a step of Fit.
//
// The model is a linear discriminant analysis (see discriminant), or opts.Warm
// where that has the lower f.
func Begin(ctx context.Context, data Data, opts Options) (*Model, *Curvature, error) {
	opts, err := opts.withDefaults()
	if err != nil || data.Len() == 0 {
		return nil, nil, err
	}
	p, err := gather(data, opts)
	if err != nil {
		return nil, nil, err
	}
	starts, axes, err := p.discriminants()
	if err != nil {
		return nil, nil, err
	}
	if opts.Warm != nil {
		starts = append(starts, p.start(opts.Warm))
	}
	part := p.part(max(blockRows, beginWork/(p.k*p.d)))
	e := newEvaluator[float32](part)
	theta, err := e.best(ctx, starts)
	if err != nil {
		return nil, nil, err
	}
	axes.n = len(part.rows)
	curve, err := part.curvature(ctx, e, theta, axes)
	if err != nil {
		return nil, nil, err
	}
	return p.model(theta), curve.of(p), nil
}

// part is the problem of up to n of the exemplars, evenly spread, each of which
// stands for several.
func (p *problem) part(n int) *problem {
	part := *p
	part.rows, part.y = nil, nil
	for _, i := range p.spread(n) {
		part.rows, part.y = append(part.rows, p.rows[i]), append(part.y, p.y[i])
	}
	part.c = p.c * float64(len(p.rows)) / float64(len(part.rows))
	return &part
}

// of makes c, measured on a part of p, the curvature of all of p.
func (c *Curvature) of(p *problem) *Curvature {
	stands := float64(len(p.rows)) / float64(c.n)
	c.c, c.n = p.c, len(p.rows)
	vec.Scale(stands, c.s)
	c.sample.weight *= stands
	return c
}

// best is the θ of the lowest f; the first, if f is not finite at any.
func (e *evaluator[T]) best(ctx context.Context, thetas [][]float64) ([]float64, error) {
	best := thetas[0]
	grad, least := make([]float64, e.size()), math.Inf(1)
	for _, theta := range thetas {
		f, err := e.eval(ctx, theta, grad)
		if err != nil {
			return nil, err
		}
		if f < least {
			best, least = theta, f
		}
	}
	return best, nil
}
