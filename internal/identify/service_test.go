package identify_test

import (
	"context"
	"fmt"
	"image/color"
	"math"
	"strings"
	"sync"
	"testing"

	"fieldmark/internal/fusion"
	"fieldmark/internal/identify"
)

var (
	red    = color.RGBA{250, 20, 20, 255}
	redder = color.RGBA{245, 25, 18, 255}
	green  = color.RGBA{20, 250, 20, 255}
	purple = color.RGBA{180, 20, 200, 255}
	violet = color.RGBA{176, 24, 204, 255}
)

func TestAnEmptyMemoryIsZeroShot(t *testing.T) {
	f := newFixture(t)
	p, err := f.Classify(context.Background(), paint(t, red), identify.Question{})
	must(t, err)
	if p.Candidates[0].Scientific != "Rubus ruber" || p.WeightExemplar != 0 || p.Seq != 0 || len(p.Neighbours) != 0 {
		t.Errorf("%+v", p)
	}
	sum := 0.0
	for _, c := range p.Candidates {
		if c.Probability != c.ZeroShot {
			t.Errorf("%s: %g, zero-shot %g", c.Label, c.Probability, c.ZeroShot)
		}
		sum += c.Probability
	}
	if math.Abs(sum-1) > 1e-5 {
		t.Errorf("probabilities sum to %g", sum)
	}
}

// A name that nothing knows is taught with one photo; the next photo of the
// same thing is named so, and what it is not stays as it was.
func TestALessonIsLearnedAtOnce(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	o := f.see(t, purple)
	c, err := f.Identify(ctx, f.Owner, o.ID, identify.Answer{Label: " Jabber  berry "}, identify.Question{})
	must(t, err)
	if c.Before.Candidates[0].Label == "Jabber berry" || c.After.Candidates[0].Label != "Jabber berry" || c.After.Seq != c.Seq {
		t.Errorf("before %v, after %v", c.Before.Candidates, c.After.Candidates)
	}
	p, err := f.Classify(ctx, paint(t, violet), identify.Question{})
	must(t, err)
	if top := p.Candidates[0]; top.Label != "Jabber berry" || !top.Local || top.Exemplars != 1 || p.Neighbours[0].Observation != o.ID || p.Neighbours[0].TaughtBy == "" {
		t.Errorf("the next photo of it: %+v near %+v", top, p.Neighbours)
	}
	p, err = f.Classify(ctx, paint(t, green), identify.Question{})
	must(t, err)
	if p.Candidates[0].Scientific != "Rubus glaucus" {
		t.Errorf("another photo became %q", p.Candidates[0].Label)
	}
	again := f.see(t, violet)
	c2, err := f.Identify(ctx, f.Owner, again.ID, identify.Answer{Label: "jabber BERRY"}, identify.Question{})
	must(t, err)
	if c2.Identification.Taxon != c.Identification.Taxon {
		t.Error("the same name in other letters made another taxon")
	}
}

// The same photo, sent twice and named differently, comes out as it was named
// last.
func TestTheLastCorrectionOfAPhotoIsFollowed(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	for _, name := range []string{"Red Bramble", "Blue Bramble", "Jabber berry", "Blue Bramble"} {
		c, err := f.Identify(ctx, f.Owner, f.see(t, purple).ID, identify.Answer{Label: name}, identify.Question{})
		must(t, err)
		if got := c.After.Candidates[0].Label; got != name {
			t.Errorf("taught %s, answered %s", name, got)
		}
	}
}

func TestUndoRestoresWhatWas(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	for _, x := range []color.RGBA{red, redder, green} {
		_, err := f.Identify(ctx, f.Owner, f.see(t, x).ID, identify.Answer{Taxon: 4}, identify.Question{})
		must(t, err)
	}
	f.settled(t)
	o := f.see(t, purple)
	all := identify.Question{Top: 100}
	before, err := f.Predict(ctx, o.ID, all)
	must(t, err)
	c, err := f.Identify(ctx, f.Owner, o.ID, identify.Answer{Label: "Grue"}, all)
	must(t, err)
	if c.After.Candidates[0].Label != "Grue" {
		t.Errorf("Grue taught, %q answered", c.After.Candidates[0].Label)
	}
	_, err = f.Withdraw(ctx, f.Owner, o.ID, c.Identification.ID, all)
	must(t, err)
	f.settled(t)
	after, err := f.Predict(ctx, o.ID, all)
	must(t, err)
	same(t, before, after, 1e-4)
}

func TestARestartChangesNoAnswer(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	for i := range 50 { // more than a leaf of 20 takes, so that leaves split
		o := f.see(t, color.RGBA{uint8(5 * i), uint8(255 - 5*i), uint8(i * i), 255})
		_, err := f.Identify(ctx, f.Owner, o.ID, identify.Answer{Taxon: identify.TaxonID(3 + i%3)}, identify.Question{})
		must(t, err)
	}
	f.settled(t)
	before := everyAnswer(t, f)
	f.restart(t)
	f.settled(t)
	for i, after := range everyAnswer(t, f) {
		same(t, before[i], after, 1e-4)
	}
	stats, err := f.Stats(ctx)
	must(t, err)
	if stats.Exemplars != 50 || stats.Seq != 50 || stats.Leaves < 2 {
		t.Errorf("%+v", stats)
	}
	r, err := identify.Verify(ctx, f.Config)
	must(t, err)
	if len(r.Problems) > 0 || r.Exemplars != 50 || r.Photos != 50 {
		t.Errorf("%+v", r)
	}
}

// everyAnswer reads one photo by every rule and system, in the long-tail variant
// too, over all candidates and over fewer than were taught.
func everyAnswer(t *testing.T, f *fixture) (all []identify.Prediction) {
	t.Helper()
	for _, rule := range fusion.Rules() {
		for _, system := range fusion.Systems() {
			for _, labels := range [][]string{nil, {"Red Bramble", "Green Bramble", "Something else"}} {
				q := identify.Question{Rule: rule, System: system, LongTail: labels != nil, Labels: labels, Top: 100}
				p, err := f.Classify(context.Background(), paint(t, violet), q)
				must(t, err)
				sum := 0.0
				for _, c := range p.Candidates {
					sum += c.Probability
				}
				if math.Abs(sum-1) > 1e-5 {
					t.Errorf("%s, %s: probabilities sum to %g", rule, system, sum)
				}
				all = append(all, p)
			}
		}
	}
	return all
}

// Thirty people teach at once; everyone is answered by a memory that has their
// own lesson in it. Their photos are too far apart to be taken for copies.
func TestManyTeachAtOnce(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	var people sync.WaitGroup
	for i := range 30 {
		o := f.see(t, color.RGBA{uint8(8 * i), uint8(250 - 8*i), uint8(40 + 160*(i%2)), 255})
		people.Go(func() {
			c, err := f.Identify(ctx, f.Owner, o.ID, identify.Answer{Label: fmt.Sprintf("Thing %c", 'A'+i)}, identify.Question{})
			if err != nil {
				t.Error(err)
			} else if c.After.Candidates[0].Taxon != c.Identification.Taxon {
				t.Errorf("person %d: %s taught, %s answered", i, c.Identification.TaxonLabel, c.After.Candidates[0].Label)
			}
		})
	}
	people.Wait()
	stats, err := f.Stats(ctx)
	must(t, err)
	if stats.Seq != 30 || stats.Exemplars != 30 || stats.Labels != 30 {
		t.Errorf("%+v", stats)
	}
}

func TestCandidateLabels(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	p, err := f.Classify(ctx, paint(t, red), identify.Question{Labels: []string{"red bramble", "Rubus ruber", "something", "SOMETHING", "Blue Bramble"}})
	must(t, err)
	if p.Total != 3 || p.Candidates[0].Label != "red bramble" || p.Candidates[0].Taxon != 3 {
		t.Errorf("%d candidates, the first %+v", p.Total, p.Candidates[0])
	}
	for field, q := range map[string]identify.Question{
		"label":     {Labels: []string{"fine", strings.Repeat("x", 10_000)}},
		"label_set": {LabelSet: 99},
		"fusion":    {Rule: "magic"},
		"system":    {System: "magic"},
		"top":       {Top: -1},
	} {
		_, err := f.Classify(ctx, paint(t, red), q)
		e, is := err.(*identify.Error)
		if !is || e.Field != field {
			t.Errorf("%+v: %v, want an error about %s", q, err, field)
		} else if e.Format == "" || e.Message[0] < 'A' || e.Message[0] > 'Z' {
			t.Errorf("%q can be said in no other language, or is no sentence", e.Message)
		}
	}
}

// What the photo tower has never learned to see is a candidate where it is
// asked for, and everywhere once it was taught.
func TestWhatWasNeverSeenIsLearned(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	total := func(q identify.Question) int {
		p, err := f.Classify(ctx, paint(t, purple), q)
		must(t, err)
		for _, c := range p.Candidates {
			if c.Seen == (c.Taxon == unseen) {
				t.Errorf("%s: seen %v", c.Label, c.Seen)
			}
		}
		return p.Total
	}
	set := identify.Question{LabelSet: f.Config.DefaultSet}
	if got, asked := total(identify.Question{}), total(set); got != 3 || asked != 4 {
		t.Errorf("%d candidates, %d where asked for; want 3 and 4", got, asked)
	}
	c, err := f.Identify(ctx, f.Owner, f.see(t, purple).ID, identify.Answer{Taxon: unseen}, identify.Question{})
	must(t, err)
	if got := total(identify.Question{}); got != 4 || c.After.Candidates[0].Taxon != unseen {
		t.Errorf("once taught: %d candidates, the first %s", got, c.After.Candidates[0].Label)
	}
	_, err = f.Withdraw(ctx, f.Owner, 1, c.Identification.ID, identify.Question{})
	must(t, err)
	if got := total(identify.Question{}); got != 3 {
		t.Errorf("taken back: %d candidates", got)
	}
}

func TestWhoMayDoWhat(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	o := f.see(t, red)
	c, err := f.Identify(ctx, f.Owner, o.ID, identify.Answer{Taxon: 3}, identify.Question{})
	must(t, err)
	viewer := identify.User{ID: 77, Role: identify.Viewer}
	expert := identify.User{ID: 78, Role: identify.Expert}
	_, _, observe := f.Observe(ctx, viewer, identify.Upload{Photo: paint(t, red)}, identify.Question{})
	_, teach := f.Identify(ctx, viewer, o.ID, identify.Answer{Taxon: 3}, identify.Question{})
	_, withdraw := f.Withdraw(ctx, expert, o.ID, c.Identification.ID, identify.Question{})
	_, list := f.AddLabelSet(ctx, expert, "Mine", []string{"Red Bramble"}, nil)
	_, export := f.Export(ctx, expert, identify.ExportRequest{})
	for name, err := range map[string]error{"export": export, "observe": observe, "teach": teach, "withdraw another's": withdraw, "make a label set": list} {
		if identify.KindOf(err) != identify.Forbidden {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestErrorsOfACorrectionTeachNothing(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	o := f.see(t, red)
	for _, tc := range []struct {
		id   identify.ObservationID
		a    identify.Answer
		kind identify.ErrorKind
	}{
		{o.ID, identify.Answer{}, identify.Invalid},
		{o.ID, identify.Answer{Taxon: 3, Label: "both"}, identify.Invalid},
		{o.ID, identify.Answer{Taxon: 999}, identify.Invalid},
		{o.ID, identify.Answer{Label: strings.Repeat("y", 10_000)}, identify.Invalid},
		{o.ID + 5, identify.Answer{Taxon: 3}, identify.NotFound},
	} {
		if _, err := f.Identify(ctx, f.Owner, tc.id, tc.a, identify.Question{}); identify.KindOf(err) != tc.kind {
			t.Errorf("%+v: %v, want %s", tc, err, tc.kind)
		}
	}
	stats, err := f.Stats(ctx)
	must(t, err)
	if stats.Seq != 0 || stats.Exemplars != 0 {
		t.Errorf("%+v", stats)
	}
}

// same compares two answers candidate by candidate.
func same(t *testing.T, a, b identify.Prediction, within float64) {
	t.Helper()
	p := map[string]float64{}
	for _, c := range a.Candidates {
		p[c.Label] = c.Probability
	}
	if len(a.Candidates) != len(b.Candidates) {
		t.Errorf("%s, %s: %d candidates, then %d", a.Rule, a.System, len(a.Candidates), len(b.Candidates))
	}
	for _, c := range b.Candidates {
		if d := math.Abs(p[c.Label] - c.Probability); d > within {
			t.Errorf("%s, %s: %s was %g and is %g", a.Rule, a.System, c.Label, p[c.Label], c.Probability)
		}
	}
}
