package probe

import (
	"context"
	"fmt"
	"slices"
)

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
	grad := make([]float64, p.size())
	objective, err = newEvaluator[float64](p).eval(ctx, theta, grad)
	return objective, maxAbs(grad), err
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
