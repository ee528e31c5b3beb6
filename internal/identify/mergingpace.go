package identify

import (
	"context"
	"time"
)

// toldSteps is in how many steps a preview says how far it is, at most; readStep is
// how many files and rows each has at least.
const (
	toldSteps = 100
	readStep  = 100
)

// mergePace counts the files and rows of a bundle that were read, and ends with its
// context.
type mergePace struct {
	ctx  context.Context
	done int
	step int
	pace pace
	told func(ImportProgress)
}

func newMergePace(ctx context.Context, total int, now func() time.Time, told func(ImportProgress)) *mergePace {
	return &mergePace{ctx: ctx, step: max(readStep, total/toldSteps), pace: newPace(0, total, now), told: told}
}

func (p *mergePace) next() error {
	if p.done++; p.done%p.step == 0 {
		p.told(p.pace.at(p.done, 0))
	}
	return p.ctx.Err()
}
