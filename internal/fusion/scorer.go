package fusion

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"fieldmark/internal/vec"
)

// Query is one image, the candidate labels of one request, and what the memory
// holds near the image.
type Query struct {
	// Vector is the image embedding v [D], raw or unit: only its direction counts.
	Vector []float32
	// Texts are unit text embeddings t_y [D]: first the candidates, in the
	// request's order, then those of labels outside Y that exemplars carry.
	Texts [][]float32
	// Candidates is |Y|, at least 1.
	Candidates int
	// Known tells which candidates are in Y ∩ Y_e, that is, have an exemplar
	// [Candidates]; nil if none has. Head makes the long-tail variant of it.
	Known []bool
	// Labels is |Y_e|, the number of labels, in Y or not, that have an exemplar;
	// 0 means those that Known counts. The rules that are not the paper's read it.
	Labels int
	// Tau is τ of Eq. 1, the encoder's logit scale, above 0.
	Tau float64
	// TauBeta is the temperature τ_β of the neighbours' weights in WAVG; 0
	// means Tau, as in the paper. The authors' program uses 1.
	TauBeta float64
	// Neighbours are the k nearest exemplars, nearest first.
	Neighbours []Neighbour
	// Nearest are those that the rules Careful and Near ask, where exemplars are remembered in
	// several views: each exemplar once, at the cosine of its best view, nearest
	// first; nil: Neighbours. No other rule reads them.
	Nearest []Neighbour
	// Near holds the parameters of the rule Near; no other rule reads them.
	Near NearParams
}

// Neighbour is one of the exemplars nearest to the image.
type Neighbour struct {
	Cosine    float64 // cos(v, v_j)
	Row       int     // its label, a row of Texts
	Predicted int     // row of the arg max for v of its leaf's classifier; read by Scorer.Tree alone
	// Order tells which of two copies of a photo was taught later: the one with
	// the larger number. All 0: it is not known. Read by the rule Near alone.
	Order int
	// Vector is v_j [D], raw or unit: the exemplar's whole, whatever view is near;
	// nil: not known. Read by the rules Careful and Near alone.
	Vector []float32
}

// Scorer holds what all rules share for one Query. It is not safe for
// concurrent use. It keeps the Query's slices and changes none.
type Scorer struct {
	q      Query
	unit   []float32 // v̂, or zero where v is zero
	zero   bool      // v is zero: no direction, so p_z is uniform
	cos    []float64 // cos(v, t_y) [Candidates]
	logPz  []float64 // log p_z [Candidates]
	pz     []float64 // p_z [Candidates]
	pIn    float64   // Σ p_z over Y ∩ Y_e
	pOut   float64   // Σ p_z over the rest of Y
	anyIn  bool      // Y ∩ Y_e is not empty
	anyOut bool      // Y \ Y_e is not empty
}

// NewScorer checks a Query and computes its zero-shot probabilities
// (one product of |Y| by D).
func NewScorer(q Query) (*Scorer, error) {
	if q.TauBeta == 0 {
		q.TauBeta = q.Tau
	}
	if err := q.check(); err != nil {
		return nil, err
	}
	if q.Labels == 0 {
		q.Labels = count(q.Known)
	}
	s := &Scorer{q: q, unit: slices.Clone(q.Vector)}
	s.zero = vec.Normalize(s.unit) == 0
	var err error
	if s.cos, err = s.cosines(s.unit); err != nil {
		return nil, err
	}
	n := q.Candidates
	s.logPz, s.pz = make([]float64, n), make([]float64, n)
	for y, c := range s.cos {
		s.logPz[y] = q.Tau * c
	}
	logNormalise(s.logPz)
	for y, l := range s.logPz {
		s.pz[y] = math.Exp(l)
		if q.Known != nil && q.Known[y] {
			s.pIn, s.anyIn = s.pIn+s.pz[y], true
		} else {
			s.pOut, s.anyOut = s.pOut+s.pz[y], true
		}
	}
	return s, nil
}

// ZeroShot returns p_z over the candidates. The caller must not change it.
func (s *Scorer) ZeroShot() []float64 { return s.pz }

// PIn returns P_in, AIM's estimate that the true label has exemplars.
func (s *Scorer) PIn() float64 { return s.pIn }

func (q *Query) check() error {
	d, n := len(q.Vector), q.Candidates
	switch {
	case d == 0:
		return errors.New("fusion: the image embedding is empty")
	case n < 1 || n > len(q.Texts):
		return fmt.Errorf("fusion: %d candidates with %d text rows; there must be at least one candidate, each with a row", n, len(q.Texts))
	case q.Known != nil && len(q.Known) != n:
		return fmt.Errorf("fusion: Known has %d entries for %d candidates", len(q.Known), n)
	case q.Labels != 0 && q.Labels < count(q.Known):
		return fmt.Errorf("fusion: %d labels have exemplars, but %d candidates are known", q.Labels, count(q.Known))
	case !vec.Finite(q.Vector):
		return errors.New("fusion: the image embedding is not finite")
	case !positive(q.Tau) || !positive(q.TauBeta):
		return fmt.Errorf("fusion: temperatures must be above 0 and at most %g, not τ = %g, τ_β = %g", maxSlope, q.Tau, q.TauBeta)
	}
	for y, t := range q.Texts {
		if len(t) != d {
			return fmt.Errorf("fusion: text row %d has %d numbers, the image embedding %d", y, len(t), d)
		}
	}
	for _, list := range [][]Neighbour{q.Neighbours, q.Nearest} {
		for j, nb := range list {
			if math.IsNaN(nb.Cosine) || math.Abs(nb.Cosine) > maxCosine {
				return fmt.Errorf("fusion: neighbour %d has cosine %g", j, nb.Cosine)
			}
			if nb.Row < 0 || nb.Row >= len(q.Texts) {
				return fmt.Errorf("fusion: neighbour %d has label row %d of %d", j, nb.Row, len(q.Texts))
			}
			if nb.Vector != nil && (len(nb.Vector) != d || !vec.Finite(nb.Vector)) {
				return fmt.Errorf("fusion: the vector of neighbour %d is not %d finite numbers", j, d)
			}
		}
	}
	return q.Near.check()
}

// nearest are the exemplars that the rules Careful and Near ask.
func (q *Query) nearest() []Neighbour {
	if q.Nearest != nil {
		return q.Nearest
	}
	return q.Neighbours
}

func count(flags []bool) int {
	n := 0
	for _, f := range flags {
		if f {
			n++
		}
	}
	return n
}

// positive also keeps τ·cos far from overflow.
func positive(x float64) bool { return x > 0 && x <= maxSlope }

// maxCosine leaves room for rounding of unit rows, half-precision ones included.
const maxCosine = 1.002

// cosines returns cos(u, t_y) for every candidate y; u is unit or zero.
func (s *Scorer) cosines(u []float32) ([]float64, error) {
	out := make([]float64, s.q.Candidates)
	for y := range out {
		c := dot(u, s.q.Texts[y])
		if math.IsNaN(c) || math.Abs(c) > maxCosine {
			return nil, fmt.Errorf("fusion: text row %d is not a unit vector", y)
		}
		out[y] = c
	}
	return out, nil
}

// dotBlock is the length over which dot adds in float32.
const dotBlock = 128

// dot adds the products of each block in float32 and the blocks in float64:
// what vec.Dot loses over a long row, τ = 100 would show; vec.DotWide would make
// an answer over thousands of candidates three times as slow.
func dot(a, b []float32) float64 {
	var sum float64
	for ; len(a) > dotBlock; a, b = a[dotBlock:], b[dotBlock:] {
		sum += float64(vec.Dot(a[:dotBlock], b[:dotBlock]))
	}
	return sum + float64(vec.Dot(a, b))
}
