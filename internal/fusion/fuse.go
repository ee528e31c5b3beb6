package fusion

import (
	"fmt"
	"math"

	"fieldmark/internal/vec"
)

// Result is one answer with what it was made of. All slices are [Candidates].
type Result struct {
	Rule     Rule
	P        []float64 // the answer, sums to 1
	ZeroShot []float64 // p_z, sums to 1
	Exemplar []float64 // p_e restricted to Y, sums to 1; nil if the exemplars know nothing in Y
	// Weight is the share of the exemplars in the answer, in [0,1]: 0 for
	// ZeroShot and wherever they had nothing to say, 1 for Exemplar, ½ for the
	// averages, P_in for AIM, the total variation between P and ZeroShot for
	// Bayes, AIMBayes and Careful, 1 - (1-Near)(1-w) with w that of Careful for Near.
	Weight float64
	// Near is the share of the near exemplars alone; 0 but for the rule Near.
	Near float64
}

// Fuse consolidates p_z with the prediction of an exemplar system. Where the
// exemplars have nothing to say (p is nil, or knows no candidate in the case of
// a probability rule, or has no direction in that of an embedding rule), every
// rule is p_z.
func (s *Scorer) Fuse(rule Rule, p *Prediction) (Result, error) {
	if p == nil {
		p = &Prediction{}
	}
	r := Result{Rule: rule, ZeroShot: s.pz}
	if p.logPe != nil {
		r.Exemplar = exp(p.logPe)
	}
	var err error
	switch rule {
	case ZeroShot:
		r.P = s.pz
	case Exemplar:
		r.P, r.Weight = s.mix(p, 1)
	case AvgProb:
		r.P, r.Weight = s.mix(p, 0.5)
	case ExemplarEmb:
		r.P, r.Weight, err = s.blend(p, 1, 0, 1)
	case AvgEmb:
		r.P, r.Weight, err = s.blend(p, 0.5, 0.5, 0.5)
	case AvgEmbRaw:
		r.P, r.Weight, err = s.blend(p, 0.5*p.norm, 0.5, 0.5)
	case AIMEmb:
		r.P, r.Weight, err = s.blend(p, s.pIn, s.pOut, s.pIn)
	case AIMProb, AIMProbPrinted, AIMProbProgram:
		r.P, r.Weight = s.aimProb(rule, p)
	case Bayes:
		r.P, r.Weight = s.bayes(p)
	case AIMBayes:
		r.P, r.Weight, err = s.aimBayes(p)
	case Careful:
		r.P, r.Weight, err = s.careful(p)
	case Near:
		r.P, r.Weight, r.Near, err = s.near(p)
	default:
		_, err = ParseRule(string(rule))
	}
	if err != nil {
		return Result{}, fmt.Errorf("fuse by %s: %w", rule, err)
	}
	return r, nil
}

// mix returns w·p_e + (1-w)·p_z and w; p_z and 0 if p_e knows nothing in Y.
func (s *Scorer) mix(p *Prediction, w float64) ([]float64, float64) {
	if p.logPe == nil {
		return s.pz, 0
	}
	out := exp(p.logPe)
	for y := range out {
		out[y] = w*out[y] + (1-w)*s.pz[y]
	}
	return out, w
}

// blend returns softmax over Y of l(a·v̂_e + b·v̂, t) and the weight; p_z and 0
// if v_e or the sum has no direction. It needs no vector of the sum: its cosine
// to t is (a·cos(v_e,t) + b·cos(v,t)) / |a·v̂_e + b·v̂|.
func (s *Scorer) blend(p *Prediction, a, b, weight float64) ([]float64, float64, error) {
	if a == 0 || p.dir == nil {
		return s.pz, 0, nil
	}
	ce, err := s.embeddingCosines(p)
	if err != nil {
		return nil, 0, err
	}
	if s.zero {
		b = 0 // v̂ is no direction: nothing to blend with
	}
	norm := math.Sqrt(max(0, a*a+b*b+2*a*b*p.along))
	if norm < minNorm {
		return s.pz, 0, nil
	}
	l := make([]float64, len(ce))
	for y := range l {
		l[y] = s.q.Tau * (a*ce[y] + b*s.cos[y]) / norm
	}
	vec.Softmax(l)
	return l, weight, nil
}

// aimProb returns P_in·[p_z p_e]/Σ + P_out·q (METHOD section 4) and P_in; p_z
// and 0 if p_e knows nothing in Y ∩ Y_e.
func (s *Scorer) aimProb(rule Rule, p *Prediction) ([]float64, float64) {
	if p.logPe == nil || !s.anyIn {
		return s.pz, 0
	}
	z := s.logPz
	if rule == AIMProbProgram {
		z = s.logCosines()
	}
	in, out := make([]float64, len(z)), make([]float64, len(z))
	for y := range z {
		in[y], out[y] = math.Inf(-1), z[y]
		if s.q.Known[y] {
			in[y] = z[y] + p.logPe[y]
			if rule != AIMProbPrinted {
				out[y] = math.Inf(-1)
			}
		}
	}
	if !logNormalise(in) {
		return s.pz, 0
	}
	pOut := s.pOut
	if !logNormalise(out) {
		pOut = 0
	}
	if s.pIn+pOut == 0 {
		return s.pz, 0
	}
	res := make([]float64, len(z))
	for y := range res {
		res[y] = (s.pIn*math.Exp(in[y]) + pOut*math.Exp(out[y])) / (s.pIn + pOut)
	}
	return res, s.pIn / (s.pIn + pOut)
}

// logCosines returns log cos(v, t_y). The authors' program uses the cosine where
// a probability is meant; one that is not positive counts as none.
func (s *Scorer) logCosines() []float64 {
	l := make([]float64, len(s.cos))
	for y, c := range s.cos {
		l[y] = math.Log(max(0, c))
	}
	return l
}
