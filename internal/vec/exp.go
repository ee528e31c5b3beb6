package vec

import "math"

// ExpShift replaces every x_i by exp(x_i − shift_i) and adds it to sum_i. What
// is below 10⁻³⁷ may come out as that; the relative error in single precision
// is below 3·10⁻⁷.
func ExpShift[T Float](x, shift, sum []T) {
	sameLength(len(x), len(shift))
	sameLength(len(x), len(sum))
	done := 0
	if single, ok := any(x).([]float32); ok {
		done = expShift(single, any(shift).([]float32), any(sum).([]float32))
	}
	for i := done; i < len(x); i++ {
		x[i] = T(math.Exp(float64(x[i] - shift[i])))
		sum[i] += x[i]
	}
}
