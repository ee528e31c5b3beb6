package vec

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// avx512 and avx2 say which of the kernels in gemm_amd64.s this processor runs.
var (
	avx512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL
	avx2   = cpu.X86.HasAVX2 && cpu.X86.HasFMA
)

// The kernels add A·B to a tile of C, for t ≥ 1 columns of A. Tall ones have 12
// rows, the others 4; a tile is two AVX-512 registers wide, in half ones two AVX
// registers. lda, ldb and ldc are the distances of rows in bytes.

//go:noescape
func tall32(t int, a unsafe.Pointer, lda int, b unsafe.Pointer, ldb int, c unsafe.Pointer, ldc int)

//go:noescape
func tall64(t int, a unsafe.Pointer, lda int, b unsafe.Pointer, ldb int, c unsafe.Pointer, ldc int)

//go:noescape
func low32(t int, a unsafe.Pointer, lda int, b unsafe.Pointer, ldb int, c unsafe.Pointer, ldc int)

//go:noescape
func low64(t int, a unsafe.Pointer, lda int, b unsafe.Pointer, ldb int, c unsafe.Pointer, ldc int)

//go:noescape
func half32(t int, a unsafe.Pointer, lda int, b unsafe.Pointer, ldb int, c unsafe.Pointer, ldc int)

//go:noescape
func half64(t int, a unsafe.Pointer, lda int, b unsafe.Pointer, ldb int, c unsafe.Pointer, ldc int)

// tile is tileGo by the processor's vector instructions, where it has them. All
// slices are long enough: MulAdd has seen to that.
func tile[T Float](rows, t int, a []T, lda int, b []T, c []T, ldc int) {
	var zero T
	const full = 128 // bytes of a row of b, and of c
	size := int(unsafe.Sizeof(zero))
	lanes := full / size
	pa, pb, pc := unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), unsafe.Pointer(&c[0])
	single := size == 4
	switch {
	case avx512 && rows == 12 && single:
		tall32(t, pa, lda*size, pb, full, pc, ldc*size)
	case avx512 && rows == 12:
		tall64(t, pa, lda*size, pb, full, pc, ldc*size)
	case avx512 && single:
		low32(t, pa, lda*size, pb, full, pc, ldc*size)
	case avx512:
		low64(t, pa, lda*size, pb, full, pc, ldc*size)
	case avx2:
		for r := 0; r < rows; r += 4 {
			for half := 0; half < lanes; half += lanes / 2 {
				ra, rb, rc := unsafe.Pointer(&a[r*lda]), unsafe.Pointer(&b[half]), unsafe.Pointer(&c[r*ldc+half])
				if single {
					half32(t, ra, lda*size, rb, full, rc, ldc*size)
				} else {
					half64(t, ra, lda*size, rb, full, rc, ldc*size)
				}
			}
		}
	default:
		tileGo(rows, t, a, lda, b, c, ldc)
	}
}
