package fusion

import (
	"fmt"
	"math"

	"fieldmark/internal/vec"
)

// NearParams are the parameters of the rule Near. They belong to an encoder,
// whose manifest carries them. The zero value switches the near exemplars off.
type NearParams struct {
	// Slope is a and Midpoint s₀ of σ(a(s₁ - s₀)), the calibrated probability
	// that the label of a nearest exemplar with cosine s₁ is right. Slope 0:
	// nothing is near, and Near is Careful.
	Slope, Midpoint float64
}

const (
	// voteTau is the temperature of the near exemplars' vote: a cosine lower by
	// .01 counts for a third. Among many exemplars a copy's own photo leads by
	// little.
	voteTau = 100
	// ratioSlope and ratioMid are b and ρ₀ of the trust in the ratio of squared
	// distances. Copies of a photo have a median ρ near .2, other photos near
	// .75, for CLIP and for the built-in encoder, with 3 exemplars or 900.
	ratioSlope, ratioMid = 20, .55
	// sameVector is how little cosines differ if their exemplars are one vector.
	sameVector = 1e-6
	// Of exemplars about equally far from an image this near, each pair has a
	// cosine of .956 or more (twice the angle whose cosine is .989), as two files
	// of one photo have; copyGap also covers the rounding of half precision.
	copyCosine, copyGap = .99, 1e-3
	// latestShare is the share of the copy taught last in the vote of all copies:
	// more than all others together, so that a correction is followed, and little
	// more, since two people may disagree.
	latestShare = .6
	// noObjection is what the odds of r gain, in nats, where zero-shot objects to
	// the nearest exemplar's label no more than on that exemplar; and of each nat
	// that it objects more, objectionShare is lost.
	noObjection, objectionShare = 1, .5
	// maxSlope bounds |a|, |s₀| and temperatures, so that products with a cosine
	// stay far from overflow.
	maxSlope = 1e6
)

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
	base, weight, err := s.careful(p)
	r := s.trust()
	if err != nil || r == 0 {
		return base, weight, 0, err
	}
	nbs := s.q.nearest()
	votes := make([]float64, len(nbs))
	for j, nb := range nbs {
		votes[j] = voteTau * nb.Cosine
	}
	vec.Softmax(votes)
	preferLatest(votes, nbs)

	probs = make([]float64, len(base))
	for j, nb := range nbs {
		if nb.Row < len(probs) {
			probs[nb.Row] += r * votes[j]
			share += r * votes[j]
		}
	}
	share = min(share, 1)
	for y := range probs {
		probs[y] += (1 - share) * base[y]
	}
	return probs, 1 - (1-share)*(1-weight), share, nil
}

// preferLatest gives latestShare of what the copies of the nearest exemplar have
// in votes to the one taught last, and the rest to the others in proportion.
func preferLatest(votes []float64, nbs []Neighbour) {
	first, latest := -1.0, 0
	for _, nb := range nbs {
		first = max(first, nb.Cosine)
	}
	gap := sameVector
	if first > copyCosine {
		gap = copyGap
	}
	isCopy := func(nb Neighbour) bool { return first-nb.Cosine <= gap }
	for _, nb := range nbs {
		if isCopy(nb) {
			latest = max(latest, nb.Order)
		}
	}
	var newer, older float64
	for j, nb := range nbs {
		switch {
		case !isCopy(nb):
		case nb.Order == latest:
			newer += votes[j]
		default:
			older += votes[j]
		}
	}
	if newer == 0 || older == 0 {
		return
	}
	all := newer + older
	for j, nb := range nbs {
		switch {
		case !isCopy(nb):
		case nb.Order == latest:
			votes[j] *= latestShare * all / newer
		default:
			votes[j] *= (1 - latestShare) * all / older
		}
	}
}

// trust is r, 0 without neighbours: resemblance, in whose odds zero-shot has its
// say as far as the nearest exemplar's vector is known.
func (s *Scorer) trust() float64 {
	if len(s.q.nearest()) == 0 || s.q.Near.Slope == 0 {
		return 0
	}
	r := s.resemblance()
	o, ok := s.objection(s.q.nearest()[0])
	if !ok {
		return r
	}
	return sigmoid(math.Log(r) - math.Log1p(-r) + noObjection - objectionShare*o)
}

// resemblance is σ(a(s₁ - s₀))·σ(b(ρ₀ - ρ)).
func (s *Scorer) resemblance() float64 {
	nbs, par := s.q.nearest(), s.q.Near
	first, last := -1.0, 1.0
	for _, nb := range nbs {
		first, last = max(first, min(1, nb.Cosine)), min(last, nb.Cosine)
	}
	r := sigmoid(par.Slope * (first - par.Midpoint))
	if first-last < sameVector {
		return r
	}
	return r * sigmoid(ratioSlope*(ratioMid-(1-first)/(1-last)))
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
