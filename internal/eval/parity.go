package eval

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"fieldmark/internal/vec"
)

// MethodParity is how far our results of one method are from the expected ones.
type MethodParity struct {
	Method  string
	Cases   int     // answers compared: one query, one candidate set, one stage each
	Largest float64 // largest absolute difference of a probability
	Where   string  // the run, stage and candidates of Largest
	Bound   float64
	// Counts are the numbers of queries named right that were compared, and
	// CountsOff those of them that differ by more than their near-ties allow.
	Counts, CountsOff int
}

// OK reports whether everything is within its bound.
func (m MethodParity) OK() bool { return m.Largest <= m.Bound && m.CountsOff == 0 }

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
			readings[i] = m.read(v, p.K)
		}
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

// tally gathers the comparisons by method.
type tally struct {
	pack     *Pack
	methods  []MethodParity
	byName   map[string]int
	blocks   map[string]Block       // by key
	accuracy map[string]AccuracyRow // by key
}

func newTally(p *Pack) *tally {
	t := &tally{pack: p, byName: map[string]int{}, blocks: map[string]Block{}, accuracy: map[string]AccuracyRow{}}
	for _, b := range p.Blocks {
		t.blocks[key(b.Run, b.Stage, b.Candidates, b.Method)] = b
		if _, seen := t.byName[b.Method]; !seen {
			bound := closedBound
			if strings.HasPrefix(b.Method, "lin") || strings.HasPrefix(b.Method, "tree") {
				bound = solverBound
			}
			t.byName[b.Method] = len(t.methods)
			t.methods = append(t.methods, MethodParity{Method: b.Method, Bound: bound})
		}
	}
	for _, a := range p.Accuracy {
		t.accuracy[key(a.Run, a.Stage, a.Candidates, a.Method)] = a
	}
	return t
}

func key(run string, stage int, candidates, method string) string {
	return fmt.Sprintf("%s %d %s %s", run, stage, candidates, method)
}

// compare answers every query over one candidate set and compares the answers.
func (t *tally) compare(m *memory, set CandidateSet, readings []reading) error {
	q := newQuestion(t.pack, m.stage, set)
	right, rightSeen := map[string]int{}, map[string]int{}
	for i, v := range t.pack.Queries {
		answers, err := q.answers(m, v, readings[i])
		if err != nil {
			return err
		}
		for method, got := range answers {
			k := key(m.stage.Run, m.stage.Stage, set.Name, method)
			at := slices.Index(t.pack.ProbeQueries, i)
			if b, ok := t.blocks[k]; ok && at >= 0 && at < len(b.Rows) {
				if err := t.difference(k, b, at, got); err != nil {
					return err
				}
			}
			if y := t.pack.QueryLabel[i]; len(got) == len(set.Labels) && set.Labels[vec.ArgMax(got)] == y {
				right[k]++
				if slices.Contains(m.stage.Known, y) {
					rightSeen[k]++
				}
			}
		}
	}
	for _, e := range t.methods {
		k := key(m.stage.Run, m.stage.Stage, set.Name, e.Method)
		t.count(k, right[k], rightSeen[k])
	}
	return nil
}

func (t *tally) difference(k string, b Block, at int, got []float64) error {
	want := b.Rows[at]
	if len(want) != len(got) {
		return fmt.Errorf("%s: %d columns expected, %d computed", b.Method, len(want), len(got))
	}
	e := &t.methods[t.byName[b.Method]]
	e.Cases++
	for c := range want {
		d := math.Abs(got[c] - float64(want[c]))
		if d > e.Largest || math.IsNaN(d) {
			e.Largest, e.Where = d, k
		}
	}
	return nil
}

// count compares the numbers of queries that were named right.
func (t *tally) count(k string, right, seen int) {
	a, ok := t.accuracy[k]
	if !ok {
		return
	}
	e := &t.methods[t.byName[a.Method]]
	e.Counts++
	if abs(right-a.Right) > a.NearTies || abs(seen-a.RightSeen) > a.NearTies {
		e.CountsOff++
	}
}

func abs(n int) int { return max(n, -n) }
