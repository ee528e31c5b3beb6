package identify_test

import (
	"context"
	"image/color"
	"math"
	"testing"

	"fieldmark/internal/identify"
)

// workshop is a memory that two people taught: the owner rightly, Ben every red thing
// as blue.
func workshop(t *testing.T) (f *fixture, ben identify.User, reds []identify.Observation) {
	t.Helper()
	f = newFixture(t)
	ben = identify.User{ID: f.another(t), Name: "Ben", Role: identify.Expert}
	for i := range uint8(8) {
		red := f.see(t, color.RGBA{R: 200 + i, G: 3 * i, A: 255})
		blue := f.see(t, color.RGBA{B: 200 + i, G: 3 * i, A: 255})
		reds = append(reds, red)
		f.say(t, f.Owner, red, 3)
		f.say(t, f.Owner, blue, 5)
		if i < 6 {
			f.say(t, ben, f.see(t, color.RGBA{R: 210 + i, G: 2 + 3*i, A: 255}), 5)
		}
	}
	f.settled(t)
	return f, ben, reds
}

func (f *fixture) say(t *testing.T, u identify.User, o identify.Observation, taxon identify.TaxonID) identify.Correction {
	t.Helper()
	c, err := f.Identify(context.Background(), u, o.ID, identify.Answer{Taxon: taxon}, identify.Question{})
	must(t, err)
	return c
}

func (f *fixture) read(t *testing.T, o identify.Observation) identify.Prediction {
	t.Helper()
	p, err := f.Predict(context.Background(), o.ID, identify.Question{})
	must(t, err)
	return p
}

func (f *fixture) exemplars(t *testing.T) int {
	t.Helper()
	s, err := f.Stats(context.Background())
	must(t, err)
	return s.Exemplars
}

func (f *fixture) sound(t *testing.T) {
	t.Helper()
	r, err := identify.Verify(context.Background(), f.Config)
	must(t, err)
	for _, p := range r.Problems {
		t.Error(p)
	}
}

func sameAnswer(t *testing.T, what string, a, b identify.Prediction) {
	t.Helper()
	for i := range a.Candidates {
		if x, y := a.Candidates[i], b.Candidates[i]; x.Taxon != y.Taxon || math.Abs(x.Probability-y.Probability) > 1e-4 {
			t.Errorf("%s: %s %.5f, then %s %.5f", what, x.Label, x.Probability, y.Label, y.Probability)
		}
	}
}

// What a person taught leaves the memory, stays out over a restart, waits with what
// they teach meanwhile, and comes back exactly.
func TestQuarantineAndRelease(t *testing.T) {
	ctx := context.Background()
	f, ben, _ := workshop(t)
	of := identify.Source{User: ben.ID}
	odd := f.see(t, color.RGBA{R: 213, G: 9, A: 255})
	all, before := f.exemplars(t), f.read(t, odd)
	q, err := f.BeginQuarantine(ctx, f.Owner, of, " reds  are not blue ")
	must(t, err)
	if q.Lessons != 6 || q.Reason != "reds are not blue" || f.exemplars(t) != all-6 {
		t.Errorf("%+v; %d of %d exemplars stand", q, f.exemplars(t), all)
	}
	f.settled(t)
	without := f.read(t, odd)
	if without.Candidates[0].Taxon != 3 {
		t.Errorf("without Ben a red thing is %s", without.Candidates[0].Label)
	}
	for _, n := range without.Neighbours {
		if n.TaughtBy == "Ben" {
			t.Error("what is in quarantine is still found")
		}
	}
	f.sound(t)
	f.restart(t)
	f.settled(t)
	sameAnswer(t, "after a restart", without, f.read(t, odd))
	held := f.say(t, ben, odd, 5)
	if !held.Identification.Quarantined || held.After.Candidates[0].Taxon != 3 || f.exemplars(t) != all-6 {
		t.Errorf("a lesson of someone in quarantine: %+v", held.Identification)
	}
	_, err = f.Withdraw(ctx, ben, odd.ID, held.Identification.ID, identify.Question{})
	must(t, err)
	f.sound(t)
	_, err = f.EndQuarantine(ctx, f.Owner, of, identify.Restored)
	must(t, err)
	f.settled(t)
	if f.exemplars(t) != all {
		t.Errorf("%d exemplars came back, of %d", f.exemplars(t), all)
	}
	sameAnswer(t, "after the release", before, f.read(t, odd))
	f.sound(t)
	_, err = f.BeginQuarantine(ctx, f.Owner, of, "")
	must(t, err)
	_, err = f.EndQuarantine(ctx, f.Owner, of, identify.Removed)
	must(t, err)
	f.restart(t)
	if f.exemplars(t) != all-6 {
		t.Errorf("%d exemplars stand after the removal", f.exemplars(t))
	}
	f.sound(t)
}

// A preview sees that things get better without whoever taught nonsense, and worse
// without whoever taught what is so; and touches nothing.
func TestPreviewOfAQuarantine(t *testing.T) {
	ctx := context.Background()
	f, ben, reds := workshop(t)
	for _, o := range reds[:3] { // someone else's word on photos that Ben did not teach
		_ = f.see(t, color.RGBA{R: 212, G: 4, B: uint8(o.ID), A: 255})
	}
	before, all := f.read(t, reds[0]), f.exemplars(t)
	p, err := f.PreviewQuarantine(ctx, f.Owner, identify.Source{User: ben.ID})
	must(t, err)
	if p.Lessons != 6 || p.Named != 16 || p.Unnamed != 9 {
		t.Errorf("%d lessons, asked about %d and %d", p.Lessons, p.Named, p.Unnamed)
	}
	if p.Without <= p.With || p.Without != 16 || p.Changed < p.Without-p.With || len(p.List) != p.Changed {
		t.Errorf("%d of %d are right with Ben, %d without; %d change, %d listed", p.With, p.Named, p.Without, p.Changed, len(p.List))
	}
	if c := p.List[0]; !c.After.Right || c.Before.Right || c.Truth.Label != "Red Bramble" || c.Before.Taxon != 5 || c.After.Taxon != 3 {
		t.Errorf("first of the list: %+v", c)
	}
	sameAnswer(t, "after a look", before, f.read(t, reds[0]))
	if f.exemplars(t) != all {
		t.Error("looking took exemplars out")
	}
	f.sound(t)
	own, err := f.PreviewQuarantine(ctx, f.Owner, identify.Source{User: f.Owner.ID})
	must(t, err)
	if own.Named != 6 {
		t.Errorf("Ben alone named %d", own.Named)
	}
}

func TestQuarantineIsForCurators(t *testing.T) {
	ctx := context.Background()
	f, ben, _ := workshop(t)
	of := identify.Source{User: f.Owner.ID}
	_, err1 := f.Sources(ctx, ben)
	_, err2 := f.PreviewQuarantine(ctx, ben, of)
	_, err3 := f.BeginQuarantine(ctx, ben, of, "")
	_, err4 := f.EndQuarantine(ctx, ben, of, identify.Restored)
	_, _, err5 := f.History(ctx, ben, identify.HistoryFilter{})
	for i, err := range []error{err1, err2, err3, err4, err5} {
		if identify.KindOf(err) != identify.Forbidden {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// Each photo is tested before it is taught, once, and judged by the name that it goes
// by today.
func TestTestThenTrain(t *testing.T) {
	ctx := context.Background()
	f := newFixture(t)
	red, again, ignored := f.see(t, color.RGBA{R: 200, A: 255}), f.see(t, color.RGBA{R: 200, A: 255}), f.see(t, color.RGBA{B: 200, A: 255})
	f.say(t, f.Owner, red, 4)              // wrong: the answer was red
	f.say(t, f.Owner, again, 3)            // the same photo: no test
	f.say(t, f.Owner, ignored, 5)          // the answer was blue
	taken := f.say(t, f.Owner, ignored, 4) // named anew: no test
	c := f.see(t, color.RGBA{G: 200, A: 255})
	hidden := f.say(t, f.Owner, c, unseen) // was no candidate
	l, err := f.Learning(ctx)
	must(t, err)
	if l.Counts.Lessons != 5 || l.Counts.Repeated != 2 || l.Fused.Asked != 3 {
		t.Fatalf("%+v, %d counted", l.Counts, l.Fused.Asked)
	}
	if l.ZeroShot.Right != 0 { // they go by 4, 4 and unseen today
		t.Errorf("%d right zero-shot", l.ZeroShot.Right)
	}
	if len(l.Groups) != 1 || l.Groups[0].Group != "plants" || l.Groups[0].Unknown != 1 {
		t.Errorf("%+v", l.Groups)
	}
	f.say(t, f.Owner, red, 3)
	_, err = f.Withdraw(ctx, f.Owner, ignored.ID, taken.Identification.ID, identify.Question{})
	must(t, err)
	_, err = f.Withdraw(ctx, f.Owner, c.ID, hidden.Identification.ID, identify.Question{})
	must(t, err)
	if l, err = f.Learning(ctx); err != nil || l.Fused.Asked != 1 || l.ZeroShot.Right != 1 || l.Counts.Unnamed != 2 {
		t.Errorf("%+v, %d of %d right, %v", l.Counts, l.ZeroShot.Right, l.Fused.Asked, err)
	}
	if l.Sure.Measured || l.Sure.Value != 0.6 {
		t.Errorf("threshold %+v", l.Sure.Threshold)
	}
	if p := f.read(t, red); p.Headline.From != 0.6 {
		t.Errorf("said from %v on", p.Headline.From)
	}
}
