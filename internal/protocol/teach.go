package protocol

import "context"

// pupil is one memory, what it has been taught, and a clock for that.
type pupil struct {
	memory memory
	count  map[int32]int // exemplars of each label that has any
	order  []int32       // labels as they were first taught
	taught int           // exemplars
	clock  func() float64
}

// learn takes a stage's exemplars in and trains.
func (x *pupil) learn(ctx context.Context, examples []example) (cost Cost, unconverged int, err error) {
	start := x.clock()
	if err := x.place(examples); err != nil {
		return cost, 0, err
	}
	placed := x.clock()
	unconverged, err = x.memory.train(ctx)
	return Cost{Place: placed - start, Train: x.clock() - placed, Lessons: len(examples)}, unconverged, err
}

// place takes exemplars in.
func (x *pupil) place(examples []example) error {
	for _, e := range examples {
		if x.count[e.label] == 0 {
			x.order = append(x.order, e.label)
		}
		x.count[e.label]++
		x.taught++
	}
	return x.memory.place(examples)
}

// lesson takes one exemplar in and follows it by the immediate stroke.
func (x *pupil) lesson(ctx context.Context, one []example, cost *Cost) error {
	start := x.clock()
	if err := x.place(one); err != nil {
		return err
	}
	placed := x.clock()
	err := x.memory.stroke(ctx)
	cost.Place += placed - start
	cost.Stroke += x.clock() - placed
	cost.Lessons += len(one)
	return err
}

// finish brings the classifiers to their optimum.
func (x *pupil) finish(ctx context.Context, row *Row) error {
	start := x.clock()
	n, err := x.memory.train(ctx)
	row.Unconverged, row.Cost.Train = n, x.clock()-start
	return err
}
