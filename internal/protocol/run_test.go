package protocol

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"fieldmark/internal/eval"
	"fieldmark/internal/fusion"
)

// small is a suite that is learned in milliseconds.
func small() Suite {
	return Synthetic(Shape{Dim: 24, Targets: 2, ZeroShotTasks: 1, Classes: 5, Train: 12, Test: 6}, 7)
}

// smallPlan is every protocol and kind of system on it, with a few rules.
func smallPlan() Plan {
	p := DefaultPlan()
	p.Rules = []fusion.Rule{fusion.ZeroShot, fusion.AvgEmb, fusion.AIMEmb, fusion.AvgProb, fusion.AIMProb, fusion.Near}
	p.Systems = append(p.Systems, System{Kind: fusion.Tree, Psi: 15})
	p.LogWindow, p.LogLimit = 10, 25
	p.Orders = 2
	p.ZeroShotLabels, p.MixSplits, p.MixPerClass = 3, 2, 4
	return p
}

// ticks is a clock that goes on by one second whenever it is read.
func ticks() func() float64 {
	var mutex sync.Mutex
	now := 0.0
	return func() float64 {
		mutex.Lock()
		defer mutex.Unlock()
		now++
		return now
	}
}

func run(t *testing.T, r *Runner, done func(Cell) bool) []Row {
	t.Helper()
	if r.Clock == nil {
		r.Clock = ticks()
	}
	var rows []Row
	err := r.Run(t.Context(), done, func(o Outcome) error {
		rows = append(rows, o.Rows...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func none(Cell) bool { return false }

// timeless is rows without what differs between two runs.
func timeless(rows []Row) []Row {
	out := slices.Clone(rows)
	for i := range out {
		c := out[i].Cost
		out[i].Cost = Cost{Lessons: c.Lessons, Answers: c.Answers, Bytes: c.Bytes, ClassifierBytes: c.ClassifierBytes}
	}
	return out
}

func TestSameSeedSameNumbers(t *testing.T) {
	plan := smallPlan()
	if raceEnabled {
		plan.Rules, plan.LongTailRule, plan.Orders = plan.Rules[:3], false, 1
	}
	one := run(t, &Runner{Suite: small(), Plan: plan, Workers: 1}, none)
	three := run(t, &Runner{Suite: small(), Plan: plan, Workers: 3}, none)
	if !reflect.DeepEqual(timeless(one), timeless(three)) {
		t.Error("one worker and three come to different rows")
	}
	plan.Seeds = []uint64{2}
	if other := run(t, &Runner{Suite: small(), Plan: plan, Workers: 3}, none); reflect.DeepEqual(timeless(one), timeless(other)) {
		t.Error("another seed comes to the same rows")
	}
}

// A run that is stopped at any cell and resumed from what was kept, as JSON, comes
// to the rows of a run that was not.
func TestResume(t *testing.T) {
	plan := smallPlan()
	plan.Systems = plan.Systems[:3]
	r := Runner{Suite: small(), Plan: plan, Workers: 1}
	whole := run(t, &r, none)

	full := errors.New("disk full")
	var lines [][]byte
	err := r.Run(t.Context(), none, func(o Outcome) error {
		if len(lines) == 5 {
			return full
		}
		line, err := json.Marshal(o)
		lines = append(lines, line)
		return err
	})
	if !errors.Is(err, full) {
		t.Fatalf("a kept outcome's error is %v", err)
	}
	var rows []Row
	kept := map[Cell]bool{}
	for _, line := range lines {
		var o Outcome
		if err := json.Unmarshal(line, &o); err != nil {
			t.Fatal(err)
		}
		kept[o.Cell] = true
		rows = append(rows, o.Rows...)
	}
	rows = append(rows, run(t, &r, func(c Cell) bool { return kept[c] })...)
	if !reflect.DeepEqual(timeless(rows), timeless(whole)) {
		t.Error("the resumed run differs")
	}
}

func TestCancelEndsARun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := Runner{Suite: small(), Plan: smallPlan(), Workers: 2, Clock: ticks(), Report: func(Progress) error { cancel(); return nil }}
	cells := 0
	err := r.Run(ctx, none, func(Outcome) error { cells++; return nil })
	if !errors.Is(err, context.Canceled) || cells > 1 {
		t.Errorf("%d cells after the end, error %v", cells, err)
	}
}

// Progress never goes back, ends at 1, and counts what was passed over.
func TestProgress(t *testing.T) {
	plan := smallPlan()
	plan.Systems = plan.Systems[:2]
	var last Progress
	r := Runner{Suite: small(), Plan: plan, Workers: 1, Report: func(p Progress) error {
		if p.Share < last.Share || p.Done < last.Done || !(p.Left >= 0) {
			t.Errorf("%+v after %+v", p, last)
		}
		last = p
		return nil
	}}
	passed := r.Cells()[0]
	run(t, &r, func(c Cell) bool { return c == passed })
	if last.Share < .999 || last.Cells != len(r.Cells()) || last.Done != last.Cells-1 {
		t.Errorf("at the end: %+v of %d cells", last, len(r.Cells()))
	}
}

// By a clock that goes on by one second whenever it is read, each part of an
// answer takes one: search, classify, score, predict, fuse. Zero-shot needs score
// and fuse; a LinProbe needs no search but for near.
func TestCostByHand(t *testing.T) {
	plan := smallPlan()
	plan.Protocols = []Protocol{LongTail}
	plan.LongTailRule = false
	plan.Rules = []fusion.Rule{fusion.ZeroShot, fusion.AIMEmb, fusion.Near}
	plan.Systems = []System{{Kind: fusion.KNNWAvg}, {Kind: fusion.LinProbe}}
	want := map[fusion.System][]float64{fusion.KNNWAvg: {2, 5, 5}, fusion.LinProbe: {2, 4, 5}}
	rows := run(t, &Runner{Suite: small(), Plan: plan, Workers: 1}, none)
	for i, r := range rows {
		if got := r.Cost.Answer / float64(r.Cost.Answers); got != want[r.System.Kind][i%3] {
			t.Errorf("%s, %s: %g s an image, want %g", r.System, r.Rule, got, want[r.System.Kind][i%3])
		}
		// 24 numbers of 4 bytes, 8 or less for the length, a label.
		if per := r.Cost.Bytes / r.Exemplars; per < 24*4+4 || per > 24*4+12 {
			t.Errorf("%s: %d bytes an exemplar", r.System, per)
		}
		if r.Cost.Place != 1 || r.Cost.Train != 1 || r.Cost.Lessons != r.Exemplars {
			t.Errorf("%+v", r.Cost)
		}
	}
}

func TestRowsGoThroughJSON(t *testing.T) {
	o := Outcome{Cell: Cell{Protocol: DataIncremental, System: System{Kind: fusion.Tree, Psi: 5}, Taught: "a", Seed: 1 << 63}}
	o.Rows = []Row{{Cell: o.Cell, Rule: fusion.Near, LongTailRule: true, Scores: []Score{score("a", 1, 2)}, Bins: []eval.Bin{{Asked: 1, Right: 1, Confidence: .5}}}}
	line, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var back Outcome
	if err := json.Unmarshal(line, &back); err != nil || !reflect.DeepEqual(o, back) {
		t.Errorf("%s became %+v: %v", line, back, err)
	}
}

func TestParseSystem(t *testing.T) {
	tests := []struct {
		text string
		want System
		fail string
	}{
		{"tree", System{Kind: fusion.Tree}, ""},
		{"tree,psi=5000,k=6,tau=1", System{fusion.Tree, 5000, 6, 1}, ""},
		{"tree,psi=50000,k=9", System{Kind: fusion.Tree}, ""},
		{"linprobe,psi=10", System{Kind: fusion.LinProbe}, ""},
		{"forest", System{}, "choose one of tree"},
		{"tree,depth=3", System{}, "choose of psi, k, tau"},
		{"tree,psi=many", System{}, "psi=many"},
		{"tree,k=-1", System{}, "below 0"},
	}
	for _, tt := range tests {
		got, err := ParseSystem(tt.text)
		if tt.fail != "" {
			if err == nil || !strings.Contains(err.Error(), tt.fail) {
				t.Errorf("%s: error %v, want %q in it", tt.text, err, tt.fail)
			}
			continue
		}
		if err != nil || got != tt.want {
			t.Errorf("%s: %+v, %v; want %+v", tt.text, got, err, tt.want)
		}
		if again, err := ParseSystem(got.String()); err != nil || again != got {
			t.Errorf("%s reads back as %+v, %v", got, again, err)
		}
	}
}

func TestChecks(t *testing.T) {
	suites := map[string]func(*Suite){
		"no target task":      func(s *Suite) { s.Tasks = s.Tasks[2:] },
		"two tasks":           func(s *Suite) { s.Tasks[1].Name = s.Tasks[0].Name },
		"logit scale":         func(s *Suite) { s.Tau = 0 },
		"no unit vector":      func(s *Suite) { s.Tasks[0].Texts[1] = s.Tasks[0].Train.Vectors[0] },
		"one for each":        func(s *Suite) { s.Tasks[0].Texts = s.Tasks[0].Texts[:2] },
		"no test images":      func(s *Suite) { s.Tasks[1].Test = Split{} },
		"no training images":  func(s *Suite) { s.Tasks[0].Train = Split{} },
		"label 5 of 5":        func(s *Suite) { s.Tasks[0].Test.Labels[3] = 5 },
		"embedding 2 is not":  func(s *Suite) { s.Tasks[0].Train.Vectors[2] = make([]float32, 3) },
		"59 labels":           func(s *Suite) { s.Tasks[0].Train.Labels = s.Tasks[0].Train.Labels[:59] },
		"lesson 0 of the log": func(s *Suite) { s.Log = []Lesson{{Task: 2}} },
	}
	for want, spoil := range suites {
		s := small()
		spoil(&s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
	plans := map[string]func(*Plan){
		"at least one system": func(p *Plan) { p.Systems = nil },
		"exemplar system":     func(p *Plan) { p.Systems[0].Kind = "x" },
		"fusion rule":         func(p *Plan) { p.Rules[0] = "x" },
		"comes with":          func(p *Plan) { p.Protocols[0] = Flexible },
		"unknown protocol":    func(p *Plan) { p.Protocols[0] = "x" },
		"must grow":           func(p *Plan) { p.Fractions = []float64{.5, .2} },
		"imbalance":           func(p *Plan) { p.Imbalance = .5 },
		"at least 1":          func(p *Plan) { p.Orders = 0 },
	}
	for want, spoil := range plans {
		p := DefaultPlan()
		spoil(&p)
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
}

// Found by the graph, neighbours are those of a scan but for some that are missing:
// most rows are the same. Stages are told as they end, with processors' seconds.
func TestGraph(t *testing.T) {
	suite := Synthetic(Shape{Dim: 8, Targets: 1, Classes: 5, Train: 1000, Test: 10}, 3)
	plan := smallPlan()
	plan.Systems, plan.Protocols = []System{{Kind: fusion.KNNMV}}, []Protocol{TaskIncremental}
	plan.Rules, plan.LongTailRule = []fusion.Rule{fusion.Exemplar}, false
	scanned := run(t, &Runner{Suite: suite, Plan: plan, Workers: 2}, none)
	plan.Graph = true
	var told []Row
	used := 0.0
	found := run(t, &Runner{Suite: suite, Plan: plan, Workers: 2, Processors: func() float64 { used++; return used },
		Stage: func(rows []Row) { told = append(told, rows...) }}, none)
	if len(found) != len(scanned) || !reflect.DeepEqual(told, found) {
		t.Fatalf("%d rows, %d of a scan; told of %d", len(found), len(scanned), len(told))
	}
	if c := found[0].Cost; c.TaughtProcessors != 1 || c.AskedProcessors != 1 {
		t.Errorf("processors: %+v", c)
	}
	if d := found[0].Scores[0].Right - scanned[0].Scores[0].Right; d < -2 || d > 2 {
		t.Errorf("%d of 50 right by the graph, %d by a scan", found[0].Scores[0].Right, scanned[0].Scores[0].Right)
	}
}
