//go:build goexperiment.simd && amd64

package vec

import "simd/archsimd"

// What the processor can do. The vector forms below must not run without it. (They
// ask for more of AVX-512 than avx512 does, which the products in assembly run with:
// bytes and 16-bit words, too.)
var (
	hasAVX2   = archsimd.X86.AVX2() && archsimd.X86.FMA()
	hasAVX512 = archsimd.X86.AVX512()
	hasVNNI   = hasAVX512 && archsimd.X86.AVX512VNNI()
)

// Before scalar code goes on, every vector form ends with ClearAVXUpperBits: the
// compiler's scalar floats are SSE instructions, which are many times slower as
// long as the upper halves of the registers are in use.

func dotInt8(a, b []int8) int32 {
	switch {
	case hasVNNI && len(a) >= 64:
		return dotInt8AVX512VNNI(a, b)
	case hasAVX512:
		return dotInt8AVX512(a, b)
	case hasAVX2:
		return dotInt8AVX2(a, b)
	}
	return dotInt8Go(a, b)
}

func fromHalves(dst []float32, h []uint16, scale float32) {
	switch {
	case hasAVX512:
		fromHalvesAVX512(dst, h, scale)
	case hasAVX2:
		fromHalvesAVX2(dst, h, scale)
	default:
		fromHalvesGo(dst, h, scale)
	}
}

func dotHalf(h []uint16, q []float32) float32 {
	switch {
	case hasAVX512:
		return dotHalfAVX512(h, q)
	case hasAVX2:
		return dotHalfAVX2(h, q)
	}
	return dotHalfGo(h, q)
}

// dotInt8VNNI is in assembly: archsimd does not have VPDPBUSD yet.
//
//go:noescape
func dotInt8VNNI(a, b *int8, n int) int32

func dotInt8AVX512VNNI(a, b []int8) int32 {
	n := len(a) &^ 63
	return dotInt8VNNI(&a[0], &b[0], n) + dotInt8Go(a[n:], b[n:])
}

// dotInt8AVX512 widens to 16 bits, where VPMADDWD multiplies and adds pairs
// without loss. (VPMADDUBSW, on bytes, would saturate.)
func dotInt8AVX512(a, b []int8) int32 {
	var s0, s1 archsimd.Int32x16
	n := len(a) &^ 63
	for i := 0; i < n; i += 64 {
		x, y := (*[64]int8)(a[i:i+64]), (*[64]int8)(b[i:i+64])
		s0 = s0.Add(archsimd.LoadInt8x32((*[32]int8)(x[:32])).ExtendToInt16().
			DotProductPairs(archsimd.LoadInt8x32((*[32]int8)(y[:32])).ExtendToInt16()))
		s1 = s1.Add(archsimd.LoadInt8x32((*[32]int8)(x[32:])).ExtendToInt16().
			DotProductPairs(archsimd.LoadInt8x32((*[32]int8)(y[32:])).ExtendToInt16()))
	}
	s := s0.Add(s1)
	sum := sumInt32(s.GetLo().Add(s.GetHi()))
	archsimd.ClearAVXUpperBits()
	return sum + dotInt8Go(a[n:], b[n:])
}

func dotInt8AVX2(a, b []int8) int32 {
	var s0, s1 archsimd.Int32x8
	n := len(a) &^ 31
	for i := 0; i < n; i += 32 {
		x, y := (*[32]int8)(a[i:i+32]), (*[32]int8)(b[i:i+32])
		s0 = s0.Add(archsimd.LoadInt8x16((*[16]int8)(x[:16])).ExtendToInt16().
			DotProductPairs(archsimd.LoadInt8x16((*[16]int8)(y[:16])).ExtendToInt16()))
		s1 = s1.Add(archsimd.LoadInt8x16((*[16]int8)(x[16:])).ExtendToInt16().
			DotProductPairs(archsimd.LoadInt8x16((*[16]int8)(y[16:])).ExtendToInt16()))
	}
	sum := sumInt32(s0.Add(s1))
	archsimd.ClearAVXUpperBits()
	return sum + dotInt8Go(a[n:], b[n:])
}

// sumInt32 adds up the lanes.
func sumInt32(x archsimd.Int32x8) int32 {
	s := x.GetLo().Add(x.GetHi())
	s = s.AddPairs(s)
	s = s.AddPairs(s)
	return s.GetElem(0)
}

// sumFloat32 adds up the lanes.
func sumFloat32(x archsimd.Float32x8) float32 {
	s := x.GetLo().Add(x.GetHi())
	s = s.AddPairs(s)
	s = s.AddPairs(s)
	return s.GetElem(0)
}

// halfMask leaves, of a half widened to 32 bits with its sign and shifted to where
// a float32 has exponent and fraction, the sign and these.
const halfMask = -1<<31 | 0x7fff<<13

// halves16 are the values of 16 finite halves, found as fromHalf finds them. mask
// and unbias are halfMask and 2¹¹² in all lanes.
func halves16(h *[16]uint16, mask archsimd.Int32x16, unbias archsimd.Float32x16) archsimd.Float32x16 {
	x := archsimd.LoadUint16x16(h).AsInt16x16().ExtendToInt32()
	return x.ShiftAllLeft(13).And(mask).AsFloat32x16().Mul(unbias)
}

// halves8 is halves16 for registers of half the width.
func halves8(h *[8]uint16, mask archsimd.Int32x8, unbias archsimd.Float32x8) archsimd.Float32x8 {
	x := archsimd.LoadUint16x8(h).AsInt16x8().ExtendToInt32()
	return x.ShiftAllLeft(13).And(mask).AsFloat32x8().Mul(unbias)
}

func fromHalvesAVX512(dst []float32, h []uint16, scale float32) {
	mask, unbias := archsimd.BroadcastInt32x16(halfMask), archsimd.BroadcastFloat32x16(0x1p112)
	by := archsimd.BroadcastFloat32x16(scale)
	n := len(h) &^ 15
	for i := 0; i < n; i += 16 {
		halves16((*[16]uint16)(h[i:i+16]), mask, unbias).Mul(by).Store((*[16]float32)(dst[i : i+16]))
	}
	archsimd.ClearAVXUpperBits()
	fromHalvesGo(dst[n:], h[n:], scale)
}

func fromHalvesAVX2(dst []float32, h []uint16, scale float32) {
	mask, unbias := archsimd.BroadcastInt32x8(halfMask), archsimd.BroadcastFloat32x8(0x1p112)
	by := archsimd.BroadcastFloat32x8(scale)
	n := len(h) &^ 7
	for i := 0; i < n; i += 8 {
		halves8((*[8]uint16)(h[i:i+8]), mask, unbias).Mul(by).Store((*[8]float32)(dst[i : i+8]))
	}
	archsimd.ClearAVXUpperBits()
	fromHalvesGo(dst[n:], h[n:], scale)
}

func dotHalfAVX512(h []uint16, q []float32) float32 {
	mask, unbias := archsimd.BroadcastInt32x16(halfMask), archsimd.BroadcastFloat32x16(0x1p112)
	var s0, s1 archsimd.Float32x16
	n := len(h) &^ 31
	for i := 0; i < n; i += 32 {
		x, y := (*[32]uint16)(h[i:i+32]), (*[32]float32)(q[i:i+32])
		s0 = halves16((*[16]uint16)(x[:16]), mask, unbias).MulAdd(archsimd.LoadFloat32x16((*[16]float32)(y[:16])), s0)
		s1 = halves16((*[16]uint16)(x[16:]), mask, unbias).MulAdd(archsimd.LoadFloat32x16((*[16]float32)(y[16:])), s1)
	}
	s := s0.Add(s1)
	sum := sumFloat32(s.GetLo().Add(s.GetHi()))
	archsimd.ClearAVXUpperBits()
	return sum + dotHalfGo(h[n:], q[n:])
}

func dotHalfAVX2(h []uint16, q []float32) float32 {
	mask, unbias := archsimd.BroadcastInt32x8(halfMask), archsimd.BroadcastFloat32x8(0x1p112)
	var s0, s1 archsimd.Float32x8
	n := len(h) &^ 15
	for i := 0; i < n; i += 16 {
		x, y := (*[16]uint16)(h[i:i+16]), (*[16]float32)(q[i:i+16])
		s0 = halves8((*[8]uint16)(x[:8]), mask, unbias).MulAdd(archsimd.LoadFloat32x8((*[8]float32)(y[:8])), s0)
		s1 = halves8((*[8]uint16)(x[8:]), mask, unbias).MulAdd(archsimd.LoadFloat32x8((*[8]float32)(y[8:])), s1)
	}
	sum := sumFloat32(s0.Add(s1))
	archsimd.ClearAVXUpperBits()
	return sum + dotHalfGo(h[n:], q[n:])
}
