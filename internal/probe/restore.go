package probe

import (
	"fmt"

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
