package protocol

import (
	"context"
	"fmt"
	"slices"

	"fieldmark/internal/eval"
)

// Runner runs a Plan on a Suite.
type Runner struct {
	Suite   Suite
	Plan    Plan
	Workers int            // goroutines that share fits and questions; changes no answer
	Clock   func() float64 // seconds since any moment; safe for concurrent use
	// Processors is the seconds that this process has used of all processors; nil:
	// they are not measured.
	Processors func() float64
	// Stage is given the rows of every stage of a cell as it ends, for who cannot
	// wait for the cell; nil: nobody is told.
	Stage  func(rows []Row)
	Report func(Progress) error // after every stage; nil: nobody is told. Its error ends the run

	labels labels
	own    []*eval.Candidates // of each task
}

// processors is what Processors says, 0 if it is nil.
func (r *Runner) processors() float64 {
	if r.Processors == nil {
		return 0
	}
	return r.Processors()
}

// Cells lists the work: protocols as planned, and within each all systems of one
// seed, order and task in a row, so that what is to be compared ends together.
func (r *Runner) Cells() []Cell {
	var out []Cell
	for _, p := range r.Plan.Protocols {
		orders := 1
		if p == TaskIncremental {
			orders = r.Plan.Orders
		}
		for _, seed := range r.Plan.Seeds {
			for order := range orders {
				for _, taught := range r.taught(p) {
					for _, s := range r.Plan.Systems {
						out = append(out, Cell{Protocol: p, System: s.canonical(), Taught: taught, Order: order, Seed: seed})
					}
				}
			}
		}
	}
	return out
}

// taught are the names of the memories of a protocol.
func (r *Runner) taught(p Protocol) []string {
	if p != DataIncremental && p != ClassIncremental && p != LongTail {
		return []string{""}
	}
	var out []string
	for _, t := range r.Suite.Tasks {
		if !t.ZeroShot {
			out = append(out, t.Name)
		}
	}
	return out
}

// Run works through the cells for which done is false and gives keep what came of
// each. It ends with the first error, its own, ctx's or keep's; what was kept
// till then is whole.
func (r *Runner) Run(ctx context.Context, done func(Cell) bool, keep func(Outcome) error) error {
	if err := r.Suite.Check(); err != nil {
		return fmt.Errorf("suite %q: %w", r.Suite.Name, err)
	}
	if err := r.Plan.Check(); err != nil {
		return err
	}
	r.labels = unite(r.Suite.Tasks)
	r.own = nil
	for _, of := range r.labels.of {
		r.own = append(r.own, r.labels.among(of))
	}
	cells := r.Cells()
	todo := slices.DeleteFunc(slices.Clone(cells), done)
	p := r.newPace(todo, len(cells))
	for len(todo) > 0 {
		n := together(todo)
		rows, err := r.class(ctx, todo[:n], p)
		if err != nil {
			return fmt.Errorf("%s, %s, seed %d: %w", todo[0].Protocol, todo[0].System, todo[0].Seed, err)
		}
		for i, c := range todo[:n] {
			if err := keep(Outcome{Cell: c, Rows: rows[i]}); err != nil {
				return err
			}
			p.done++
		}
		todo = todo[n:]
	}
	return nil
}

// rows are what each variant made of a course's questions, on top of base.
func (r *Runner) rows(x *examiner, base Row, c course, answers [][]answer, bins bool) []Row {
	base.Exemplars, base.Known = x.taught, len(x.order)
	base.Cost.Bytes, base.Cost.ClassifierBytes = x.memory.bytes()
	var out []Row
	for v, as := range x.variants {
		row := base
		row.Rule, row.LongTailRule = as.rule, as.longTail
		row.Scores = tally(c.headings, c.questions, answers, v, r.Plan.Bins)
		if bins {
			row.Bins = reliability(c.headings, c.questions, answers, v, r.Plan.Bins)
		}
		for _, a := range answers {
			row.Cost.Answer += a[v].seconds
		}
		row.Cost.Answers = len(answers)
		out = append(out, row)
	}
	return out
}
