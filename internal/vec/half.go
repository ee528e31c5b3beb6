package vec

import "math"

// Half precision is IEEE 754's binary16 (1 sign, 5 exponent and 10 fraction
// bits), kept in a uint16. Its finite numbers reach ±65,504; a float32 between
// 2⁻¹⁴ and there is rounded by at most 2⁻¹¹ of itself.
const MaxHalf = 65504

// toHalf is the half nearest to x, the even one of two as near (IEEE 754's
// default rounding). Beyond MaxHalf's rounding range it is an infinity; NaN stays
// NaN.
func toHalf(x float32) uint16 {
	const (
		minNormal = 0x1p-14
		overflow  = 65520 // halfway between MaxHalf and the next power of two
	)
	bits := math.Float32bits(x)
	sign := uint16(bits >> 16 & 0x8000)
	bits &= 0x7fffffff
	abs := math.Float32frombits(bits)
	switch {
	case abs != abs:
		return sign | 0x7e00
	case abs >= overflow:
		return sign | 0x7c00
	case abs < minNormal:
		// Adding 2⁻¹ leaves, in the sum's last bits, abs in units of 2⁻²⁴, rounded
		// by the processor.
		return sign | uint16(math.Float32bits(abs+0.5)-math.Float32bits(0.5))
	}
	// 13 bits of fraction go. Half a unit less one, plus the last bit that stays,
	// carries exactly where rounding to even rounds up.
	bits += 0xfff + bits>>13&1
	return sign | uint16((bits-(127-15)<<23)>>13)
}

// fromHalf is the value of h, which every float32 can hold.
func fromHalf(h uint16) float32 {
	magnitude := uint32(h&0x7fff) << 13
	if h&0x7c00 == 0x7c00 { // infinity or NaN
		magnitude |= 0x7f800000
	} else {
		// Seen as a float32, the bits are 2⁻¹¹² times the value: the biases differ by
		// 127 − 15. That is right for subnormal halves too.
		magnitude = math.Float32bits(math.Float32frombits(magnitude) * 0x1p112)
	}
	return math.Float32frombits(magnitude | uint32(h&0x8000)<<16)
}

// ToHalf writes the halves nearest to the elements of x into dst.
func ToHalf(dst []uint16, x []float32) {
	sameLength(len(dst), len(x))
	for i, v := range x {
		dst[i] = toHalf(v)
	}
}

// FromHalf writes scale times the values of the halves h into dst. h must be
// finite. With a power of two as scale nothing is rounded (unless it leaves
// float32's range).
func FromHalf(dst []float32, h []uint16, scale float32) {
	sameLength(len(dst), len(h))
	fromHalves(dst, h, scale)
}

// DotHalf is the inner product of the finite halves h with q, within DotError
// like Dot.
func DotHalf(h []uint16, q []float32) float32 {
	sameLength(len(h), len(q))
	return dotHalf(h, q)
}

func fromHalvesGo(dst []float32, h []uint16, scale float32) {
	dst = dst[:len(h)]
	for i, v := range h {
		dst[i] = fromHalf(v) * scale
	}
}

func dotHalfGo(h []uint16, q []float32) float32 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float32
	q = q[:len(h)]
	i := 0
	for ; i+8 <= len(h); i += 8 {
		x, y := h[i:i+8:i+8], q[i:i+8:i+8]
		s0 += fromHalf(x[0]) * y[0]
		s1 += fromHalf(x[1]) * y[1]
		s2 += fromHalf(x[2]) * y[2]
		s3 += fromHalf(x[3]) * y[3]
		s4 += fromHalf(x[4]) * y[4]
		s5 += fromHalf(x[5]) * y[5]
		s6 += fromHalf(x[6]) * y[6]
		s7 += fromHalf(x[7]) * y[7]
	}
	for ; i < len(h); i++ {
		s0 += fromHalf(h[i]) * q[i]
	}
	return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
}
