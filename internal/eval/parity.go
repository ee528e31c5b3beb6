package eval

import (
	"context"
	"fmt"
	"strings"
)

// MethodParity is how far our results of one method are from the expected ones.
type MethodParity struct {
	Method   string
	Equation string // of the paper or METHOD, by which it goes
	// Cases are the answers that were compared, one query, one candidate set, one
	// stage each; Expected is how many the pack has.
	Cases, Expected int
	Largest         float64 // largest absolute difference of a probability
	Where           string  // the run, stage, candidates, query and label of Largest, and both values
	Bound           float64
	// Counts are the numbers of queries named right that were compared, of
	// CountsExpected, and CountsOff those of them that differ by more than their
	// near-ties allow; CountWhere is the first of these.
	Counts, CountsExpected, CountsOff int
	CountWhere                        string
}

// OK reports whether everything that is expected was compared, and is within its
// bound.
func (m MethodParity) OK() bool { return m.Problem() == "" }

// Problem says what is wrong, and where; "" if nothing is.
func (m MethodParity) Problem() string {
	var list []string
	if !(m.Largest <= m.Bound) {
		list = append(list, m.Where)
	}
	if m.CountsOff > 0 {
		list = append(list, m.CountWhere)
	}
	if m.Cases < m.Expected || m.Counts < m.CountsExpected {
		list = append(list, fmt.Sprintf("%d of %d expected answers and %d of %d counts were not computed: there is no such method, or no such tree",
			m.Expected-m.Cases, m.Expected, m.CountsExpected-m.Counts, m.CountsExpected))
	}
	if len(list) == 0 {
		return ""
	}
	return strings.Join(append(list, "by "+m.Equation), "; ")
}

// Bounds of agreement, in probability.
const (
	closedBound = 1e-5 // a closed formula
	solverBound = 1e-4 // a solver is involved: lin.*, tree*
)

// Parity computes every method of the pack at every stage and compares it with
// what is expected there: one entry for each method, in the pack's order.
// It wants some seconds, most of them for fitting probes.
func Parity(ctx context.Context, p *Pack, workers int) ([]MethodParity, error) {
	t := newTally(p)
	for _, s := range p.Stages {
		m, err := newMemory(ctx, p, s, workers)
		if err != nil {
			return nil, fmt.Errorf("%s %d: %w", s.Run, s.Stage, err)
		}
		readings := make([]reading, len(p.Queries))
		for i, v := range p.Queries {
			readings[i] = m.read(v, s.K)
		}
		t.neighbours(m, readings)
		for _, set := range p.Candidates {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := t.compare(m, set, readings); err != nil {
				return nil, fmt.Errorf("%s %d %s: %w", s.Run, s.Stage, set.Name, err)
			}
		}
	}
	return t.methods, nil
}
