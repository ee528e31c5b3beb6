package fusion

import (
	"math"
	"slices"

	"fieldmark/internal/vec"
)

// ignorance is the share of p_e that is spread evenly over the labels of Y_e, so
// that a classifier that has not met a label (another leaf has) cannot forbid it.
const ignorance = .01

// bayes returns p ∝ p_z(y)·|Y_e|·p_e(y) for y in Y ∩ Y_e and p ∝ p_z(y) for the
// rest of Y: two witnesses that are independent given the label, the second of
// whom held each of his |Y_e| labels for equally likely and says nothing of the
// others. It also returns how far that is from p_z, as total variation.
func (s *Scorer) bayes(p *Prediction) ([]float64, float64) {
	if p.logPe == nil || !s.anyIn {
		return s.pz, 0
	}
	l := make([]float64, len(s.logPz))
	for y, z := range s.logPz {
		l[y] = z
		if s.q.Known[y] {
			l[y] += s.evidence(p, y)
		}
	}
	vec.Softmax(l)
	return l, s.moved(l)
}

// evidence is log((1-ε)·|Y_e|·p_e(y) + ε) of a candidate that is known, in nats: log
// |Y_e|·p_e(y) where the share ε (ignorance) of p_e is spread evenly.
func (s *Scorer) evidence(p *Prediction, y int) float64 {
	return math.Log((1-ignorance)*float64(s.q.Labels)*math.Exp(p.logAll[y]) + ignorance)
}

// aimBayes returns c·p_AIM + (1-c)·p_Bayes, where c = max p_e over Y is how sure
// the exemplar system is, and the exemplars' share.
func (s *Scorer) aimBayes(p *Prediction) ([]float64, float64, error) {
	if p.logPe == nil || !s.anyIn {
		return s.pz, 0, nil
	}
	out, _ := s.bayes(p)
	aim, _, err := s.blend(p, s.pIn, s.pOut, s.pIn)
	if err != nil {
		return nil, 0, err
	}
	c := min(1, math.Exp(slices.Max(p.logAll)))
	for y := range out {
		out[y] = c*aim[y] + (1-c)*out[y]
	}
	return out, s.moved(out), nil
}

// moved is the total variation between p and p_z, the share of probability that
// the exemplars have moved: there is no weight in a product.
func (s *Scorer) moved(p []float64) float64 {
	var sum float64
	for y, v := range p {
		sum += math.Abs(v-s.pz[y]) / 2
	}
	return min(sum, 1)
}
