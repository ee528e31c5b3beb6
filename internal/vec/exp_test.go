package vec

import (
	"math"
	"testing"
)

func TestExpShiftAgainstMath(t *testing.T) {
	testExpShift[float32](t, 3e-7)
	testExpShift[float64](t, 1e-14)
}

func testExpShift[T Float](t *testing.T, tolerance float64) {
	var x, shift, sum []T
	for v := -100.0; v <= 20; v += 0.0371 {
		x, shift, sum = append(x, T(v)), append(shift, T(math.Mod(v*v, 3))), append(sum, 1)
	}
	x = append(x, T(math.Inf(-1)))
	shift, sum = append(shift, 0), append(sum, 1)
	got := append([]T(nil), x...)
	ExpShift(got, shift, sum)
	for i := range x {
		want := math.Exp(float64(x[i] - shift[i]))
		if d := math.Abs(float64(got[i]) - want); d > tolerance*want && !(want < 1e-37 && got[i] <= 2e-38) {
			t.Errorf("exp(%v − %v) = %v, want %v", x[i], shift[i], got[i], want)
		}
		if sum[i] != 1+got[i] {
			t.Errorf("sum is %v, want 1 + %v", sum[i], got[i])
		}
	}
}

func BenchmarkExpShift(b *testing.B) {
	x, shift, sum := make([]float32, 256), make([]float32, 256), make([]float32, 256)
	for b.Loop() {
		ExpShift(x, shift, sum)
	}
}

func TestAddScaledAndAddProduct(t *testing.T) { testAddScaledAndAddProduct(t) }

// Of small whole numbers every form gives the same, to the last bit.
func testAddScaledAndAddProduct(t *testing.T) {
	for n := range 40 {
		x, y, sum, scaled := make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)
		for i := range n {
			x[i], y[i], sum[i], scaled[i] = float32(i), float32(i+1), 100, float32(-i)
		}
		AddProduct(x, y, sum)
		AddScaled(-3, x, scaled)
		for i := range n {
			if want := float32(100 + i*(i+1)); sum[i] != want {
				t.Errorf("AddProduct of %d: element %d is %v, want %v", n, i, sum[i], want)
			}
			if want := float32(-4 * i); scaled[i] != want {
				t.Errorf("AddScaled of %d: element %d is %v, want %v", n, i, scaled[i], want)
			}
		}
	}
}

// What elementwise kernels do in single precision they do in double.
func TestElementwiseKernels(t *testing.T) {
	testElementwise[float32](t)
	testElementwise[float64](t)
}

func testElementwise[T Float](t *testing.T) {
	for n := range 40 {
		greatest, product, less := make([]T, n), make([]T, n), make([]T, n)
		other, a, b := make([]T, n), make([]float32, n), make([]float32, n)
		for i := range n {
			greatest[i], product[i], other[i] = T(i%7), T(i), T(i%5)
			a[i], b[i] = float32(3*i), float32(i)
		}
		MaxInto(greatest, other)
		MulInto(product, other)
		SubInto(less, a, b)
		for i := range n {
			if want := T(max(i%7, i%5)); greatest[i] != want {
				t.Errorf("MaxInto of %d: element %d is %v, want %v", n, i, greatest[i], want)
			}
			if want := T(i * (i % 5)); product[i] != want {
				t.Errorf("MulInto of %d: element %d is %v, want %v", n, i, product[i], want)
			}
			if want := T(2 * i); less[i] != want {
				t.Errorf("SubInto of %d: element %d is %v, want %v", n, i, less[i], want)
			}
		}
	}
}
