//go:build goexperiment.simd && amd64

package vec

// The forms of each kernel that this build and this processor have.

func int8Forms() map[string]func(a, b []int8) int32 {
	forms := map[string]func(a, b []int8) int32{"DotInt8": DotInt8, "plain": dotInt8Go}
	if hasAVX2 {
		forms["AVX2"] = dotInt8AVX2
	}
	if hasAVX512 {
		forms["AVX512"] = dotInt8AVX512
	}
	if hasVNNI {
		forms["VNNI"] = func(a, b []int8) int32 {
			if len(a) < 64 {
				return dotInt8Go(a, b)
			}
			return dotInt8AVX512VNNI(a, b)
		}
	}
	return forms
}

func fromHalfForms() map[string]func(dst []float32, h []uint16, scale float32) {
	forms := map[string]func(dst []float32, h []uint16, scale float32){"FromHalf": FromHalf, "plain": fromHalvesGo}
	if hasAVX2 {
		forms["AVX2"] = fromHalvesAVX2
	}
	if hasAVX512 {
		forms["AVX512"] = fromHalvesAVX512
	}
	return forms
}

func dotHalfForms() map[string]func(h []uint16, q []float32) float32 {
	forms := map[string]func(h []uint16, q []float32) float32{"DotHalf": DotHalf, "plain": dotHalfGo}
	if hasAVX2 {
		forms["AVX2"] = dotHalfAVX2
	}
	if hasAVX512 {
		forms["AVX512"] = dotHalfAVX512
	}
	return forms
}
