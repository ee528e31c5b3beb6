package probe

import (
	"fmt"
	"slices"

	"fieldmark/internal/vec"
)

// Restore is the model of the given weights: classes K labels ascending, w
// K × dim row-major, b K intercepts. It is what a model that was written down
// with Classes and Weights is read back with; it keeps the slices.
func Restore(dim int, classes []int32, w []float32, b []float64) (*Model, error) {
	if k := len(classes); dim < 1 || k == 0 || len(w) != k*dim || len(b) != k {
		return nil, fmt.Errorf("probe: %d classes of %d elements with %d weights and %d intercepts", k, dim, len(w), len(b))
	}
	for i := 1; i < len(classes); i++ {
		if classes[i] <= classes[i-1] {
			return nil, fmt.Errorf("probe: class %d after %d: want them ascending", classes[i], classes[i-1])
		}
	}
	if !vec.Finite(w) || !vec.Finite(b) {
		return nil, fmt.Errorf("probe: a weight is not a finite number")
	}
	return &Model{dim: dim, classes: classes, w: w, b: b}, nil
}

// CurvatureParts are the numbers that make a Curvature, to be written down and
// read back: D elements, K classes, and M exemplars of its sample.
type CurvatureParts struct {
	C       float64
	N       int       // exemplars that it was measured on
	Classes []int32   // K
	Mean    []float32 // D
	Basis   []float32 // D × D
	Lambda  []float32 // D
	S       []float32 // K
	Centre  []float32 // K × D
	Rows    []float32 // M × D
	LSE     []float32 // M
	Weight  float64
}

// Parts are the numbers that make c. Not to be changed.
func (c *Curvature) Parts() CurvatureParts {
	return CurvatureParts{C: c.c, N: c.n, Classes: c.classes, Mean: c.mean, Basis: c.basis, Lambda: c.lambda,
		S: c.s, Centre: c.centre, Rows: c.sample.rows, LSE: c.sample.lse, Weight: c.sample.weight}
}

// RestoreCurvature is the curvature of such parts, which it keeps.
func RestoreCurvature(p CurvatureParts) (*Curvature, error) {
	d, k, m := len(p.Mean), len(p.Classes), len(p.LSE)
	if d == 0 || k == 0 || m == 0 || len(p.Basis) != d*d || len(p.Lambda) != d || len(p.S) != k || len(p.Centre) != k*d || len(p.Rows) != m*d {
		return nil, fmt.Errorf("probe: a curvature of %d elements, %d classes and %d exemplars has parts of other sizes", d, k, m)
	}
	for _, part := range [][]float32{p.Mean, p.Basis, p.Lambda, p.S, p.Centre, p.Rows, p.LSE} {
		if !vec.Finite(part) {
			return nil, fmt.Errorf("probe: a curvature has a number that is not finite")
		}
	}
	if !(p.C > 0) || p.N < 1 || !(p.Weight > 0) || slices.Min(p.S) <= 0 {
		return nil, fmt.Errorf("probe: a curvature of C = %v, N = %d, weight %v: want all positive", p.C, p.N, p.Weight)
	}
	return &Curvature{c: p.C, d: d, n: p.N, classes: p.Classes, mean: p.Mean, basis: p.Basis, lambda: p.Lambda,
		s: p.S, centre: p.Centre, sample: sample{rows: p.Rows, lse: p.LSE, weight: p.Weight}}, nil
}
