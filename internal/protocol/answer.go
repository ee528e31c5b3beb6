package protocol

import (
	"slices"

	"fieldmark/internal/eval"
	"fieldmark/internal/fusion"
	"fieldmark/internal/nearest"
	"fieldmark/internal/vec"
)

// sight is an image before a memory: what all variants share, and what each part
// of it took.
type sight struct {
	near             []nearest.Neighbour
	reading          reading
	search, classify float64
}

func (x *examiner) look(v []float32) (sight, error) {
	var s sight
	var err error
	start := x.clock()
	if slices.ContainsFunc(x.variants, func(v variant) bool { return x.searches(v.rule) }) {
		s.near = x.memory.nearest(v, x.system.k())
	}
	found := x.clock()
	s.reading, err = x.memory.read(x.system, v, s.near)
	s.search, s.classify = found-start, x.clock()-found
	return s, err
}

// searches says whether a rule needs the neighbours.
func (x *examiner) searches(r fusion.Rule) bool {
	if r.AsksNearest() {
		return true
	}
	return r != fusion.ZeroShot && (x.system.isKNN() || x.system.Kind == fusion.Tree)
}

// answer answers one question by each variant.
func (x *examiner) answer(q question, head map[int]bool) ([]answer, error) {
	seen, err := x.look(q.vector)
	if err != nil {
		return nil, err
	}
	out := make([]answer, len(x.variants))
	known := func(y int) bool { return x.count[int32(y)] > 0 }
	if err := x.fuse(q, seen, false, known, out); err != nil {
		return nil, err
	}
	return out, x.fuse(q, seen, true, func(y int) bool { return head[y] }, out)
}

// fuse answers by those variants that have the long tail's P_in, or by those that
// have not.
func (x *examiner) fuse(q question, seen sight, longTail bool, known func(label int) bool, out []answer) error {
	if !slices.ContainsFunc(x.variants, func(v variant) bool { return v.longTail == longTail }) {
		return nil
	}
	start := x.clock()
	scorer, err := fusion.NewScorer(x.query(q, seen, known))
	if err != nil {
		return err
	}
	scored := x.clock()
	exemplars, err := x.predict(scorer, q.among, seen)
	if err != nil {
		return err
	}
	predicted := x.clock()
	for i, v := range x.variants {
		if v.longTail != longTail {
			continue
		}
		before := x.clock()
		r, err := scorer.Fuse(v.rule, exemplars)
		if err != nil {
			return err
		}
		best := vec.ArgMax(r.P)
		a := answer{eval.Answer{Confidence: r.P[best], Right: q.among.Labels[best] == q.label}, scored - start + x.clock() - before}
		if v.rule != fusion.ZeroShot {
			a.seconds += seen.classify + predicted - scored
		}
		if x.searches(v.rule) {
			a.seconds += seen.search
		}
		out[i] = a
	}
	return nil
}

func (x *examiner) query(q question, seen sight, known func(label int) bool) fusion.Query {
	f := fusion.Query{
		Vector: q.vector, Texts: q.among.Texts, Candidates: len(q.among.Labels), Known: make([]bool, len(q.among.Labels)),
		Labels: len(x.order), Tau: x.suite.Tau, TauBeta: x.system.TauBeta, Near: x.suite.Near,
		Neighbours: make([]fusion.Neighbour, len(seen.near)),
	}
	for i, y := range q.among.Labels {
		f.Known[i] = known(y)
	}
	for j, n := range seen.near {
		f.Neighbours[j] = fusion.Neighbour{Cosine: n.Cos, Row: q.among.Row[x.memory.label(n.ID)], Order: n.ID + 1, Vector: x.memory.vector(n.ID)}
		if seen.reading.predicted != nil {
			f.Neighbours[j].Predicted = q.among.Row[seen.reading.predicted[j]]
		}
	}
	return f
}

// predict is what the exemplar system says; nil if it knows nothing.
func (x *examiner) predict(s *fusion.Scorer, among *eval.Candidates, seen sight) (*fusion.Prediction, error) {
	if len(x.order) == 0 {
		return nil, nil
	}
	if x.system.isKNN() {
		return s.KNN(x.system.Kind)
	}
	if len(seen.reading.p.Labels) == 0 {
		return nil, nil // not fitted yet
	}
	logP := among.LogProb(seen.reading.p)
	if x.system.Kind == fusion.Tree {
		return s.Tree(logP)
	}
	return s.Probe(logP, among.Row[seen.reading.best])
}
