package fusion

import (
	"fmt"
	"math"
)

// NearParams are the parameters of the rule Near, which an encoder's manifest
// carries as a prior.
type NearParams struct {
	// Slope is a and Midpoint s₀ of r = σ(a(s₁ - s₀)), the probability that the
	// label of an exemplar at cosine s₁ is right. Slope 0: nothing is near, and
	// Near is AIMEmb.
	Slope, Midpoint float64
}

func (n NearParams) check() error {
	for _, x := range []float64{n.Slope, n.Midpoint} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("fusion: near parameters must be finite, not %+v", n)
		}
	}
	if n.Slope < 0 {
		return fmt.Errorf("fusion: the slope of near must not be negative, but is %g", n.Slope)
	}
	return nil
}

// near returns p = (1-r)·p_AIM + r·p_n over Y, the share of all exemplars and
// that of the near ones, r. p_n is the vote of the neighbours at temperature
// Slope. A vote for a label outside Y is left to p_AIM.
func (s *Scorer) near(p *Prediction) ([]float64, float64, float64, error) {
	aim, weight, err := s.blend(p, s.pIn, s.pOut, s.pIn)
	if err != nil || len(s.q.Neighbours) == 0 || s.q.Near.Slope == 0 {
		return aim, weight, 0, err
	}
	a, s0, s1 := s.q.Near.Slope, s.q.Near.Midpoint, s.q.Neighbours[0].Cosine
	r := 1 / (1 + math.Exp(-a*(s1-s0)))
	votes := make([]float64, len(s.q.Neighbours))
	for j, nb := range s.q.Neighbours {
		votes[j] = a * nb.Cosine
	}
	pn := make([]float64, len(aim))
	var inY float64
	for j, w := range softmax(votes) {
		if row := s.q.Neighbours[j].Row; row < len(pn) {
			pn[row] += w
			inY += w
		}
	}
	share := min(1, r*inY)
	for y := range pn {
		pn[y] = (1-share)*aim[y] + r*pn[y]
	}
	return pn, 1 - (1-share)*(1-weight), share, nil
}
