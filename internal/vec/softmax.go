package vec

import "math"

// ArgMax is the index of the greatest element of x, the first of them on a tie,
// and −1 if x is empty. NaN is never greatest.
func ArgMax[T Float](x []T) int {
	best := -1
	for i, v := range x {
		if v == v && (best < 0 || v > x[best]) {
			best = i
		}
	}
	return best
}

// LogSumExp is log Σ exp x_i, computed so that nothing overflows; −Inf if x is
// empty or holds only −Inf.
func LogSumExp[T Float](x []T) float64 {
	m := math.Inf(-1)
	for _, v := range x {
		m = max(m, float64(v))
	}
	if math.IsInf(m, 0) || math.IsNaN(m) {
		return m
	}
	var s float64
	for _, v := range x {
		s += math.Exp(float64(v) - m)
	}
	return m + math.Log(s)
}

// Softmax replaces the logits x by exp(x_i) / Σ exp(x_j), in place. Logits of
// −Inf get probability 0; if all are, or x is empty, x becomes all zero.
func Softmax[T Float](x []T) {
	m := math.Inf(-1)
	for _, v := range x {
		m = max(m, float64(v))
	}
	var s float64
	for i, v := range x {
		var e float64
		if !math.IsInf(m, -1) {
			e = math.Exp(float64(v) - m)
		}
		x[i] = T(e)
		s += e
	}
	for i, v := range x {
		if s > 0 {
			x[i] = T(float64(v) / s)
		}
	}
}

// LogSoftmax subtracts log Σ exp x_j from every x_i, in place, which makes of
// logits the logarithms of their probabilities.
func LogSoftmax[T Float](x []T) {
	l := LogSumExp(x)
	if math.IsInf(l, 0) {
		return
	}
	for i, v := range x {
		x[i] = T(float64(v) - l)
	}
}
