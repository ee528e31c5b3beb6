package main

import (
	"context"
	"fmt"
	"time"

	"fieldmark/internal/fusion"
	"fieldmark/internal/protocol"
)

// The paper's run: eight target tasks, three zero-shot tasks, 220,000 exemplars of
// some 800 classes. A smaller run has fewer classes.
const (
	paperTargets       = 8
	paperZeroShotTasks = 3
	paperPerClass      = 275
	scaleAsked         = 5      // photos that test, of each class
	linProbePeer       = 0      // ψ by which the peer is asked for its LinProbe
	scaleGoal          = 20     // times the reference's LinProbe, at least
	scaleGraph         = 50_000 // exemplars from which a graph is kept, as in the product; fewer are scanned
)

// paperRun measures the paper's task-incremental run at a size: our TreeProbe at
// every ψ and our LinProbe, and the reference's beside them.
func (b *bench) paperRun(ctx context.Context) (s section, err error) {
	suite := b.paperSuite()
	if err := b.writeSuite(suite); err != nil {
		return s, err
	}
	t := trial{suite: suite, first: b.psis[0], ours: map[int]course{}, theirs: map[int]course{}}
	for _, psi := range b.systems() {
		if t.ours[psi], err = b.ourCourse(ctx, suite, psi); err != nil {
			return s, err
		}
		// The first tree is to be compared with the reference's LinProbe above all.
		for _, peer := range []int{linProbePeer, psi} {
			if _, asked := t.theirs[peer]; asked {
				continue
			}
			if t.theirs[peer], err = b.theirCourse(ctx, peer); err != nil {
				return s, err
			}
		}
	}
	return t.section(b), b.plotCurves(t)
}

// systems are those of the paper's run by ψ: the first tree, LinProbe, the others.
func (b *bench) systems() []int { return append([]int{b.psis[0], linProbePeer}, b.psis[1:]...) }

// ourCourse runs one of our systems over the paper's run.
func (b *bench) ourCourse(ctx context.Context, suite protocol.Suite, psi int) (course, error) {
	b.tell("ours, %s", systemOf(psi))
	return b.kept(fmt.Sprintf("ours-%d", psi), func() (course, error) {
		plan := protocol.DefaultPlan()
		plan.Systems = []protocol.System{{Kind: fusion.Tree, Psi: psi}}
		if psi == linProbePeer {
			plan.Systems = []protocol.System{{Kind: fusion.LinProbe}}
		}
		plan.Rules, plan.LongTailRule = []fusion.Rule{fusion.AIMEmb}, false
		plan.Protocols, plan.Graph = []protocol.Protocol{protocol.TaskIncremental}, b.scale >= scaleGraph
		start := time.Now()
		var c course
		lapped := spent{0, processorTime()} // when the last lap ended
		runner := protocol.Runner{
			Suite: suite, Plan: plan, Workers: b.workers,
			Clock:      func() float64 { return time.Since(start).Seconds() },
			Processors: func() float64 { return processorTime().Seconds() },
			Stage: func(rows []protocol.Row) {
				l := lapOf(rows[0])
				c.Laps = append(c.Laps, l)
				lapped = spent{time.Since(start), processorTime()}
				b.tell("%s, stage %d: taught in %s, %s of processors; targets %s", systemOf(psi), l.Stage,
					seconds(took(l.Taught.clock)), seconds(took(l.Taught.processors)), share.write(l.Target))
			},
		}
		limited, done := ctx, func() {}
		if psi == linProbePeer { // no goal hangs on it
			limited, done = context.WithTimeout(ctx, b.peers.patience)
		}
		defer done()
		err := runner.Run(limited, func(protocol.Cell) bool { return false }, func(protocol.Outcome) error { return nil })
		if err != nil && ctx.Err() == nil && limited.Err() != nil {
			now := spent{time.Since(start), processorTime()}
			c.Stopped = &spent{now.clock - lapped.clock, now.processors - lapped.processors}
			c.Missing, err = errSlow{clock: b.peers.patience}.Error(), nil
		}
		return c, err
	})
}

// theirCourse asks the reference for the same.
func (b *bench) theirCourse(ctx context.Context, psi int) (course, error) {
	return b.kept(fmt.Sprintf("theirs-%d", psi), func() (course, error) {
		b.tell("scikit-learn, %s", systemOf(psi))
		said, err := b.peers.ask(ctx, scikit, "paper", b.scratch, b.workers, psi)
		if ctx.Err() != nil {
			return course{}, ctx.Err()
		}
		return courseOf(said, err), nil
	})
}
