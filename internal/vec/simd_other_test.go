//go:build !(goexperiment.simd && amd64)

package vec

// The forms of each kernel that this build and this processor have.

func int8Forms() map[string]func(a, b []int8) int32 {
	return map[string]func(a, b []int8) int32{"DotInt8": DotInt8}
}

func fromHalfForms() map[string]func(dst []float32, h []uint16, scale float32) {
	return map[string]func(dst []float32, h []uint16, scale float32){"FromHalf": FromHalf}
}

func dotHalfForms() map[string]func(h []uint16, q []float32) float32 {
	return map[string]func(h []uint16, q []float32) float32{"DotHalf": DotHalf}
}
