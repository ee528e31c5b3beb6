package probe

import (
	"fmt"

	"fieldmark/internal/vec"

	"gonum.org/v1/gonum/mat"
)

// subspaceSteps is the number of products with Σ by which greatest turns its subspace.
const subspaceSteps = 3

// greatest are the r ≤ D greatest eigenvalues of a covariance, ascending, about their
// eigenvectors, as rows of axes [r × D], and the mean of the other eigenvalues: by
// subspace iteration (Golub and Van Loan, Matrix Computations, Sec. 8.2.4), which finds
// those well that stand out. The axes are orthonormal but for those of eigenvalues that
// are zero, which may be zero themselves.
func greatest(sigma *mat.SymDense, r int) (axes []float32, lambda []float64, rest float64, err error) {
	d := sigma.SymmetricDim()
	m := make([]float32, d*d)
	for i := range d {
		rest += sigma.At(i, i)
		for j := range d {
			m[i*d+j] = float32(sigma.At(i, j))
		}
	}
	panels := vec.Panels(nil, m, d, d, d)
	axes = make([]float32, r*d)
	for i := range r { // rows of Σ are a beginning
		copy(axes[i*d:(i+1)*d], m[i*d/r*d:])
	}
	for range subspaceSteps {
		orthonormalise(axes, d)
		axes = product(axes, panels, d, 1)
	}
	orthonormalise(axes, d)
	turned := product(axes, panels, d, 1)
	within := mat.NewSymDense(r, nil) // Σ, as it is in the subspace
	for i := range r {
		for j := i; j < r; j++ {
			within.SetSym(i, j, float64(vec.Dot(axes[i*d:(i+1)*d], turned[j*d:(j+1)*d])))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(within, true) {
		return nil, nil, 0, fmt.Errorf("probe: the covariance of %d dimensions has no eigenvectors", d)
	}
	var v mat.Dense
	e.VectorsTo(&v)
	lambda = e.Values(nil)
	clear(turned)
	for i := range r {
		lambda[i] = max(0, lambda[i])
		rest -= lambda[i]
		for j := range r {
			vec.AddScaled(float32(v.At(j, i)), axes[j*d:(j+1)*d], turned[i*d:(i+1)*d])
		}
	}
	return turned, lambda, max(0, rest) / float64(max(1, d-r)), nil
}

// orthonormalise makes rows of d elements so, those that depend on others zero, by
// Gram and Schmidt, twice.
func orthonormalise(rows []float32, d int) {
	for at := 0; at < len(rows); at += d {
		row := rows[at : at+d]
		before := vec.Norm(row)
		for range 2 {
			for other := 0; other < at; other += d {
				vec.AddScaled(-vec.Dot(rows[other:other+d], row), rows[other:other+d], row)
			}
		}
		if vec.Normalize(row) < 1e-5*before {
			clear(row)
		}
	}
}
