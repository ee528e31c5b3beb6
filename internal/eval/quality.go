package eval

import (
	"context"
	"fmt"
	"slices"

	"fieldmark/internal/fusion"
)

// Quality is how many of a pack's queries each rule named right at one stage
// over one candidate set, with the tree as the exemplar system at the paper's ψ.
type Quality struct {
	Run, Set  string
	Stage     int
	Exemplars int
	Asked     int // queries whose label is among the candidates
	Right     []int
	ECE       []float64 // over 15 bins
}

// Qualities teaches the stages of every run and asks every query, by each rule.
func Qualities(ctx context.Context, p *Pack, rules []fusion.Rule, near fusion.NearParams) ([]Quality, error) {
	var out []Quality
	for _, stage := range p.Stages {
		s, err := NewStudent(Subject{Texts: p.Texts, Tau: p.Tau, K: p.K, Near: near}, 0)
		if err != nil {
			return nil, err
		}
		var taught []Example
		for _, id := range stage.Exemplars {
			taught = append(taught, Example{Label: p.ExemplarLabel[id], Vector: p.Exemplars[id]})
		}
		if err := s.Teach(ctx, taught...); err != nil {
			return nil, fmt.Errorf("%s %d: %w", stage.Run, stage.Stage, err)
		}
		for _, set := range p.Candidates {
			q := Quality{Run: stage.Run, Set: set.Name, Stage: stage.Stage, Exemplars: len(taught), Right: make([]int, len(rules))}
			if err := q.measure(s, p, set, rules); err != nil {
				return nil, err
			}
			if q.Asked > 0 {
				out = append(out, q)
			}
		}
	}
	return out, nil
}

func (q *Quality) measure(s *Student, p *Pack, set CandidateSet, rules []fusion.Rule) error {
	c := s.Among(set.Labels)
	answers := make([][]Answer, len(rules))
	for i, v := range p.Queries {
		if !slices.Contains(set.Labels, p.QueryLabel[i]) {
			continue
		}
		q.Asked++
		list, err := s.Ask(v, c, rules)
		if err != nil {
			return err
		}
		for r, a := range list {
			right := a.Label == p.QueryLabel[i]
			if right {
				q.Right[r]++
			}
			answers[r] = append(answers[r], Answer{a.Confidence, right})
		}
	}
	for _, a := range answers {
		q.ECE = append(q.ECE, ECE(a, 15))
	}
	return nil
}

// Trial is a NearTrial on a pack's exemplars alone, whose queries it leaves for
// judging what the trial chooses.
func (p *Pack) Trial(grid []fusion.NearParams, taught, draws int) NearTrial {
	t := NearTrial{Subject: Subject{Texts: p.Texts, Tau: p.Tau, K: p.K}, Taught: taught, Grid: grid, Draws: draws}
	byLabel := map[int]int{}
	for i, y := range p.ExemplarLabel {
		at, ok := byLabel[y]
		if !ok {
			at = len(t.Classes)
			byLabel[y] = at
			t.Classes = append(t.Classes, Class{Label: y})
		}
		t.Classes[at].Photos = append(t.Classes[at].Photos, Shot{Vector: p.Exemplars[i]})
	}
	for y := range p.Labels {
		if _, ok := byLabel[y]; !ok {
			t.Extra = append(t.Extra, y)
		}
	}
	return t
}
