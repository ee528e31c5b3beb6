package fusion

import (
	"fmt"
	"math"

	"fieldmark/internal/vec"
)

// NearParams are the parameters of the rule Near. They belong to an encoder,
// whose manifest carries them. The zero value switches the near exemplars off.
type NearParams struct {
	// Slope is a and Midpoint s₀ of r = σ(a(s₁ - s₀)), where s₁ is the cosine of
	// the nearest exemplar. Slope 0: nothing is near, and Near is AIMEmb.
	Slope, Midpoint float64
}

// voteTau is the temperature of the near exemplars' vote: a cosine lower by .01
// counts for a third. Among many exemplars a copy's own photo leads by little.
const voteTau = 100

// maxSlope bounds |a| and |s₀|, so that a·cos stays far from overflow.
const maxSlope = 1e6

func (n NearParams) check() error {
	// Written so that NaN fails.
	if !(n.Slope >= 0 && n.Slope <= maxSlope && math.Abs(n.Midpoint) <= maxSlope) {
		return fmt.Errorf("fusion: near wants a slope from 0 to %g and a midpoint of at most %g, not %+v", maxSlope, maxSlope, n)
	}
	return nil
}

// near returns the answer of the rule Near (see the package comment), the share
// of all exemplars in it, and that of the near ones.
func (s *Scorer) near(p *Prediction) (probs []float64, weight, share float64, err error) {
	aim, weight, err := s.blend(p, s.pIn, s.pOut, s.pIn)
	nbs, par := s.q.Neighbours, s.q.Near
	if err != nil || len(nbs) == 0 || par.Slope == 0 {
		return aim, weight, 0, err
	}
	votes := make([]float64, len(nbs))
	top := nbs[0].Cosine
	for j, nb := range nbs {
		votes[j] = voteTau * nb.Cosine
		top = max(top, nb.Cosine)
	}
	r := 1 / (1 + math.Exp(-par.Slope*(top-par.Midpoint)))
	vec.Softmax(votes)

	probs = make([]float64, len(aim))
	for j, nb := range nbs {
		if nb.Row < len(probs) {
			probs[nb.Row] += r * votes[j]
			share += r * votes[j]
		}
	}
	share = min(share, 1)
	for y := range probs {
		probs[y] += (1 - share) * aim[y]
	}
	return probs, 1 - (1-share)*(1-weight), share, nil
}
