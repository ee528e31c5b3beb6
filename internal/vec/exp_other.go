//go:build !goexperiment.simd || !amd64

package vec

// expShift leaves all of ExpShift to plain Go.
func expShift(_, _, _ []float32) int { return 0 }

// addScaled is AddScaled.
func addScaled(alpha float32, x, y []float32) {
	for i, v := range x {
		y[i] += alpha * v
	}
}

// addProduct is AddProduct.
func addProduct(x, y, sum []float32) {
	for i, v := range x {
		sum[i] += v * y[i]
	}
}
