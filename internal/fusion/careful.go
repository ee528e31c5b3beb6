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
	excess := s.excesses()
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
	c := min(1, math.Exp(slices.Max(p.logAll)))
	for y := range out {
		out[y] = c*aim[y] + (1-c)*out[y]
	}
	return out, s.moved(out), nil
}

// excesses returns, for each candidate y that has an exemplar among the nearest, by
// how many nats zero-shot holds its own first y* against y more firmly than it does
// on exemplars v_j of y, the least of these:
//
//	e(y) = min_j max(0, τ[cos(v,t*) - cos(v,t_y)] - τ[cos(v_j,t*) - cos(v_j,t_y)])
//
// 0 for an exemplar whose vector is not known.
func (s *Scorer) excesses() map[int]float64 {
	first := vec.ArgMax(s.cos)
	out := make(map[int]float64)
	for _, nb := range s.q.nearest() {
		y := nb.Row
		if y >= s.q.Candidates {
			continue
		}
		e := 0.0
		if u, ok := s.direction(nb); ok {
			there := dot(u, s.q.Texts[first]) - dot(u, s.q.Texts[y])
			e = max(0, s.q.Tau*(s.cos[first]-s.cos[y]-there))
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
