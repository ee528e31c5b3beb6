package probe

import (
	"math"
	"testing"

	"fieldmark/internal/vec"
)

// The dual of f is to maximise
//
//	g(α) = −½‖Σ_i α_i x_iᵀ‖² + C Σ_i H(p_i),  α_i = C (onehot(y_i) − p_i), Σ_i α_i = 0
//
// over probability vectors p_i, H being their entropy; the constraint comes from
// the intercept, which is not penalised. Every g is at most every f, so that
// f − g ≥ f − min f: a certificate that needs no optimum to compare with.
func TestDualityGapCloses(t *testing.T) {
	data := embeddings(900, 9, 24, 31)
	best := math.Inf(1)
	_, whole := fit(t, data, Options{})
	for _, steps := range []int{1, 3, 10, 30, 500} {
		m, _, err := Fit(t.Context(), data, Options{MaxIter: steps})
		if err != nil {
			t.Fatal(err)
		}
		f, g := primalAndDual(t, m, data)
		if g > whole.Objective*(1+1e-9) || f < whole.Objective*(1-1e-9) {
			t.Errorf("after %d steps f = %v, g = %v do not enclose the optimum %v", steps, f, g, whole.Objective)
		}
		if f-g > best {
			t.Errorf("after %d steps the gap has grown to %v", steps, f-g)
		}
		best = f - g
	}
	if best > 1e-6*whole.Objective {
		t.Errorf("at the optimum the gap is %v of %v", best, whole.Objective)
	}
}

// primalAndDual is f at the model's W and the best intercept for it, at which
// Σ α_i = 0, and g at the dual variables that they imply.
func primalAndDual(t *testing.T, m *Model, data set) (f, g float64) {
	t.Helper()
	p, theta, err := at(m, data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	count := make([]float64, p.k)
	for _, y := range p.y {
		count[y]++
	}
	b := theta[p.k*p.d:]
	probs := make([][]float64, len(p.rows))
	x := make([]float64, p.d)
	for range 3000 { // iterative scaling: Σ_i p_ik becomes the number of exemplars of k
		f = vec.DotFloat64(theta[:p.k*p.d], theta[:p.k*p.d]) / 2
		sum := make([]float64, p.k)
		for i := range p.rows {
			vec.SubInto(x, p.rows[i], p.mean)
			z := make([]float64, p.k)
			for k := range z {
				z[k] = vec.DotFloat64(theta[k*p.d:(k+1)*p.d], x) + b[k]
			}
			vec.LogSoftmax(z)
			f -= p.c * z[p.y[i]]
			for k := range z {
				z[k] = math.Exp(z[k])
				sum[k] += z[k]
			}
			probs[i] = z
		}
		worst := 0.0
		for k := range b {
			b[k] += math.Log(count[k] / sum[k])
			worst = max(worst, math.Abs(count[k]-sum[k]))
		}
		if worst < 1e-9 {
			break
		}
	}
	w := make([]float64, p.k*p.d)
	for i, q := range probs {
		vec.SubInto(x, p.rows[i], p.mean)
		for k, v := range q {
			alpha := -p.c * v
			if k == int(p.y[i]) {
				alpha += p.c
			}
			vec.Axpy(alpha, x, w[k*p.d:(k+1)*p.d])
			if v > 0 {
				g -= p.c * v * math.Log(v)
			}
		}
	}
	return f, g - vec.DotFloat64(w, w)/2
}
