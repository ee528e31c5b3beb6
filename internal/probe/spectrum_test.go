package probe

import (
	"math"
	"math/rand/v2"
	"testing"

	"fieldmark/internal/vec"

	"gonum.org/v1/gonum/mat"
)

// covarianceOf is A diag(eigenvalues) Aᵀ for a random rotation A, whose columns are
// returned too.
func covarianceOf(t *testing.T, eigenvalues []float64, seed uint64) (*mat.SymDense, *mat.Dense) {
	t.Helper()
	d := len(eigenvalues)
	r := rand.New(rand.NewPCG(seed, 71))
	draw := make([]float64, d*d)
	for i := range draw {
		draw[i] = r.NormFloat64()
	}
	var qr mat.QR
	qr.Factorize(mat.NewDense(d, d, draw))
	var a mat.Dense
	qr.QTo(&a)
	sigma := mat.NewSymDense(d, nil)
	for k, l := range eigenvalues {
		sigma.SymRankOne(sigma, l, a.ColView(k))
	}
	return sigma, &a
}

// The subspace iteration finds the eigenvalues that stand out, and the directions that
// they are of; the others' mean is right to rounding, as the trace says.
func TestGreatestEigenvalues(t *testing.T) {
	const d, r = 40, 6
	eigenvalues := []float64{90, 60, 40, 25, 16, 10} // and of 34 others between 0.1 and 0.2
	rest := 0.0
	for i := range d - r {
		eigenvalues = append(eigenvalues, 0.1+0.1*float64(i)/(d-r))
		rest += eigenvalues[r+i] / (d - r)
	}
	sigma, a := covarianceOf(t, eigenvalues, 1)
	axes, lambda, others, err := greatest(sigma, r)
	if err != nil {
		t.Fatal(err)
	}
	if len(lambda) != r || len(axes) != r*d {
		t.Fatalf("%d eigenvalues, axes of %d elements", len(lambda), len(axes))
	}
	for i := range r {
		want, along := eigenvalues[r-1-i], 0.0 // ascending
		if math.Abs(lambda[i]-want) > 1e-3*want {
			t.Errorf("eigenvalue %d is %v, want %v", i, lambda[i], want)
		}
		for j := range d {
			along += float64(axes[i*d+j]) * a.At(j, r-1-i)
		}
		if math.Abs(math.Abs(along)-1) > 1e-3 {
			t.Errorf("axis %d has cosine %v to its eigenvector", i, along)
		}
		for k := range r {
			dot, want := vec.DotWide(axes[i*d:(i+1)*d], axes[k*d:(k+1)*d]), 0.0
			if i == k {
				want = 1
			}
			if math.Abs(dot-want) > 1e-5 {
				t.Errorf("axes %d and %d have product %v", i, k, dot)
			}
		}
	}
	if math.Abs(others-rest) > 1e-3*rest {
		t.Errorf("the others' mean is %v, want %v", others, rest)
	}
}

// Of a covariance of lesser rank there is nothing more to find: what is left are zeros,
// and no number that is not finite.
func TestGreatestOfLesserRank(t *testing.T) {
	for _, eigenvalues := range [][]float64{{5, 3, 0, 0, 0, 0, 0, 0}, make([]float64, 8)} {
		sigma, _ := covarianceOf(t, eigenvalues, 2)
		axes, lambda, others, err := greatest(sigma, 4)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []float64{eigenvalues[3], eigenvalues[2], eigenvalues[1], eigenvalues[0]} {
			if math.Abs(lambda[i]-want) > 1e-4 {
				t.Errorf("of %v, eigenvalue %d is %v, want %v", eigenvalues, i, lambda[i], want)
			}
		}
		if !vec.Finite(axes) || !(others >= 0 && others < 1e-5) {
			t.Errorf("of %v, axes %v, the others' mean %v", eigenvalues, axes, others)
		}
	}
}

// Where the eigenvalues that are not known are equal, apply is the inverse itself, as
// gonum solves for it: of [I + C s (Σ + m mᵀ), C s m; C s mᵀ, C s].
func TestPreconditionerOfLowRank(t *testing.T) {
	const d, r, k, c = 40, 6, 3, 0.7
	eigenvalues := []float64{90, 60, 40, 25, 16, 10}
	for range d - r {
		eigenvalues = append(eigenvalues, 0.3)
	}
	sigma, _ := covarianceOf(t, eigenvalues, 3)
	axes, lambda, rest, err := greatest(sigma, r)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(4, 71))
	const kp = (k + vec.RowGroup - 1) / vec.RowGroup * vec.RowGroup
	q := &preconditioner{
		problem: &problem{k: k, d: d, c: c, workers: 2}, s: []float64{0.5, 7, 300}, centre: make([]float32, k*d),
		lambda: lambda, rest: rest, ldd: padded(d), ldr: padded(r),
		toAxes: vec.PanelsTransposed(nil, axes, d, r, d), fromAxes: vec.Panels(nil, axes, r, d, d),
	}
	q.plain, q.along = make([]float32, kp*q.ldd), make([]float32, kp*q.ldr)
	for i := range q.centre {
		q.centre[i] = float32(rng.NormFloat64())
	}
	g := make([]float64, k*d+k)
	for i := range g {
		g[i] = rng.NormFloat64()
	}
	want := make([]float64, len(g))
	for class := range k {
		weight := c * q.s[class]
		m := make([]float64, d+1)
		vec.Axpy(1, q.centre[class*d:(class+1)*d], m[:d])
		m[d] = 1
		h := mat.NewSymDense(d+1, nil)
		for i := range d {
			for j := i; j < d; j++ {
				h.SetSym(i, j, weight*sigma.At(i, j))
			}
			h.SetSym(i, i, 1+weight*sigma.At(i, i))
		}
		h.SymRankOne(h, weight, mat.NewVecDense(d+1, m))
		var x mat.VecDense
		if err := x.SolveVec(h, mat.NewVecDense(d+1, append(append([]float64{}, g[class*d:(class+1)*d]...), g[k*d+class]))); err != nil {
			t.Fatal(err)
		}
		copy(want[class*d:], x.RawVector().Data[:d])
		want[k*d+class] = x.AtVec(d)
	}
	q.apply(g)
	for i := range g {
		if math.Abs(g[i]-want[i]) > 1e-3*(1+math.Abs(want[i])) {
			t.Errorf("element %d is %v, want %v", i, g[i], want[i])
		}
	}
}
