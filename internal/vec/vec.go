// Package vec holds the few vector kernels that the learner is made of.
//
// Vectors are plain slices. There are two kinds of kernels:
//
//   - Dot, DotFloat64, DotHalf, MulAdd, ExpShift, AddScaled and AddProduct use the
//     processor's vector instructions where it has them (through github.com/viterin/vek,
//     the compiler's simd/archsimd, or assembly), and a plain Go form where it has
//     not. The forms agree to rounding, not bit for bit; nor do those of math.Exp,
//     which Softmax and its kin are made of. They serve searching, solving and
//     predicting, whose results do not depend on the last bit.
//   - Everything else gives the same bits on every machine: it is plain Go with a
//     fixed order of operations and no fused multiply-add, or made of vector
//     instructions that round alike (AxpyFloat64, FromHalf, MaxInto, SubInto,
//     MulInto) or not at all (DotInt8). What decides where an exemplar lives in the
//     tree, and which nodes of a graph are linked, is made of these, because the
//     same log must give the same memory everywhere.
//
// Functions of two vectors panic if their lengths differ: that is a bug in the
// caller, never bad input, which is refused before it comes this far.
package vec

import (
	"fmt"
	"math"

	"github.com/viterin/vek"
	"github.com/viterin/vek/vek32"
)

// Float is an element type of a vector.
type Float interface{ float32 | float64 }

// accelerated says whether vek has vector instructions on this machine; without
// them its loops are slower than the ones below.
var accelerated = vek.Info().Acceleration

// Dot is the inner product of a and b, accumulated in float32 over many lanes.
// For unit vectors of length n its error is below DotError(n).
func Dot(a, b []float32) float32 {
	sameLength(len(a), len(b))
	if accelerated && len(a) > 0 {
		return vek32.Dot(a, b)
	}
	return dotGo(a, b)
}

// DotFloat64 is the inner product of a and b in float64 throughout.
func DotFloat64(a, b []float64) float64 {
	sameLength(len(a), len(b))
	if accelerated && len(a) > 0 {
		return vek.Dot(a, b)
	}
	return dotGo(a, b)
}

// DotError bounds |Dot(a, b) − a·b| for unit vectors of length n. Either form
// of Dot has at least eight lanes and a tail of fewer than 32 elements, so that
// no summand is rounded more than n/8 + 40 times, each time by at most 2⁻²⁴
// relative; and Σ|a_i b_i| ≤ 1.
func DotError(n int) float64 {
	return (float64(n)/8 + 40) * 0x1p-24
}

// dotGo is the plain form of Dot and DotFloat64: eight independent lanes, which
// keep the processor's adders busy.
func dotGo[T Float](a, b []T) T {
	var s0, s1, s2, s3, s4, s5, s6, s7 T
	b = b[:len(a)]
	i := 0
	for ; i+8 <= len(a); i += 8 {
		x, y := a[i:i+8:i+8], b[i:i+8:i+8]
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
		s4 += x[4] * y[4]
		s5 += x[5] * y[5]
		s6 += x[6] * y[6]
		s7 += x[7] * y[7]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
}

// DotWide is the inner product of two float32 vectors in float64. The product
// of two float32 is exact there, so only the additions round.
func DotWide(a, b []float32) float64 {
	sameLength(len(a), len(b))
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		s0 += float64(x[0]) * float64(y[0])
		s1 += float64(x[1]) * float64(y[1])
		s2 += float64(x[2]) * float64(y[2])
		s3 += float64(x[3]) * float64(y[3])
	}
	for ; i < len(a); i++ {
		s0 += float64(a[i]) * float64(b[i])
	}
	return (s0 + s1) + (s2 + s3)
}

// Norm is the Euclidean length of x, computed in float64.
func Norm[T Float](x []T) float64 {
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		v := x[i : i+4 : i+4]
		s0 += square(float64(v[0]))
		s1 += square(float64(v[1]))
		s2 += square(float64(v[2]))
		s3 += square(float64(v[3]))
	}
	for ; i < len(x); i++ {
		s0 += square(float64(x[i]))
	}
	return math.Sqrt((s0 + s1) + (s2 + s3))
}

// square rounds explicitly, which keeps the compiler from fusing it with the
// addition that follows (Go specification, "Floating-point operators").
func square(x float64) float64 { return float64(x * x) }

// SquaredDistance is |x − c|², in float64.
func SquaredDistance(x []float32, c []float64) float64 {
	sameLength(len(x), len(c))
	c = c[:len(x)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(x); i += 4 {
		v, w := x[i:i+4:i+4], c[i:i+4:i+4]
		s0 += square(float64(v[0]) - w[0])
		s1 += square(float64(v[1]) - w[1])
		s2 += square(float64(v[2]) - w[2])
		s3 += square(float64(v[3]) - w[3])
	}
	for ; i < len(x); i++ {
		s0 += square(float64(x[i]) - c[i])
	}
	return (s0 + s1) + (s2 + s3)
}

// Axpy adds alpha·x to y, each element computed in float64 and rounded once to
// y's type.
func Axpy[X, Y Float](alpha float64, x []X, y []Y) {
	sameLength(len(x), len(y))
	y = y[:len(x)]
	for i, v := range x {
		y[i] = Y(float64(y[i]) + float64(alpha*float64(v)))
	}
}

// AxpyFloat64 is Axpy for float64, bit for bit, by vector instructions where there
// are any.
func AxpyFloat64(alpha float64, x, y []float64) {
	sameLength(len(x), len(y))
	if !accelerated {
		Axpy(alpha, x, y)
		return
	}
	var product [256]float64 // rounded before it is added, as in Axpy
	for len(x) > 0 {
		n := min(len(x), len(product))
		vek.Add_Inplace(y[:n], vek.MulNumber_Into(product[:n], x[:n], alpha))
		x, y = x[n:], y[n:]
	}
}

// Scale multiplies x by alpha, in place.
func Scale[T Float](alpha float64, x []T) {
	for i, v := range x {
		x[i] = T(alpha * float64(v))
	}
}

// Normalize scales x to unit length, in place, and returns the length that it
// had. The zero vector stays as it is, and 0 is returned.
func Normalize[T Float](x []T) float64 {
	n := Norm(x)
	if n > 0 {
		for i, v := range x {
			x[i] = T(float64(v) / n)
		}
	}
	return n
}

// Finite says whether x holds neither NaN nor an infinity.
func Finite[T Float](x []T) bool {
	for _, v := range x {
		if v-v != 0 { // NaN and Inf − Inf are NaN, which equals nothing
			return false
		}
	}
	return true
}

func sameLength(a, b int) {
	if a != b {
		panic(fmt.Sprintf("vec: vectors of length %d and %d", a, b))
	}
}
