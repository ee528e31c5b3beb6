package fusion

import (
	"math"
	"slices"

	"fieldmark/internal/vec"
)

// careful returns the answer of the rule Careful (see the package comment) and
// how far it is from p_z, as total variation.
func (s *Scorer) careful(p *Prediction) ([]float64, float64, error) {
	if p.logPe == nil || !s.anyIn {
		return s.pz, 0, nil
	}
	aim, _, err := s.blend(p, s.pIn, s.pOut, s.pIn)
	if err != nil {
		return nil, 0, err
	}
	excess := s.excesses(vec.ArgMax(s.cos))
	out := slices.Clone(s.logPz)
	for y := range out {
		if !s.q.Known[y] {
			continue
		}
		f := s.evidence(p, y)
		if f > 0 {
			against, near := excess[y]
			if !near {
				against = f
			}
			f = max(0, f-against)
		}
		out[y] += f
	}
	vec.Softmax(out)
	c := s.confidence(p)
	for y := range out {
		out[y] = c*aim[y] + (1-c)*out[y]
	}
	return out, s.moved(out), nil
}

// confidence is how far p_AIM is trusted: as far as the exemplar system is sure of a
// candidate, less by what zero-shot has against that in favour of labels without
// exemplars, of which the exemplar system cannot know:
//
//	c = p_e(y)·exp(-e(y)),  y = arg max p_e over Y,  y* zero-shot's first in Y \ Y_e
//
// c = p_e(y) where all candidates have exemplars, and p_e(y)·P_in where y has none
// among the nearest, so that zero-shot's belief in what is taught is all there is to
// ask.
func (s *Scorer) confidence(p *Prediction) float64 {
	y := vec.ArgMax(p.logAll)
	c := min(1, math.Exp(p.logAll[y]))
	if !s.anyOut {
		return c
	}
	if e, near := s.excesses(s.firstUntaught())[y]; near {
		return c * math.Exp(-e)
	}
	return c * min(1, s.pIn)
}

// firstUntaught is zero-shot's first among the candidates without exemplars, of which
// there are some.
func (s *Scorer) firstUntaught() int {
	first := -1
	for y, cos := range s.cos {
		if !s.q.Known[y] && (first < 0 || cos > s.cos[first]) {
			first = y
		}
	}
	return first
}

// excesses returns, for each candidate y that has an exemplar among the nearest, by
// how many nats zero-shot holds the candidate y* against y more firmly than it does
// on exemplars v_j of y, the least of these:
//
//	e(y) = min_j max(0, τ[cos(v,t*) - cos(v,t_y)] - τ[cos(v_j,t*) - cos(v_j,t_y)])
//
// 0 for an exemplar whose vector is not known.
func (s *Scorer) excesses(star int) map[int]float64 {
	out := make(map[int]float64)
	for _, nb := range s.q.nearest() {
		y := nb.Row
		if y >= s.q.Candidates {
			continue
		}
		e := 0.0
		if u, ok := s.direction(nb); ok {
			there := dot(u, s.q.Texts[star]) - dot(u, s.q.Texts[y])
			e = max(0, s.q.Tau*(s.cos[star]-s.cos[y]-there))
		}
		if least, ok := out[y]; !ok || e < least {
			out[y] = e
		}
	}
	return out
}

// objection returns by how many nats zero-shot objects more to the label of a
// neighbour on the image than on the exemplar v_j itself, of which that label was
// taught:
//
//	o = max(0, [τ·max cos(v,t) - τ·cos(v,t_j)] - [τ·max cos(v_j,t) - τ·cos(v_j,t_j)])
//
// the maxima over Y. It costs one product of |Y| by D. It is false where the
// exemplar's vector is not known.
func (s *Scorer) objection(nb Neighbour) (float64, bool) {
	u, ok := s.direction(nb)
	if !ok {
		return 0, false
	}
	there := math.Inf(-1)
	for y := range s.q.Candidates {
		there = max(there, dot(u, s.q.Texts[y]))
	}
	t := s.q.Texts[nb.Row]
	return max(0, s.q.Tau*(slices.Max(s.cos)-dot(s.unit, t)-there+dot(u, t))), true
}

// direction is v̂_j; false where it is not known, or one of the two has none.
func (s *Scorer) direction(nb Neighbour) ([]float32, bool) {
	if nb.Vector == nil || s.zero {
		return nil, false
	}
	u := slices.Clone(nb.Vector)
	return u, vec.Normalize(u) != 0
}
