package nearest

import (
	"math"

	"fieldmark/internal/vec"
)

// encode writes the 8-bit code of a vector of the given length into code and
// returns its scale: the unit vector is scale·code, to within scale/2 in each
// element. So the cosine of two vectors is the product of their scales with the
// inner product of their codes, to within some 1e-3 at 512 elements. A vector of
// length 0 has scale 0.
func encode(code []int8, row []float32, norm float64) (scale float32) {
	var most float32
	for _, x := range row {
		most = max(most, x, -x)
	}
	if most == 0 {
		clear(code)
		return 0
	}
	// By magic: adding 1.5·2²³ leaves the nearest whole number in the last bits.
	const magic = 3 << 22
	by := float32(127 / float64(most))
	for i, x := range row {
		code[i] = int8(int32(math.Float32bits(float32(x*by)+magic)) - int32(math.Float32bits(magic)))
	}
	return float32(float64(most) / (127 * norm))
}

// similarity is the cosine of two codes.
func similarity(a []int8, scaleA float32, b []int8, scaleB float32) float32 {
	return float32(vec.DotInt8(a, b)) * scaleA * scaleB
}
