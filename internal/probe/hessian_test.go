package probe

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fieldmark/internal/vec"
)

// A product with the hessian is how the gradient changes along a line.
func TestHessianAgainstDifferences(t *testing.T) {
	data := embeddings(700, 11, 37, 61)
	p, err := gather(data, Options{C: 0.7, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(62, 62))
	draw := func(scale float64) []float64 {
		x := make([]float64, p.size())
		for i := range x {
			x[i] = scale * r.NormFloat64()
		}
		return x
	}
	theta, v := draw(.1), draw(1)
	e := newEvaluator[float64](p)
	before, after, got := make([]float64, p.size()), make([]float64, p.size()), make([]float64, p.size())
	const h = 1e-5
	vec.AxpyFloat64(h, v, theta)
	if _, err := e.eval(t.Context(), theta, after); err != nil {
		t.Fatal(err)
	}
	vec.AxpyFloat64(-2*h, v, theta)
	if _, err := e.eval(t.Context(), theta, before); err != nil {
		t.Fatal(err)
	}
	vec.AxpyFloat64(h, v, theta)
	hess, err := p.hessian(t.Context(), theta, e.doubt)
	if err != nil {
		t.Fatal(err)
	}
	if err := hess.mul(t.Context(), v, got); err != nil {
		t.Fatal(err)
	}
	greatest := 0.0
	for _, g := range got {
		greatest = max(greatest, math.Abs(g))
	}
	for i, g := range got {
		if want := (after[i] - before[i]) / (2 * h); math.Abs(g-want) > 1e-5*greatest {
			t.Errorf("(H·v)[%d] = %v, by differences %v", i, g, want)
		}
	}
}

// Sums over representatives, weighted by how many each stands for, are near those
// over all; those in the greatest doubt stand for themselves.
func TestRepresentatives(t *testing.T) {
	r := rand.New(rand.NewPCG(63, 63))
	doubt := make([]float32, 20000)
	all := 0.0
	for i := range doubt {
		doubt[i] = float32(math.Pow(r.Float64(), 6)) // few in great doubt, most in none
		all += float64(doubt[i])
	}
	const most = 4000
	ids, stands := representatives(doubt, most)
	if len(ids) < most-1 || len(ids) > most+1 {
		t.Errorf("%d representatives, want about %d", len(ids), most)
	}
	sum, certain := 0.0, 0
	for i, id := range ids {
		if i > 0 && id <= ids[i-1] {
			t.Fatalf("%d after %d", id, ids[i-1])
		}
		sum += float64(doubt[id] * stands[i])
		if stands[i] == 1 {
			certain++
		}
	}
	// Of those that are not certain to be among them, which share what the others leave,
	// each has the same share: the sum is right to one of them.
	if math.Abs(sum-all) > all/float64(most-certain) {
		t.Errorf("they add up to %v, all to %v", sum, all)
	}
	for i, d := range doubt {
		if d > .9 && !slices.Contains(ids, i) {
			t.Errorf("%d, in doubt by %v, is not among them", i, d)
		}
	}
	if ids, stands := representatives(doubt[:50], 50); len(ids) != 50 || slices.Max(stands) != 1 {
		t.Errorf("of 50, %d stand for up to %v", len(ids), slices.Max(stands))
	}
}

// With all eigenvectors, and exemplars of whose classes all have one covariance about
// their mean, the preconditioner is the inverse of the hessian's diagonal blocks.
func TestPreconditionerInvertsBlocks(t *testing.T) {
	const n, k, d = 180, 3, 24 // d below rank, and n small enough that none is left out of Σ
	data := embeddings(n, k, d, 64)
	p, err := gather(data, Options{C: 0.3, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	theta := make([]float64, p.size()) // W = 0: every exemplar is in the same doubt of each class
	doubt := make([]float32, n)
	for i := range doubt {
		doubt[i] = 1 - 1./k
	}
	h, err := p.hessian(t.Context(), theta, doubt)
	if err != nil {
		t.Fatal(err)
	}
	q, err := h.precondition(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(65, 65))
	for class := range k {
		v, product := make([]float64, p.size()), make([]float64, p.size())
		for i := range d {
			v[class*d+i] = r.NormFloat64()
		}
		v[k*d+class] = r.NormFloat64()
		if err := h.mul(t.Context(), v, product); err != nil {
			t.Fatal(err)
		}
		for i := range product { // the other blocks are left out
			if i/d != class && i != k*d+class {
				product[i] = 0
			}
		}
		q.apply(product)
		for i, want := range v {
			if math.Abs(product[i]-want) > 2e-4 {
				t.Errorf("class %d: H⁻¹H v at %d is %v, want %v", class, i, product[i], want)
			}
		}
	}
}
