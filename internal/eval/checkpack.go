package eval

import (
	"errors"
	"fmt"
	"slices"
)

// check makes sure that every index points at something.
func (p *Pack) check() error {
	lists := []struct {
		what string
		list []int
		n    int
	}{
		{"exemplar_label", p.ExemplarLabel, len(p.Labels)},
		{"query_label", p.QueryLabel, len(p.Labels)},
		{"probe_queries", p.ProbeQueries, len(p.Queries)},
	}
	add := func(what string, list []int, n int) {
		lists = append(lists, struct {
			what string
			list []int
			n    int
		}{what, list, n})
	}
	for _, c := range p.Candidates {
		add("candidates "+c.Name, c.Labels, len(p.Labels))
	}
	for _, s := range p.Stages {
		add("exemplars of "+s.Run, s.Exemplars, len(p.Exemplars))
		add("Y_e of "+s.Run, s.Known, len(p.Labels))
		for _, n := range s.Neighbours {
			add("neighbours of "+s.Run, n, len(p.Exemplars))
		}
	}
	for _, l := range lists {
		for _, i := range l.list {
			if i < 0 || i >= l.n {
				return fmt.Errorf("%s: %d is not below %d", l.what, i, l.n)
			}
		}
	}
	if len(p.Texts) != len(p.Labels) || len(p.ExemplarLabel) != len(p.Exemplars) || len(p.QueryLabel) != len(p.Queries) {
		return fmt.Errorf("labels do not match the vectors")
	}
	switch {
	case p.K < 1 || !(p.Tau > 0) || !(p.TauBeta > 0) || !(p.C > 0):
		return fmt.Errorf("k = %d, tau = %g, tau_beta = %g, C = %g: all must be positive", p.K, p.Tau, p.TauBeta, p.C)
	case len(p.Stages) == 0 || len(p.Blocks) == 0:
		return errors.New("nothing to compare")
	}
	return p.checkExpected()
}

// checkExpected makes sure that what is expected is of a stage and of candidates
// that there are: nothing is passed over.
func (p *Pack) checkExpected() error {
	there := map[string]bool{}
	for _, s := range p.Stages {
		for _, c := range p.Candidates {
			there[key(s.Run, s.Stage, c.Name, "")] = true
		}
		for _, part := range s.Partitions {
			if slices.ContainsFunc(part.LeafOf, func(leaf int) bool { return leaf < 0 || leaf >= len(p.Exemplars) }) {
				return fmt.Errorf("%s %d, ψ = %d: a leaf's number is below 0, or not below the number of exemplars", s.Run, s.Stage, part.Psi)
			}
		}
	}
	for _, c := range p.Candidates {
		if twice := slices.Compact(slices.Sorted(slices.Values(c.Labels))); len(c.Labels) == 0 || len(twice) != len(c.Labels) {
			return fmt.Errorf("candidates %s: a label is there twice, or there is none", c.Name)
		}
	}
	for _, b := range p.Blocks {
		if !there[key(b.Run, b.Stage, b.Candidates, "")] {
			return fmt.Errorf("expected %s: there is no such stage or candidate set", key(b.Run, b.Stage, b.Candidates, b.Method))
		}
	}
	for _, a := range p.Accuracy {
		if !there[key(a.Run, a.Stage, a.Candidates, "")] {
			return fmt.Errorf("accuracy %s: there is no such stage or candidate set", key(a.Run, a.Stage, a.Candidates, a.Method))
		}
	}
	return nil
}
