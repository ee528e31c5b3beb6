package eval

import (
	"context"
	"fmt"

	"fieldmark/internal/fusion"
	"fieldmark/internal/nearest"
	"fieldmark/internal/probe"
	"fieldmark/internal/tree"
	"fieldmark/internal/vec"
)

// Subject is what a Student works on: an encoder's labels and temperatures.
type Subject struct {
	Texts [][]float32 // unit text embeddings; a label is a row
	Tau   float64
	K     int // neighbours asked
	Near  fusion.NearParams
}

// Student is a memory made as the product makes it, a TreeProbe with ψ
// exemplars a leaf, every leaf fitted to convergence before it is asked.
type Student struct {
	subject Subject
	tree    *tree.Tree
	views   *nearest.Vectors
	owners  []int // by number in views: the exemplar
	most    int   // views of one exemplar
}

// NewStudent returns a Student that has been taught nothing. psi is ψ, 0 for the
// paper's.
func NewStudent(s Subject, psi int) (*Student, error) {
	if len(s.Texts) == 0 {
		return nil, fmt.Errorf("no labels to teach")
	}
	dim := len(s.Texts[0])
	t, err := tree.New(dim, tree.Params{Psi: psi})
	return &Student{subject: s, tree: t, views: nearest.NewVectors(dim, nearest.Half)}, err
}

// Example is an embedding and the label that it is taught under or stands for.
type Example struct {
	Label  int
	Vector []float32
	Views  [][]float32 // what else is remembered of it when it is taught
}

// Teach inserts the examples and fits what they changed.
func (s *Student) Teach(ctx context.Context, examples ...Example) error {
	e := s.tree.Edit()
	for _, x := range examples {
		id, err := e.Insert(int32(x.Label), x.Vector)
		if err != nil {
			return err
		}
		for _, v := range x.Views {
			if s.views, err = s.views.Append(v); err != nil {
				return err
			}
			s.owners = append(s.owners, id)
		}
		s.most = max(s.most, len(x.Views))
	}
	t := e.Tree()
	for _, leaf := range t.Stale() {
		f, err := t.Fit(ctx, leaf, probe.Options{})
		if err != nil {
			return err
		}
		if !f.Report.Converged {
			return fmt.Errorf("leaf %d did not converge: gradient %g", leaf, f.Report.GradNorm)
		}
		t, _ = t.WithProbe(f)
	}
	s.tree = t
	return nil
}

// Among prepares a candidate set.
func (s *Student) Among(labels []int) *Candidates { return Among(s.subject.Texts, labels) }

// Answered is what one rule makes of one image.
type Answered struct {
	Label      int // the likeliest
	Confidence float64
}

// Ask answers by each rule over the tree's prediction.
func (s *Student) Ask(v []float32, c *Candidates, rules []fusion.Rule) ([]Answered, error) {
	q, err := s.question(v, c)
	if err != nil {
		return nil, err
	}
	return q.answer(rules, s.subject.Near)
}

// asked is one image before a Student: all that does not depend on the rule.
type asked struct {
	query   fusion.Query
	logProb []float64
	labels  []int
}

func (s *Student) question(v []float32, c *Candidates) (*asked, error) {
	wholes, err := s.tree.Nearest(v, s.subject.K, nil)
	if err != nil {
		return nil, err
	}
	p, err := s.tree.PredictFrom(v, wholes)
	if err != nil {
		return nil, err
	}
	a := &asked{labels: c.Labels, logProb: c.LogProb(p.Exemplar), query: fusion.Query{
		Vector: v, Texts: c.Texts, Candidates: len(c.Labels), Known: make([]bool, len(c.Labels)), Labels: len(s.tree.Labels()), Tau: s.subject.Tau,
	}}
	for i, y := range c.Labels {
		a.query.Known[i] = s.tree.Count(int32(y)) > 0
	}
	for _, n := range p.Neighbours {
		a.query.Neighbours = append(a.query.Neighbours, fusion.Neighbour{Cosine: n.Cos, Row: c.Row[n.Label], Predicted: c.Row[n.Predicted]})
	}
	views := nearest.Exact{Vectors: s.views}.Search(v, s.subject.K*s.most, nil)
	for _, n := range nearest.Best(s.subject.K, wholes, views, func(view int) int { return s.owners[view] }) {
		a.query.Nearest = append(a.query.Nearest, fusion.Neighbour{Cosine: n.Cos, Row: c.Row[s.tree.Label(n.ID)], Vector: s.tree.Vectors().Row(n.ID, nil)})
	}
	return a, nil
}

// answer applies rules under the given parameters of Near.
func (a *asked) answer(rules []fusion.Rule, near fusion.NearParams) ([]Answered, error) {
	a.query.Near = near
	s, err := fusion.NewScorer(a.query)
	if err != nil {
		return nil, err
	}
	p, err := s.Tree(a.logProb)
	if err != nil {
		return nil, err
	}
	out := make([]Answered, len(rules))
	for i, rule := range rules {
		r, err := s.Fuse(rule, p)
		if err != nil {
			return nil, err
		}
		best := vec.ArgMax(r.P)
		out[i] = Answered{a.labels[best], r.P[best]}
	}
	return out, nil
}
