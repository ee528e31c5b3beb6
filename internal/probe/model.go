package probe

import (
	"math"
	"slices"

	"fieldmark/internal/vec"
)

// Distribution is a probability distribution over labels, as logarithms, which
// a small probability survives and a product needs.
type Distribution struct {
	Labels []int32   // ascending, each once
	LogP   []float64 // natural logarithm of each label's probability; −Inf is 0
}

// Prob is the probability of a label; 0 if the distribution does not know it.
func (d Distribution) Prob(label int32) float64 {
	if i, ok := slices.BinarySearch(d.Labels, label); ok {
		return math.Exp(d.LogP[i])
	}
	return 0
}

// Best is the likeliest label, the lowest among equals; false if there is none.
func (d Distribution) Best() (label int32, ok bool) {
	i := vec.ArgMax(d.LogP)
	if i < 0 {
		return 0, false
	}
	return d.Labels[i], true
}

// Model is a linear probe: p(y|x) = softmax(Wx + b)[y]. It is immutable and safe
// for concurrent use. A Model of one class gives it probability 1; a nil Model
// knows no class and predicts nothing.
type Model struct {
	dim     int
	classes []int32   // K labels, ascending
	w       []float32 // K × dim, row-major
	b       []float64 // K, of mean 0: adding a constant to all changes nothing
}

// Constant is the model that knows one label only.
func Constant(dim int, label int32) *Model {
	return &Model{dim: dim, classes: []int32{label}, w: make([]float32, dim), b: []float64{0}}
}

// Classes are the labels that the model knows, ascending. Not to be changed.
func (m *Model) Classes() []int32 {
	if m == nil {
		return nil
	}
	return m.classes
}

// Dim is the number of elements of the vectors that the model takes.
func (m *Model) Dim() int { return m.dim }

// Weights is the row of W, and the intercept, of the i-th class. Not to be
// changed.
func (m *Model) Weights(i int) (w []float32, b float64) {
	return m.w[i*m.dim : (i+1)*m.dim : (i+1)*m.dim], m.b[i]
}

// Predict is the model's distribution for the raw (not normalised) vector x. Its
// Labels are the model's own and not to be changed. Single precision in Wx
// makes the probabilities good to about 1e-6 for vectors of length 10.
func (m *Model) Predict(x []float32) Distribution {
	if m == nil {
		return Distribution{}
	}
	z := make([]float64, len(m.classes))
	for i := range z {
		w, b := m.Weights(i)
		z[i] = float64(vec.Dot(w, x)) + b
	}
	vec.LogSoftmax(z)
	return Distribution{Labels: m.classes, LogP: z}
}

// Without is the model with one class struck out, the others' odds unchanged;
// nil if no class is left. It is what remains valid of a model, until it is
// fitted again, once the last exemplar of the class is withdrawn.
func (m *Model) Without(label int32) *Model {
	i, ok := slices.BinarySearch(m.Classes(), label)
	if !ok {
		return m
	}
	if len(m.classes) == 1 {
		return nil
	}
	rest := &Model{
		dim:     m.dim,
		classes: slices.Concat(m.classes[:i], m.classes[i+1:]),
		w:       slices.Concat(m.w[:i*m.dim], m.w[(i+1)*m.dim:]),
		b:       slices.Concat(m.b[:i], m.b[i+1:]),
	}
	centre(rest.b)
	return rest
}

// centre makes b's mean 0.
func centre(b []float64) {
	var sum float64
	for _, v := range b {
		sum += v
	}
	for i := range b {
		b[i] -= sum / float64(len(b))
	}
}
