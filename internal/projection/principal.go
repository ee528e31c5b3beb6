package projection

import (
	"math"
	"math/rand/v2"

	"fieldmark/internal/vec"
)

// principal is the coordinates of the rows along their first two principal
// components, by orthogonal iteration (Golub and Van Loan, "Matrix Computations",
// 4th ed., Sec. 8.2.4) on the covariance, which is never formed. A component's sign
// is that which makes its greatest element positive.
func principal(rows [][]float32, seed uint64) []Point {
	dim := len(rows[0])
	mean := make([]float64, dim)
	for _, r := range rows {
		vec.Axpy(1/float64(len(rows)), r, mean)
	}
	random := rand.New(rand.NewPCG(seed, 1))
	a, b := make([]float64, dim), make([]float64, dim)
	for d := range dim {
		a[d], b[d] = random.NormFloat64(), random.NormFloat64()
	}
	orthonormal(a, b)
	for range 60 {
		a, b = covary(rows, mean, a), covary(rows, mean, b)
		orthonormal(a, b)
	}
	upright(a)
	upright(b)
	out := make([]Point, len(rows))
	for i, r := range rows {
		out[i] = Point{along(r, mean, a), along(r, mean, b)}
	}
	return out
}

// along is ⟨r − mean, axis⟩.
func along(r []float32, mean, axis []float64) float64 {
	var sum float64
	for d, x := range r {
		sum += (float64(x) - mean[d]) * axis[d]
	}
	return sum
}

// covary is Σ (r − mean) ⟨r − mean, axis⟩.
func covary(rows [][]float32, mean, axis []float64) []float64 {
	out := make([]float64, len(axis))
	var total float64
	for _, r := range rows {
		c := along(r, mean, axis)
		total += c
		vec.Axpy(c, r, out)
	}
	for d := range out {
		out[d] -= total * mean[d]
	}
	return out
}

// orthonormal makes a and b unit vectors at right angles. One that vanishes, since
// the rows do not vary that much, becomes zero.
func orthonormal(a, b []float64) {
	vec.Normalize(a)
	var dot float64
	for d := range a {
		dot += a[d] * b[d]
	}
	before := vec.Norm(b)
	for d := range b {
		b[d] -= dot * a[d]
	}
	if vec.Norm(b) <= 1e-9*before {
		clear(b)
	}
	vec.Normalize(b)
}

func upright(axis []float64) {
	var most float64
	for _, x := range axis {
		if math.Abs(x) > math.Abs(most) {
			most = x
		}
	}
	if most < 0 {
		for d := range axis {
			axis[d] = -axis[d]
		}
	}
}
