package eval

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"fieldmark/internal/vec"
)

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
	there := map[string]bool{}
	for _, s := range p.Stages {
		there[fmt.Sprint(s.Run, s.Stage)] = true
		if len(s.Neighbours) > 0 {
			t.method(nearestMethod).Expected += len(s.Neighbours)
		}
	}
	for _, b := range p.Blocks {
		if there[fmt.Sprint(b.Run, b.Stage)] {
			t.blocks[key(b.Run, b.Stage, b.Candidates, b.Method)] = b
			t.method(b.Method).Expected += len(b.Rows)
		}
	}
	for _, a := range p.Accuracy {
		if there[fmt.Sprint(a.Run, a.Stage)] {
			t.accuracy[key(a.Run, a.Stage, a.Candidates, a.Method)] = a
			t.method(a.Method).CountsExpected++
		}
	}
	return t
}

// method is the entry of a method, a new one if need be. It lasts until the next is
// made.
func (t *tally) method(name string) *MethodParity {
	i, known := t.byName[name]
	if !known {
		bound := closedBound
		if strings.HasPrefix(name, "lin") || strings.HasPrefix(name, "tree") {
			bound = solverBound
		}
		i = len(t.methods)
		t.byName[name] = i
		t.methods = append(t.methods, MethodParity{Method: name, Equation: equation(name), Bound: bound})
	}
	return &t.methods[i]
}

// nearestMethod is the entry of the neighbours N(v): the differences are of their
// cosines, since exemplars that are equally near may stand in either order.
const nearestMethod = "neighbours"

// neighbours compares those of the probe queries with the expected ones.
func (t *tally) neighbours(m *memory, readings []reading) {
	for at, want := range m.stage.Neighbours {
		if at >= len(t.pack.ProbeQueries) {
			return // counted as not compared
		}
		query := t.pack.ProbeQueries[at]
		got := readings[query].neighbours
		e := t.method(nearestMethod)
		e.Cases++
		for rank := range max(len(want), len(got)) {
			d := math.Inf(1)
			if rank < min(len(want), len(got)) {
				d = math.Abs(got[rank].Cos - cosine(t.pack.Queries[query], t.pack.Exemplars[want[rank]]))
			}
			if d > e.Largest || math.IsNaN(d) {
				e.Largest = d
				e.Where = fmt.Sprintf("%s %d, query %d, neighbour %d: the cosine differs by %.2g", m.stage.Run, m.stage.Stage, query, rank+1, d)
			}
		}
	}
}

func cosine(a, b []float32) float64 {
	return vec.DotWide(a, b) / (vec.Norm(a) * vec.Norm(b))
}

func key(run string, stage int, candidates, method string) string {
	return fmt.Sprintf("%s %d %s %s", run, stage, candidates, method)
}

// compare answers every query over one candidate set and compares the answers.
func (t *tally) compare(m *memory, set CandidateSet, readings []reading) error {
	q := newQuestion(t.pack, m.stage, set)
	right, rightSeen, computed := map[string]int{}, map[string]int{}, map[string]bool{}
	for i, v := range t.pack.Queries {
		answers, err := q.answers(m, v, readings[i])
		if err != nil {
			return err
		}
		for method, got := range answers {
			k := key(m.stage.Run, m.stage.Stage, set.Name, method)
			computed[method] = true
			at := slices.Index(t.pack.ProbeQueries, i)
			if b, ok := t.blocks[k]; ok && at >= 0 && at < len(b.Rows) {
				if err := t.difference(k, b, at, set, got); err != nil {
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
		if computed[e.Method] {
			t.count(k, right[k], rightSeen[k])
		}
	}
	return nil
}

// column names what a column of a block is of: a label, where there is one for each
// candidate.
func (t *tally) column(set CandidateSet, columns, c int) string {
	if columns != len(set.Labels) {
		return fmt.Sprintf("column %d", c)
	}
	return fmt.Sprintf("label %q", t.pack.Labels[set.Labels[c]])
}

func (t *tally) difference(k string, b Block, at int, set CandidateSet, got []float64) error {
	want := b.Rows[at]
	if len(want) != len(got) {
		return fmt.Errorf("%s: %d columns expected, %d computed", b.Method, len(want), len(got))
	}
	e := t.method(b.Method)
	e.Cases++
	for c := range want {
		d := math.Abs(got[c] - float64(want[c]))
		if d > e.Largest || math.IsNaN(d) {
			e.Largest, e.Where = d, fmt.Sprintf("%s, query %d, %s: %.7g, expected %.7g", k, t.pack.ProbeQueries[at], t.column(set, len(want), c), got[c], want[c])
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
	e := t.method(a.Method)
	e.Counts++
	if abs(right-a.Right) > a.NearTies || abs(seen-a.RightSeen) > a.NearTies {
		if e.CountsOff == 0 {
			e.CountWhere = fmt.Sprintf("%s: %d of %d right (%d of labels seen), expected %d (%d)", k, right, a.Total, seen, a.Right, a.RightSeen)
		}
		e.CountsOff++
	}
}

func abs(n int) int { return max(n, -n) }
