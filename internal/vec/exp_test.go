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

func TestAddProduct(t *testing.T) {
	for n := range 20 {
		x, y, sum := make([]float32, n), make([]float32, n), make([]float32, n)
		for i := range n {
			x[i], y[i], sum[i] = float32(i), float32(i+1), 100
		}
		AddProduct(x, y, sum)
		for i, s := range sum {
			if want := float32(100 + i*(i+1)); s != want {
				t.Errorf("of %d, element %d is %v, want %v", n, i, s, want)
			}
		}
	}
}
