package report

import (
	"context"
	"sync"
	"testing"

	"fieldmark/internal/fusion"
	"fieldmark/internal/protocol"
)

// tick is a clock that goes on by a millisecond each time it is read, so that
// times, too, are the same every time.
func tick() func() float64 {
	now := 0.0
	return func() float64 { now += 1e-3; return now }
}

// measuredResult is a run of every protocol over a few random numbers, which is made
// once: tests read it only.
func measuredResult(t *testing.T) protocol.Result {
	t.Helper()
	r, err := measuring()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var measuring = sync.OnceValues(func() (protocol.Result, error) {
	suite := protocol.Synthetic(protocol.Shape{Dim: 16, Targets: 2, ZeroShotTasks: 1, Classes: 5, Train: 6, Test: 4}, 1)
	plan := protocol.DefaultPlan()
	plan.Systems = []protocol.System{{Kind: fusion.Tree}, {Kind: fusion.Tree, Psi: 20}, {Kind: fusion.LinProbe}, {Kind: fusion.KNNWAvg}}
	plan.Rules = []fusion.Rule{fusion.ZeroShot, fusion.AIMEmb, fusion.AvgEmb, fusion.Near}
	plan.Seeds, plan.LogWindow, plan.ClassStages = []uint64{1, 2}, 20, 3
	result := protocol.Result{About: suite.About(), Plan: plan}
	result.About.Command, result.About.Version, result.About.Started = "evaluate run --synthetic", "v1", "2026-11-21T00:00:00Z"
	r := protocol.Runner{Suite: suite, Plan: plan, Clock: tick(), Workers: 1}
	err := r.Run(context.Background(), func(protocol.Cell) bool { return false }, func(o protocol.Outcome) error {
		result.Rows = append(result.Rows, o.Rows...)
		return nil
	})
	return result, err
})

// row is one line of a made-up task-incremental result.
func row(kind fusion.System, rule fusion.Rule, stage int, flowers, birds int, train float64) protocol.Row {
	return protocol.Row{
		Cell:  protocol.Cell{Protocol: protocol.TaskIncremental, System: protocol.System{Kind: kind}, Seed: 1},
		Stage: stage, StageName: []string{"flowers", "stones"}[stage-1], Rule: rule, Candidates: "own", Exemplars: 50 * stage, Known: 5 * stage,
		Scores: []protocol.Score{
			{Task: "flowers", Asked: 100, Right: flowers, ECE: .1},
			{Task: "stones", Asked: 50, Right: 10 * stage, ECE: .3},
			{Task: "birds", Asked: 100, Right: birds, ECE: .2, ZeroShot: true},
		},
		Cost: protocol.Cost{Train: train, Lessons: 50, Answer: .5, Answers: 250, Bytes: 50 * stage * 2052},
	}
}

// smallResult is a result whose figures can be worked out by hand. In percent, on
// the two target tasks: zero-shot 40 and 20, so 30 at stage 1; the tree (80 + 20)/2
// = 50 and at stage 2 (78 + 40)/2 = 59.
func smallResult() protocol.Result {
	return protocol.Result{
		About: protocol.About{Suite: "small <b>", Encoder: "fieldmark-1 abc", Digest: "123", Command: `evaluate run --out "a & b"`, Version: "v1", Started: "2026-11-21T00:00:00Z",
			Tasks: []protocol.TaskAbout{
				{Name: "flowers", Classes: 5, Train: 50, Test: 100}, {Name: "stones", Classes: 5, Train: 50, Test: 50},
				{Name: "birds", Classes: 9, Test: 100, ZeroShot: true},
			}},
		Plan: protocol.Plan{Seeds: []uint64{1}, Orders: 1},
		Rows: []protocol.Row{
			row(fusion.Tree, fusion.ZeroShot, 1, 40, 60, 0), zeroAgain(row(fusion.Tree, fusion.ZeroShot, 2, 40, 60, 0)),
			row(fusion.Tree, fusion.AIMEmb, 1, 80, 60, 2), row(fusion.Tree, fusion.AIMEmb, 2, 78, 59, 3),
			row(fusion.Tree, fusion.Near, 1, 82, 60, 2), row(fusion.Tree, fusion.Near, 2, 80, 60, 3),
			row(fusion.LinProbe, fusion.AIMEmb, 1, 81, 60, 30), row(fusion.LinProbe, fusion.AIMEmb, 2, 79, 58, 40),
		},
	}
}

// zeroAgain keeps zero-shot's answers on stones as they were at stage 1.
func zeroAgain(r protocol.Row) protocol.Row {
	r.Scores[1].Right = 10
	return r
}
