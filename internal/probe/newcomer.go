package probe

import (
	"context"
	"math"
	"slices"

	"fieldmark/internal/vec"
)

// newcomer is the row of a label that the base of an Overlay does not know. The
// other classes being as they are, its best (w, b) minimises
//
//	½|w|² + C Σ_j log(1 + exp(∓(w·y_j + b − lse_j)))
//
// over all exemplars, − for its own and + for the others, where lse_j is log Σ exp
// of the other classes' logits: an ordinary logistic regression with an offset.
// Those of the base are represented by the curvature's sample. It is immutable.
type newcomer struct {
	label int32
	w     []float32 // D
	b     float64
	plain []float32 // D, U w: the row by the usual axes
}

func (n *newcomer) logit(y []float32) float64 { return float64(vec.Dot(n.w, y)) + n.b }

func (e *stroke) newcomer(label int32) *newcomer {
	for _, n := range e.born {
		if n.label == label {
			return n
		}
	}
	return nil
}

// newcomerSteps bounds the solver's steps for one row, and newcomerTol is the
// greatest element of its gradient at which it is left.
const (
	newcomerSteps = 25
	newcomerTol   = 1e-3
)

// fitNewcomers fits the rows of the labels that were touched, in ascending order: of
// the maxNewcomers that have the newest lessons.
func (e *stroke) fitNewcomers() {
	var labels []int32
	for _, l := range slices.Backward(e.lessons) {
		if len(labels) < maxNewcomers && e.touched[l.label] && !slices.Contains(labels, l.label) {
			labels = append(labels, l.label)
		}
	}
	slices.Sort(labels)
	for _, label := range labels {
		start := e.newcomer(label)
		e.born = slices.DeleteFunc(e.born, func(n *newcomer) bool { return n.label == label })
		n := e.fitNewcomer(label, start)
		i, _ := slices.BinarySearchFunc(e.born, label, func(n *newcomer, label int32) int { return int(n.label) - int(label) })
		e.born = slices.Insert(e.born, i, n)
	}
}

// offsetTerm is one exemplar, or what it stands for, of a newcomer's fit.
type offsetTerm struct {
	y      []float32
	lse    float64
	weight float64
	own    bool
}

// fitNewcomer fits the row of a label that is not among e.born, from start, or if
// that is nil from a row of zeros.
func (e *stroke) fitNewcomer(label int32, start *newcomer) *newcomer {
	c := e.curve
	terms := make([]offsetTerm, 0, len(c.sample.lse)+len(e.lessons))
	for i, lse := range c.sample.lse {
		terms = append(terms, offsetTerm{y: c.sample.rows[i*c.d : (i+1)*c.d], lse: float64(lse), weight: c.sample.weight})
	}
	for _, l := range e.lessons {
		z, _ := e.logitsOf(l)
		terms = append(terms, offsetTerm{y: l.y, lse: vec.LogSumExp(z), weight: 1, own: l.label == label})
	}
	theta := make([]float64, c.d+1)
	if start != nil {
		vec.Axpy(1, start.w, theta[:c.d])
		theta[c.d] = start.b
	} else {
		// As likely, everywhere, as one exemplar among all.
		mean := 0.0
		for _, t := range terms {
			mean += t.lse / float64(len(terms))
		}
		theta[c.d] = mean - math.Log(c.sample.weight*float64(len(c.sample.lse)))
	}
	f := func(_ context.Context, x, grad []float64) (float64, error) {
		return c.offsetObjective(terms, x, grad), nil
	}
	s := newLBFGS(theta)
	if s.begin(context.Background(), f) == nil { // the function knows no error
		_ = s.run(context.Background(), f, noise32, newcomerSteps, func() bool { return s.gradNorm() < newcomerTol })
	}
	n := &newcomer{label: label, w: make([]float32, c.d), b: s.x[c.d]}
	vec.Axpy(1, s.x[:c.d], n.w)
	return n
}

// offsetObjective is a newcomer's objective at x = (w, b), and its gradient.
func (c *Curvature) offsetObjective(terms []offsetTerm, x, grad []float64) float64 {
	w := make([]float32, c.d)
	vec.Axpy(1, x[:c.d], w)
	g := make([]float32, c.d)
	f := vec.DotFloat64(x[:c.d], x[:c.d]) / 2
	db := 0.0
	for _, t := range terms {
		z := float64(vec.Dot(w, t.y)) + x[c.d] - t.lse
		r := t.weight * c.c / (1 + math.Exp(-z)) // derivative for one of the others
		if t.own {
			f += t.weight * c.c * softplus(-z)
			r -= t.weight * c.c
		} else {
			f += t.weight * c.c * softplus(z)
		}
		vec.AddScaled(float32(r), t.y, g)
		db += r
	}
	copy(grad, x[:c.d])
	vec.Axpy(1, g, grad[:c.d])
	grad[c.d] = db
	return f
}

// softplus is log(1 + eᶻ).
func softplus(z float64) float64 {
	if z > 0 {
		return z + math.Log1p(math.Exp(-z))
	}
	return math.Log1p(math.Exp(z))
}
