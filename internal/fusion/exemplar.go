package fusion

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"fieldmark/internal/vec"
)

// Prediction is what an exemplar system says of the image of the Scorer that
// made it. A nil *Prediction says nothing, as an empty memory does.
type Prediction struct {
	logPe  []float64 // log p_e restricted to Y and renormalised there; nil: no mass in Y
	logAll []float64 // log p_e over all of Y_e, its entries in Y
	dir    []float32 // v̂_e; nil: no direction
	norm   float64   // |v_e|
	along  float64   // cos(v_e, v)
	cos    []float64 // cos(v_e, t_y) for each candidate, once asked for
}

// pull is one term w·t_row of an exemplar embedding.
type pull struct {
	row    int
	weight float64
}

// KNN predicts from the labels of the k neighbours (METHOD section 3):
// p_e(y) = |{j : y_j = y}|/k, and v_e as the system KNNMV, KNNAvg or KNNWAvg
// says.
func (s *Scorer) KNN(system System) (*Prediction, error) {
	nbs := s.q.Neighbours
	counts := make([]float64, s.q.Candidates)
	pulls := make([]pull, len(nbs))
	for j, nb := range nbs {
		if nb.Row < len(counts) {
			counts[nb.Row]++
		}
		pulls[j] = pull{nb.Row, 1}
	}
	switch system {
	case KNNMV:
		if len(nbs) > 0 {
			pulls = []pull{{majority(nbs), 1}}
		}
	case KNNAvg:
		for j := range pulls {
			pulls[j].weight = 1 / float64(len(nbs))
		}
	case KNNWAvg:
		for j, b := range s.beta() {
			pulls[j].weight = b
		}
	default:
		return nil, fmt.Errorf("fusion: %q is no KNN system", system)
	}
	for y, c := range counts {
		counts[y] = math.Log(c / float64(max(1, len(nbs))))
	}
	return s.predict(counts, pulls)
}

// Tree predicts as TreeProbe's ensemble (METHOD section 3): logProb is the log
// of p_e = (1/k) Σ_j p_leaf(j) for each candidate, -Inf where no leaf knows it;
// what p_e gives to labels outside Y is missing from it. v_e = Σ_j β_j t of
// Neighbour.Predicted.
func (s *Scorer) Tree(logProb []float64) (*Prediction, error) {
	pulls := make([]pull, len(s.q.Neighbours))
	for j, b := range s.beta() {
		pulls[j] = pull{s.q.Neighbours[j].Predicted, b}
	}
	return s.predict(logProb, pulls)
}

// Probe predicts as a single linear probe, the systems LinProbe and TreeSingle:
// logProb is log p_e for each candidate (see Tree), and v_e the text embedding
// of row, the arg max over all labels that the probe knows, inside Y or not.
func (s *Scorer) Probe(logProb []float64, row int) (*Prediction, error) {
	return s.predict(logProb, []pull{{row, 1}})
}

// beta returns β = softmax_j τ_β·cos(v, v_j).
func (s *Scorer) beta() []float64 {
	l := make([]float64, len(s.q.Neighbours))
	for j, nb := range s.q.Neighbours {
		l[j] = s.q.TauBeta * nb.Cosine
	}
	vec.Softmax(l)
	return l
}

// majority returns the label row of most neighbours; among tied labels the one
// whose exemplar is nearest.
func majority(nbs []Neighbour) int {
	counts := make(map[int]int, len(nbs))
	for _, nb := range nbs {
		counts[nb.Row]++
	}
	best := nbs[0].Row
	for _, nb := range nbs {
		if counts[nb.Row] > counts[best] {
			best = nb.Row
		}
	}
	return best
}

// predict makes a Prediction of log p_e over the candidates, which it copies,
// and of v_e = Σ w·t.
func (s *Scorer) predict(logProb []float64, pulls []pull) (*Prediction, error) {
	if len(logProb) != s.q.Candidates {
		return nil, fmt.Errorf("fusion: log p_e has %d entries for %d candidates", len(logProb), s.q.Candidates)
	}
	for y, v := range logProb {
		if math.IsNaN(v) || v > maxLogProb {
			return nil, fmt.Errorf("fusion: log p_e of candidate %d is %g; want the logarithm of a probability", y, v)
		}
	}
	p := &Prediction{logAll: slices.Clone(logProb)}
	if l := slices.Clone(logProb); logNormalise(l) {
		p.logPe = l
	}
	return p, s.point(p, pulls)
}

// maxLogProb leaves room for rounding above log 1.
const maxLogProb = 1e-3

// point sets the direction and length of v_e.
func (s *Scorer) point(p *Prediction, pulls []pull) error {
	sum := make([]float64, len(s.unit))
	for _, u := range pulls {
		if u.row < 0 || u.row >= len(s.q.Texts) {
			return fmt.Errorf("fusion: an exemplar prediction names label row %d of %d", u.row, len(s.q.Texts))
		}
		vec.Axpy(u.weight, s.q.Texts[u.row], sum)
	}
	p.norm = vec.Norm(sum)
	if math.IsNaN(p.norm) || p.norm > maxCosine {
		return errors.New("fusion: an exemplar label's text row is not a unit vector")
	}
	if p.norm < minNorm {
		p.norm = 0
		return nil
	}
	p.dir = make([]float32, len(sum))
	for i, x := range sum {
		p.dir[i] = float32(x / p.norm)
	}
	p.along = dot(p.dir, s.unit)
	return nil
}

// minNorm is the length under which a sum of unit vectors has cancelled out and
// its direction is rounding error.
const minNorm = 1e-6

// embeddingCosines returns cos(v_e, t_y) for every candidate.
func (s *Scorer) embeddingCosines(p *Prediction) ([]float64, error) {
	if p.cos == nil {
		c, err := s.cosines(p.dir)
		if err != nil {
			return nil, err
		}
		p.cos = c
	}
	return p.cos, nil
}
