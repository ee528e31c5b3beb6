package fusion

import (
	"math"

	"fieldmark/internal/vec"
)

// logNormalise subtracts log Σ exp(x) from x, in place, and reports whether
// there was any mass: with none (all -Inf) x stays as it is.
func logNormalise(x []float64) bool {
	if math.IsInf(vec.LogSumExp(x), -1) {
		return false
	}
	vec.LogSoftmax(x)
	return true
}

// exp returns exp(l) of each entry.
func exp(l []float64) []float64 {
	out := make([]float64, len(l))
	for i, v := range l {
		out[i] = math.Exp(v)
	}
	return out
}
