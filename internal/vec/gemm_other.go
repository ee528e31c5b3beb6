//go:build !amd64

package vec

// tile is tileGo where no kernels were written for the processor.
func tile[T Float](rows, t int, a []T, lda int, b []T, c []T, ldc int) {
	tileGo(rows, t, a, lda, b, c, ldc)
}
