package fusion

import "math"

// logSumExp returns log Σ exp(x), -Inf for an empty x or one of only -Inf.
func logSumExp(x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	if math.IsInf(top, -1) {
		return top
	}
	var sum float64
	for _, v := range x {
		sum += math.Exp(v - top)
	}
	return top + math.Log(sum)
}

// logNormalise subtracts log Σ exp(x) from x in place and reports whether there
// was any mass: with none (all -Inf) x stays as it is.
func logNormalise(x []float64) bool {
	l := logSumExp(x)
	if math.IsInf(l, -1) {
		return false
	}
	for i := range x {
		x[i] -= l
	}
	return true
}

// softmax returns exp(x)/Σ exp(x).
func softmax(x []float64) []float64 {
	l := logSumExp(x)
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = math.Exp(v - l)
	}
	return out
}
