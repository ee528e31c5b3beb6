//go:build goexperiment.simd

package vec

import "simd/archsimd"

// expShift does the first elements of ExpShift, and returns how many: all but
// fewer than eight. With n = round(x/ln 2) and r = x − n·ln 2, exp x = 2ⁿ·exp r,
// and exp r is a polynomial for |r| ≤ ½ ln 2 (Cephes, expf).
func expShift(x, shift, sum []float32) int {
	if !avx2 {
		return 0
	}
	var (
		lowest = archsimd.BroadcastFloat32x8(-87)
		log2e  = archsimd.BroadcastFloat32x8(1.44269504088896341)
		ln2hi  = archsimd.BroadcastFloat32x8(-0.693359375) // few digits: n·ln2hi is exact
		ln2lo  = archsimd.BroadcastFloat32x8(2.12194440e-4)
		p0     = archsimd.BroadcastFloat32x8(1.9875691500e-4)
		p1     = archsimd.BroadcastFloat32x8(1.3981999507e-3)
		p2     = archsimd.BroadcastFloat32x8(8.3334519073e-3)
		p3     = archsimd.BroadcastFloat32x8(4.1665795894e-2)
		p4     = archsimd.BroadcastFloat32x8(1.6666665459e-1)
		p5     = archsimd.BroadcastFloat32x8(5.0000001201e-1)
		one    = archsimd.BroadcastFloat32x8(1)
		bias   = archsimd.BroadcastInt32x8(127)
	)
	i := 0
	for ; i+8 <= len(x); i += 8 {
		at := (*[8]float32)(x[i:])
		total := (*[8]float32)(sum[i:])
		v := archsimd.LoadFloat32x8(at).Sub(archsimd.LoadFloat32x8((*[8]float32)(shift[i:]))).Max(lowest)
		n := v.Mul(log2e).RoundToEven()
		r := n.MulAdd(ln2lo, n.MulAdd(ln2hi, v))
		p := p0.MulAdd(r, p1).MulAdd(r, p2).MulAdd(r, p3).MulAdd(r, p4).MulAdd(r, p5)
		p = p.MulAdd(r.Mul(r), r.Add(one))
		e := p.Mul(n.ConvertToInt32().Add(bias).ShiftAllLeft(23).AsFloat32x8())
		e.Store(at)
		archsimd.LoadFloat32x8(total).Add(e).Store(total)
	}
	archsimd.ClearAVXUpperBits()
	return i
}

// addScaled is AddScaled.
func addScaled(alpha float32, x, y []float32) {
	i := 0
	if avx2 && len(x) >= 8 {
		a := archsimd.BroadcastFloat32x8(alpha)
		for ; i+8 <= len(x); i += 8 {
			at := (*[8]float32)(y[i:])
			a.MulAdd(archsimd.LoadFloat32x8((*[8]float32)(x[i:])), archsimd.LoadFloat32x8(at)).Store(at)
		}
		archsimd.ClearAVXUpperBits()
	}
	for ; i < len(x); i++ {
		y[i] += alpha * x[i]
	}
}

// addProduct is AddProduct.
func addProduct(x, y, sum []float32) {
	i := 0
	if avx2 && len(x) >= 8 {
		for ; i+8 <= len(x); i += 8 {
			at := (*[8]float32)(sum[i:])
			archsimd.LoadFloat32x8((*[8]float32)(x[i:])).MulAdd(archsimd.LoadFloat32x8((*[8]float32)(y[i:])), archsimd.LoadFloat32x8(at)).Store(at)
		}
		archsimd.ClearAVXUpperBits()
	}
	for ; i < len(x); i++ {
		sum[i] += x[i] * y[i]
	}
}
