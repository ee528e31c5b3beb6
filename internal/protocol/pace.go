package protocol

import "math"

// pace knows how much of a run is done.
type pace struct {
	r           *Runner
	start       float64
	done, cells int
	work, total float64 // by weigh, of the cells to do
	weight      map[Cell]float64
}

// newPace starts the clock of a run whose cells to do are todo, of all in all.
func (r *Runner) newPace(todo []Cell, all int) *pace {
	p := &pace{r: r, start: r.Clock(), done: all - len(todo), cells: all, weight: map[Cell]float64{}}
	for len(todo) > 0 {
		n := together(todo)
		for _, c := range todo[:n] {
			asking, training := r.weigh(c)
			p.weight[c] = asking + training/float64(n)
			p.total += p.weight[c]
		}
		todo = todo[n:]
	}
	return p
}

// stage tells that a share of a cell is done, when so many cells have ended that are
// not kept yet.
func (p *pace) stage(c Cell, name string, share float64, ended int) error {
	p.work += share * p.weight[c]
	if p.r.Report == nil {
		return nil
	}
	out := Progress{Cell: c, Stage: name, Done: p.done + ended, Cells: p.cells, Elapsed: p.r.Clock() - p.start, Left: math.NaN()}
	if p.total > 0 {
		out.Share = min(1, p.work/p.total)
	}
	if out.Share > 0 {
		out.Left = out.Elapsed * (1 - out.Share) / out.Share
	}
	return p.r.Report(out)
}

// weigh guesses the work of a cell, in multiplications by the vectors' dimension:
// each image asked is compared with every exemplar and candidate, and a classifier
// that is fitted goes over its exemplars some fifty times for each label.
func (r *Runner) weigh(c Cell) (asking, training float64) {
	const passes = 50
	var taught, labels, asked float64
	for _, t := range r.Suite.Tasks {
		if !t.ZeroShot && (c.Taught == "" || c.Taught == t.Name) {
			taught += float64(len(t.Train.Labels))
			labels += float64(len(t.Classes))
		}
		if t.ZeroShot || c.Taught == "" || c.Taught == t.Name {
			asked += float64(len(t.Test.Labels))
		}
	}
	stages := 1.0
	switch c.Protocol {
	case DataIncremental:
		stages = float64(len(r.Plan.Fractions))
	case ClassIncremental:
		stages = float64(r.Plan.ClassStages)
	case TaskIncremental:
		stages = float64(len(r.order(0)))
	case Log:
		asked = taught
	case Growth:
		asked = 0
	}
	asking = 1 + stages*asked*(taught/2+labels*float64(len(r.Plan.variants())))
	if !c.System.isKNN() {
		training = passes * taught * labels
	}
	return asking, training
}
