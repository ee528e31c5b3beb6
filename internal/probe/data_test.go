package probe

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fieldmark/internal/vec"
)

// set is Data in memory.
type set struct {
	rows   [][]float32
	labels []int32
}

func (s set) Len() int            { return len(s.rows) }
func (s set) Row(i int) []float32 { return s.rows[i] }
func (s set) Label(i int) int32   { return s.labels[i] }

// embeddings draws n vectors of length near 10 of k classes that overlap: one
// direction common to all, one of each class, and noise whose scale falls from
// dimension to dimension, as real embeddings have. Labels are 3, 6, 9…
func embeddings(n, k, d int, seed uint64) set {
	r := rand.New(rand.NewPCG(seed, 9))
	direction := func() []float64 {
		v := make([]float64, d)
		for i := range v {
			v[i] = r.NormFloat64() / math.Sqrt(float64(i+1))
		}
		vec.Normalize(v)
		return v
	}
	common := direction()
	class := make([][]float64, k)
	for i := range class {
		class[i] = direction()
	}
	var s set
	for range n {
		c := r.IntN(k)
		row := make([]float32, d)
		vec.Axpy(7.5, common, row)
		vec.Axpy(2.2, class[c], row)
		vec.Axpy(6, direction(), row)
		s.rows, s.labels = append(s.rows, row), append(s.labels, int32(3*c+3))
	}
	return s
}

func fit(t testing.TB, data Data, opts Options) (*Model, Report) {
	t.Helper()
	m, report, err := Fit(context.Background(), data, opts)
	if err != nil {
		t.Fatal(err)
	}
	if opts.MaxIter == 0 && !report.Converged {
		t.Fatalf("did not converge: %+v", report)
	}
	return m, report
}

// farthest is the greatest difference between two models' probabilities.
func farthest(a, b *Model, rows [][]float32) float64 {
	var worst float64
	for _, x := range rows {
		p, q := a.Predict(x), b.Predict(x)
		for _, label := range append(slices.Clone(p.Labels), q.Labels...) {
			worst = max(worst, math.Abs(p.Prob(label)-q.Prob(label)))
		}
	}
	return worst
}
