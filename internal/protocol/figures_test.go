package protocol

import (
	"math"
	"reflect"
	"testing"

	"fieldmark/internal/eval"
	"fieldmark/internal/fusion"
)

func score(task string, right, asked int) Score { return Score{Task: task, Right: right, Asked: asked} }

// Three tasks, taught a, b, c; accuracies after each
//
//	.8 .4 .2
//	.7 .9 .3
//	.6 .8 1
//
// Transfer: b .4, c (.2 + .3)/2 = .25; mean .325. Avg.: columns .7, .7, .5; mean
// 1.9/3. Last: 2.4/3 = .8. The zero-shot task is no part of it.
func TestMTILByHand(t *testing.T) {
	right := [][]int{{8, 4, 2}, {7, 9, 3}, {6, 8, 10}}
	var rows []Row
	for i, name := range []string{"a", "b", "c"} {
		r := Row{Cell: Cell{Protocol: TaskIncremental}, Stage: i + 1, StageName: name, Rule: fusion.AIMEmb, Candidates: "own"}
		for j, task := range []string{"c", "a", "b"} { // as the suite has them
			r.Scores = append(r.Scores, score(task, right[i][(j+2)%3], 10))
		}
		r.Scores = append(r.Scores, Score{Task: "z", ZeroShot: true, Asked: 4})
		rows = append(rows, r)
	}
	got := MTIL(rows)
	if len(got) != 1 {
		t.Fatalf("%d matrices", len(got))
	}
	m := got[0]
	for _, c := range []struct {
		name      string
		got, want float64
	}{{"Transfer", m.Transfer.Mean, .325}, {"Avg.", m.Avg.Mean, 1.9 / 3}, {"Last", m.Last.Mean, .8}} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%s = %g, want %g", c.name, c.got, c.want)
		}
	}
	if want := [][]float64{{.8, .4, .2}, {.7, .9, .3}, {.6, .8, 1}}; !reflect.DeepEqual(m.Accuracy, want) {
		t.Errorf("matrix %v, want %v", m.Accuracy, want)
	}
}

func TestMTILOfOneTaskHasNoTransfer(t *testing.T) {
	m := MTIL([]Row{{Cell: Cell{Protocol: TaskIncremental}, Stage: 1, StageName: "a", Scores: []Score{score("a", 1, 2)}}})
	if m[0].Transfer != nil || m[0].Last.Mean != .5 {
		t.Errorf("%+v", m[0])
	}
}

// Two seeds of data-incremental, each with memories of tasks a and b, both of
// which also ask the zero-shot task z.
//
//	seed 1: a 1/2, b 1/4: target .375; z 1/2 and 2/2: .75; both .5625
//	seed 2: a 2/2, b 3/4: target .875; z 1/2 and 1/2: .5; both .6875
//
// Target: mean .625, deviation |.875 - .375|/√2 = .5/√2. Seconds of a seed: two
// memories' 1 + 2 + 4 to train, 8 to answer.
func TestSummariseByHand(t *testing.T) {
	row := func(seed uint64, taught string, right, asked, z int) Row {
		return Row{
			Cell:  Cell{Protocol: DataIncremental, Taught: taught, Seed: seed},
			Stage: 1, StageName: "2 %", Rule: fusion.AIMEmb, Candidates: "own", Exemplars: 10 * asked,
			Scores: []Score{
				{Task: taught, Right: right, Asked: asked, ECE: .1 * float64(asked), Groups: []Group{{"seen", 2, right}}},
				{Task: "z", Right: z, Asked: 2, ZeroShot: true, ECE: 9},
			},
			Cost: Cost{Place: 1, Stroke: 2, Train: 4, Answer: 8},
		}
	}
	points := Summarise([]Row{
		row(1, "a", 1, 2, 1), row(1, "b", 1, 4, 2), row(2, "a", 2, 2, 1), row(2, "b", 3, 4, 1),
		{Cell: Cell{Protocol: Growth}},
	})
	if len(points) != 1 {
		t.Fatalf("%d points", len(points))
	}
	p := points[0]
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"target", p.Target.Mean, .625}, {"its deviation", p.Target.SD, .5 / math.Sqrt2},
		{"zero-shot", p.ZeroShot.Mean, .625}, {"both", p.Both.Mean, .625},
		{"deviation of both", p.Both.SD, .125 / math.Sqrt2},
		{"ECE", p.ECE.Mean, .3}, {"seen", p.Groups["seen"].Mean, 7. / 8},
		{"exemplars", p.Exemplars, 30}, {"images", float64(p.TargetAsked), 6}, {"zero-shot images", float64(p.ZeroShotAsked), 4}, {"training", p.Train, 14}, {"answering", p.Answer, 16}, {"runs", float64(p.Runs), 2},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%s = %g, want %g", c.name, c.got, c.want)
		}
	}
}

// The seconds of a point are those of all stages up to it.
func TestSummariseAddsUpStages(t *testing.T) {
	row := func(stage int, system fusion.System, seconds float64) Row {
		return Row{Cell: Cell{Protocol: TaskIncremental, System: System{Kind: system}}, Stage: stage, StageName: "x",
			Scores: []Score{score("a", 1, 1)}, Cost: Cost{Train: seconds, Answer: 10 * seconds}}
	}
	points := Summarise([]Row{row(1, fusion.Tree, 1), row(2, fusion.Tree, 2), row(1, fusion.KNNMV, 5)})
	for i, want := range []float64{1, 3, 5} {
		if points[i].Train != want || points[i].Answer != 10*want {
			t.Errorf("point %d: %g s and %g s, want %g and %g", i, points[i].Train, points[i].Answer, want, 10*want)
		}
	}
}

// Variant 1 of two: of task a, a seen image right at .9 and an unseen one wrong at
// .6, in one bin of (0, 1]: |1 - 1.5|/2 = .25; of z one right at 1. Task b is not
// asked.
func TestTallyByHand(t *testing.T) {
	headings := []heading{{"a", false}, {"b", false}, {"z", true}}
	questions := []question{{score: 0, group: "unseen"}, {score: 0, group: "seen"}, {score: 2}}
	say := func(confidence float64, right bool) []answer {
		return []answer{{}, {Answer: eval.Answer{Confidence: confidence, Right: right}}}
	}
	got := tally(headings, questions, [][]answer{say(.6, false), say(.9, true), say(1, true)}, 1, 1)
	want := []Score{
		{Task: "a", Asked: 2, Right: 1, ECE: .25, Groups: []Group{{"seen", 1, 1}, {"unseen", 1, 0}}},
		{Task: "z", ZeroShot: true, Asked: 1, Right: 1},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// What the points say is what the claims say: the last stage counts, equality
// holds, half a point is allowed where it is, and what is missing is not claimed.
func TestClaimsByHand(t *testing.T) {
	point := func(kind fusion.System, rule fusion.Rule, stage int, target, zeroShot float64) Point {
		return Point{Protocol: TaskIncremental, System: System{Kind: kind}, Rule: rule, Candidates: "own", Stage: stage,
			Target: &Figure{Mean: target}, ZeroShot: &Figure{Mean: zeroShot}}
	}
	got := Claims([]Point{
		point(fusion.Tree, fusion.AIMEmb, 1, 0, 0), // not the last stage
		point(fusion.Tree, fusion.AIMEmb, 2, .80, .5),
		point(fusion.Tree, fusion.AvgEmb, 2, .9, .5),
		point(fusion.Tree, fusion.ZeroShot, 2, .6, .506),
		point(fusion.Tree, fusion.Near, 2, .796, .4),
		point(fusion.KNNWAvg, fusion.AIMEmb, 2, .79, .5),
	})
	want := []bool{
		true,  // AIM .5 against averaging's .5
		true,  // tree .80, KNN .79
		false, // zero-shot tasks .5, zero-shot .506
		true,  // near .796 on targets, aim-emb .80
		false, // near .4 on zero-shot tasks, aim-emb .5
	}
	if len(got) != len(want) {
		t.Fatalf("%d claims: %+v", len(got), got)
	}
	for i, c := range got {
		if c.Holds != want[i] {
			t.Errorf("%+v: want %v", c, want[i])
		}
	}
}
