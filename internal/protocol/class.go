package protocol

import "context"

// together counts the cells at the front that are taught the same lessons by the
// same memory, so that it is taught once.
func together(cells []Cell) int {
	first := cells[0]
	for i, c := range cells {
		alike := first.System.alike(c.System)
		if c.System = first.System; c != first || !alike {
			return i
		}
	}
	return len(cells)
}

// examiners are one pupil and, for each cell, who asks it.
func (r *Runner) examiners(cells []Cell) (*pupil, []*examiner, error) {
	lessons := cells[0].Protocol == Log || cells[0].Protocol == Growth
	m, err := newMemory(cells[0].System, len(r.labels.texts[0]), r.Workers, r.Plan.Graph, lessons)
	p := &pupil{memory: m, count: map[int32]int{}, clock: r.Clock}
	var out []*examiner
	for _, c := range cells {
		out = append(out, &examiner{pupil: p, cell: c, suite: r.Suite, system: c.System, variants: r.Plan.variants(), workers: r.Workers})
	}
	return p, out, err
}

// class teaches one pupil and asks it for each of the cells: the rows of each.
func (r *Runner) class(ctx context.Context, cells []Cell, p *pace) ([][]Row, error) {
	taught, xs, err := r.examiners(cells)
	if err != nil {
		return nil, err
	}
	switch cells[0].Protocol {
	case Log:
		return r.log(ctx, taught, xs, p)
	case Growth:
		return r.growth(ctx, taught, xs, p)
	}
	course := r.course(cells[0])
	rows := make([][]Row, len(xs))
	for i, st := range course.stages {
		base := Row{Stage: i + 1, StageName: st.name, Candidates: "own"}
		used := r.processors()
		if base.Cost, base.Unconverged, err = taught.learn(ctx, st.examples); err != nil {
			return nil, err
		}
		base.Cost.TaughtProcessors = r.processors() - used
		course.regroup(taught)
		last := i == len(course.stages)-1
		for j, x := range xs {
			base.Cell = x.cell
			more, err := r.examine(ctx, x, base, course, last)
			if err != nil {
				return nil, err
			}
			rows[j] = append(rows[j], more...)
			if r.Stage != nil {
				r.Stage(more)
			}
			if err := p.stage(x.cell, st.name, 1/float64(len(course.stages)), ended(last, j)); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

// examine asks the questions of a course after a stage.
func (r *Runner) examine(ctx context.Context, x *examiner, base Row, c course, last bool) ([]Row, error) {
	used := r.processors()
	answers, err := x.ask(ctx, c.questions)
	if err != nil {
		return nil, err
	}
	base.Cost.AskedProcessors = r.processors() - used
	rows := r.rows(x, base, c, answers, last)
	if !last || x.cell.Protocol != TaskIncremental {
		return rows, nil
	}
	more, err := r.flexible(ctx, x, base)
	return append(rows, more...), err
}

// ended is how many cells of a class have all their rows when the one of a number
// gets those of a stage.
func ended(last bool, number int) int {
	if last {
		return number
	}
	return 0
}
