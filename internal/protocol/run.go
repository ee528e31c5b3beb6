package protocol

import (
	"context"
	"fmt"
	"slices"
)

// Runner runs a Plan on a Suite.
type Runner struct {
	Suite   Suite
	Plan    Plan
	Workers int                  // goroutines that share fits and questions; changes no answer
	Clock   func() float64       // seconds since any moment; safe for concurrent use
	Report  func(Progress) error // after every stage; nil: nobody is told. Its error ends the run

	labels labels
	own    []*choice // of each task
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
	for _, c := range todo {
		rows, err := r.cell(ctx, c, p)
		if err != nil {
			return fmt.Errorf("%s, %s, seed %d: %w", c.Protocol, c.System, c.Seed, err)
		}
		if err := keep(Outcome{Cell: c, Rows: rows}); err != nil {
			return err
		}
		p.done++
	}
	return nil
}

func (r *Runner) examiner(c Cell) (*examiner, error) {
	m, err := newMemory(c.System, len(r.labels.texts[0]), r.Workers)
	return &examiner{
		suite: r.Suite, system: c.System, variants: r.Plan.variants(), memory: m,
		count: map[int32]int{}, clock: r.Clock, workers: r.Workers,
	}, err
}

func (r *Runner) cell(ctx context.Context, c Cell, p *pace) ([]Row, error) {
	x, err := r.examiner(c)
	if err != nil {
		return nil, err
	}
	switch c.Protocol {
	case Log:
		return r.log(ctx, c, x, p)
	case Growth:
		return r.growth(ctx, c, x, p)
	}
	course := r.course(c)
	var rows []Row
	for i, st := range course.stages {
		base := Row{Cell: c, Stage: i + 1, StageName: st.name, Candidates: "own"}
		if base.Cost, base.Unconverged, err = x.learn(ctx, st.examples); err != nil {
			return nil, err
		}
		course.regroup(x)
		answers, err := x.ask(ctx, course.questions)
		if err != nil {
			return nil, err
		}
		last := i == len(course.stages)-1
		rows = append(rows, r.rows(x, base, course, answers, last)...)
		if last && c.Protocol == TaskIncremental {
			more, err := r.flexible(ctx, x, base)
			if err != nil {
				return nil, err
			}
			rows = append(rows, more...)
		}
		if err := p.stage(c, st.name, 1/float64(len(course.stages))); err != nil {
			return nil, err
		}
	}
	return rows, nil
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
