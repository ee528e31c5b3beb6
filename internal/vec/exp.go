package vec

import (
	"math"

	"github.com/viterin/vek/vek32"
)

// ExpShift replaces every x_i by exp(x_i − shift_i) and adds it to sum_i. shift_i
// is to keep it small, as softmax's greatest logit does: beyond 10³⁸ the result in
// single precision is of no meaning. What is below 2·10⁻³⁸ may come out as that;
// otherwise the relative error in single precision is below 3·10⁻⁷.
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

// MaxInto makes every x_i the greater of itself and y_i.
func MaxInto[T Float](x, y []T) {
	sameLength(len(x), len(y))
	if single, ok := any(x).([]float32); ok && accelerated && len(x) > 0 {
		vek32.Maximum_Inplace(single, any(y).([]float32))
		return
	}
	for i, v := range y {
		x[i] = max(x[i], v)
	}
}

// SubInto sets out to x − y, computed in out's type.
func SubInto[T Float](out []T, x, y []float32) {
	sameLength(len(x), len(y))
	sameLength(len(x), len(out))
	if single, ok := any(out).([]float32); ok && accelerated && len(x) > 0 {
		vek32.Sub_Into(single, x, y)
		return
	}
	for i, v := range x {
		out[i] = T(v) - T(y[i])
	}
}

// MulInto multiplies every x_i by y_i.
func MulInto[T Float](x, y []T) {
	sameLength(len(x), len(y))
	if single, ok := any(x).([]float32); ok && accelerated && len(x) > 0 {
		vek32.Mul_Inplace(single, any(y).([]float32))
		return
	}
	for i, v := range y {
		x[i] *= v
	}
}

// AddScaled adds alpha·x to y in single precision.
func AddScaled(alpha float32, x, y []float32) {
	sameLength(len(x), len(y))
	addScaled(alpha, x, y)
}

// AddProduct adds x_i·y_i to every sum_i in single precision.
func AddProduct(x, y, sum []float32) {
	sameLength(len(x), len(y))
	sameLength(len(x), len(sum))
	addProduct(x, y, sum)
}
