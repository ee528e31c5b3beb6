package vec

import "testing"

// The kernels for lesser processors run on this one too, if it has AVX2.
func TestKernelsOnOtherProcessors(t *testing.T) {
	defer func(was512, was2 bool) { avx512, avx2 = was512, was2 }(avx512, avx2)
	avx512 = false
	for _, has := range []bool{avx2, false} {
		avx2 = has
		testMulAdd[float32](t, 1e-6)
		testMulAdd[float64](t, 1e-14)
		testExpShift[float32](t, 3e-7)
		testAddScaledAndAddProduct(t)
	}
}
