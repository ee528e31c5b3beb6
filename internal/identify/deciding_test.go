package identify_test

import (
	"context"
	"image/color"
	"math"
	"slices"
	"testing"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/store"
)

func ids(list []identify.Waiting) (out []identify.ObservationID) {
	for _, w := range list {
		out = append(out, w.Observation)
	}
	return out
}

func (f *fixture) queue(t *testing.T) identify.Queue {
	t.Helper()
	q, err := f.Queue(t.Context(), f.Owner, 0, identify.ByTime)
	must(t, err)
	return q
}

// described are the photos of a queue.
func (f *fixture) described(t *testing.T, q identify.Queue) []identify.Waiting {
	t.Helper()
	list, err := f.Waiting(t.Context(), f.Owner, queuedIDs(q.List))
	must(t, err)
	return list
}

func queuedIDs(list []identify.Queued) (out []identify.ObservationID) {
	for _, w := range list {
		out = append(out, w.Observation)
	}
	return out
}

// nearlyRed are n photos of nearly one red.
func (f *fixture) nearlyRed(t *testing.T, n int) (list []identify.ObservationID) {
	t.Helper()
	for i := range n {
		list = append(list, f.see(t, color.RGBA{200, uint8(40 + i), 30, 255}).ID)
	}
	return list
}

func TestOneDecisionNamesMany(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	list := f.nearlyRed(t, 4)
	other := f.see(t, color.RGBA{0, 0, 250, 255})
	before, err := f.Predict(ctx, list[3], identify.Question{})
	must(t, err)
	d, err := f.TeachMany(ctx, f.Owner, list[:3], identify.Answer{Taxon: unseen})
	must(t, err)
	if d.Seq != 3 || d.Label != "Hidden Bramble" || len(d.Decision.Items) != 3 {
		t.Fatalf("decided %+v", d)
	}
	if got := queuedIDs(f.queue(t).List); !slices.Equal(got, []identify.ObservationID{list[3], other.ID}) {
		t.Errorf("there wait %v", got)
	}
	with, err := f.Predict(ctx, list[3], identify.Question{})
	must(t, err)
	if with.Candidates[0].Taxon != unseen || before.Candidates[0].Taxon == unseen {
		t.Errorf("before %q, with the lesson %q", before.Candidates[0].Label, with.Candidates[0].Label)
	}
	last, err := f.LastDecision(ctx, f.Owner)
	must(t, err)
	if last == nil || last.ID != d.Decision.ID {
		t.Fatalf("the last decision is %+v", last)
	}

	undone, err := f.Undo(ctx, f.Owner, 0)
	must(t, err)
	if len(undone.Decision.Items) != 3 || !undone.Decision.Undone {
		t.Errorf("undone %+v", undone.Decision)
	}
	if n := len(f.queue(t).List); n != 5 {
		t.Errorf("after the undo %d wait", n)
	}
	without, err := f.Predict(ctx, list[3], identify.Question{})
	must(t, err)
	if a, b := without.Candidates[0], before.Candidates[0]; a.Taxon != b.Taxon || a.Probability != b.Probability {
		t.Errorf("after the undo %q %v, before the lesson %q %v", a.Label, a.Probability, b.Label, b.Probability)
	}
	if _, err := f.Undo(ctx, f.Owner, 0); identify.KindOf(err) != identify.Conflict {
		t.Errorf("undone twice: %v", err)
	}
}

// One photo that cannot be taught keeps the others from it, and is named.
func TestTheQueueSaysFromWhichChanceOnANameIsSaid(t *testing.T) {
	f := newFixture(t)
	o := f.see(t, color.RGBA{R: 200, A: 255})
	p, err := f.Predict(t.Context(), o.ID, identify.Question{})
	must(t, err)
	q := f.queue(t)
	list := f.described(t, q)
	if len(list) != 1 || p.Headline.From == 0 || list[0].Reading.From != p.Headline.From {
		t.Errorf("the queue: %+v; the photo's page: from %v on", list, p.Headline.From)
	}
}

func TestADecisionIsAllOrNothing(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	list := f.nearlyRed(t, 3)
	_, err := f.Identify(ctx, f.Owner, list[1], identify.Answer{Taxon: 3}, identify.Question{})
	must(t, err)
	_, err = f.TeachMany(ctx, f.Owner, list, identify.Answer{Taxon: 3})
	if identify.KindOf(err) != identify.Conflict || err.Error() != "Observation 2: You have identified this observation as Red Bramble already. Nothing was stored, of the others neither." {
		t.Errorf("refused with %v", err)
	}
	stats, err := f.Stats(ctx)
	must(t, err)
	if stats.Exemplars != 1 || len(f.queue(t).List) != 2 {
		t.Errorf("%d exemplars, %d wait", stats.Exemplars, len(f.queue(t).List))
	}
	for name, bad := range map[string][]identify.ObservationID{"nothing": nil, "twice": {1, 3, 1}, "too many": make([]identify.ObservationID, 501)} {
		if _, err := f.TeachMany(ctx, f.Owner, bad, identify.Answer{Taxon: 3}); identify.KindOf(err) != identify.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	viewer := identify.User{ID: f.Owner.ID, Role: identify.Viewer}
	if _, err := f.TeachMany(ctx, viewer, list, identify.Answer{Taxon: 3}); identify.KindOf(err) != identify.Forbidden {
		t.Errorf("a viewer: %v", err)
	}
}

func TestSkipAndSetAside(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	list := f.nearlyRed(t, 4)
	_, err := f.Skip(ctx, f.Owner, list[:1])
	must(t, err)
	aside, err := f.SetAside(ctx, f.Owner, list[1:2])
	must(t, err)
	if got := queuedIDs(f.queue(t).List); !slices.Equal(got, []identify.ObservationID{3, 4, 1}) {
		t.Errorf("there wait %v", got)
	}
	asides, err := f.Asides(ctx, f.Owner)
	must(t, err)
	if len(asides) != 1 || asides[0].Observation.ID != list[1] || asides[0].UserName != f.Owner.Name {
		t.Errorf("set aside: %+v", asides)
	}
	// Undoing takes back the last first.
	_, err = f.Undo(ctx, f.Owner, 0)
	must(t, err)
	_, err = f.Undo(ctx, f.Owner, 0)
	must(t, err)
	if got := queuedIDs(f.queue(t).List); !slices.Equal(got, []identify.ObservationID{1, 2, 3, 4}) {
		t.Errorf("after both undos there wait %v", got)
	}
	aside, err = f.SetAside(ctx, f.Owner, list[:2])
	must(t, err)
	stranger := identify.User{ID: f.Owner.ID + 1, Role: identify.Expert}
	if _, err := f.PutBack(ctx, stranger, aside.Decision.ID, list[0]); identify.KindOf(err) != identify.Forbidden {
		t.Errorf("an expert puts back what another set aside: %v", err)
	}
	_, err = f.PutBack(ctx, f.Owner, aside.Decision.ID, list[0])
	must(t, err)
	if got := queuedIDs(f.queue(t).List); !slices.Equal(got, []identify.ObservationID{1, 3, 4}) {
		t.Errorf("with one put back there wait %v", got)
	}
}

// What else a lesson changed is what reading every photo with the memory before and
// after says.
func TestChangedElsewhere(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	reds := f.nearlyRed(t, 3)
	blue := f.see(t, color.RGBA{0, 0, 250, 255}).ID
	all := append(slices.Clone(reds[1:]), blue)
	read := func() (list []identify.Candidate) {
		for _, id := range all {
			p, err := f.Predict(ctx, id, identify.Question{})
			must(t, err)
			list = append(list, p.Candidates[0])
		}
		return list
	}
	before := read()
	c, err := f.Identify(ctx, f.Owner, reds[0], identify.Answer{Label: "My bramble"}, identify.Question{})
	must(t, err)
	after := read()
	changed, err := f.Changed(ctx, f.Owner, c.Seq)
	must(t, err)
	if changed.Looked != 3 || changed.Waiting != 3 {
		t.Errorf("looked at %d of %d", changed.Looked, changed.Waiting)
	}
	want := 0
	for i, id := range all {
		at := slices.IndexFunc(changed.List, func(x identify.ChangedReading) bool { return x.Observation == id })
		differs := before[i].Taxon != after[i].Taxon || (before[i].Probability >= 0.6) != (after[i].Probability >= 0.6) && math.Abs(before[i].Probability-after[i].Probability) >= 0.05
		if differs != (at >= 0) {
			t.Errorf("observation %d: before %q %v, after %q %v, listed: %t", id, before[i].Label, before[i].Probability, after[i].Label, after[i].Probability, at >= 0)
		}
		if !differs || at < 0 {
			continue
		}
		want++
		x := changed.List[at]
		if x.Before.Label != before[i].Label || x.Before.Chance != before[i].Probability || x.After.Label != after[i].Label || x.After.Chance != after[i].Probability {
			t.Errorf("observation %d: %+v, want %q %v and %q %v", id, x, before[i].Label, before[i].Probability, after[i].Label, after[i].Probability)
		}
	}
	if want == 0 {
		t.Error("the lesson changed nothing: this test tests nothing")
	}
	if _, err := f.Changed(ctx, f.Owner, c.Seq+1); identify.KindOf(err) != identify.NotFound {
		t.Errorf("what never was: %v", err)
	}
}

// After a lesson the readings that the queue is ordered by come to be the present
// memory's.
func TestReadingsAreRenewed(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	reds := f.nearlyRed(t, 5)
	_, err := f.TeachMany(ctx, f.Owner, reds[:1], identify.Answer{Taxon: unseen})
	must(t, err)
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		q := f.queue(t)
		list := f.described(t, q)
		if !slices.ContainsFunc(list, func(w identify.Waiting) bool { return w.Reading.Seq != q.Seq }) {
			for _, w := range list {
				p, err := f.Predict(context.Background(), w.Observation, identify.Question{})
				must(t, err)
				if r := w.Reading; r.Taxon != p.Candidates[0].Taxon || r.Chance != p.Candidates[0].Probability || r.Second != p.Candidates[1].Probability {
					t.Errorf("read %+v, predicted %+v", r, p.Candidates[:2])
				}
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("still old: %+v", list)
		}
	}
}

func TestGroupsOfLookAlikes(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	reds := f.nearlyRed(t, 4)
	blue := f.see(t, color.RGBA{0, 0, 250, 255}).ID
	g, err := f.Groups(ctx, f.Owner, 0, identify.ByTime)
	must(t, err)
	if len(g.List) != 1 || len(g.List[0].List) != 4 || g.Looked != 5 || g.Lone != 1 {
		t.Fatalf("%+v", g)
	}
	like, err := f.Like(ctx, f.Owner, reds[2])
	must(t, err)
	if got := ids(like.List); got[0] != reds[2] || len(got) != 4 || slices.Contains(got, blue) {
		t.Errorf("like %d are %v", reds[2], got)
	}
	_, err = f.TeachMany(ctx, f.Owner, reds[:2], identify.Answer{Taxon: 3})
	must(t, err)
	if g, err = f.Groups(ctx, f.Owner, 0, identify.ByTime); err != nil || len(g.List) != 1 || len(g.List[0].List) != 2 {
		t.Errorf("with two named: %+v, %v", g, err)
	}
	if _, err := f.Like(ctx, f.Owner, reds[0]); identify.KindOf(err) != identify.NotFound {
		t.Errorf("like one that is named: %v", err)
	}
}

func TestDisputedObservations(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	o := f.nearlyRed(t, 2)[0]
	other := identify.User{ID: f.Owner.ID, Role: identify.Expert}
	_, err := f.Identify(ctx, f.Owner, o, identify.Answer{Taxon: 3}, identify.Question{})
	must(t, err)
	other.ID = f.another(t)
	c, err := f.Identify(ctx, other, o, identify.Answer{Taxon: 4}, identify.Question{})
	must(t, err)
	disputed := func() int {
		list, _, err := f.Observations(ctx, f.Owner, identify.ObservationFilter{Disputed: true})
		must(t, err)
		return len(list)
	}
	obs, err := f.Observation(ctx, f.Owner, o)
	must(t, err)
	community, err := f.Community(ctx, obs)
	must(t, err)
	if disputed() != 1 || !community.Disputed || community.Name.ScientificName != "Rosaceae" || community.For != 2 || community.People != 2 {
		t.Errorf("%d are disputed; together they say %+v", disputed(), community)
	}
	_, err = f.Withdraw(ctx, other, o, c.Identification.ID, identify.Question{})
	must(t, err)
	if disputed() != 0 {
		t.Error("still disputed with one opinion left")
	}
}

// another is a second person who may teach.
func (f *fixture) another(t *testing.T) identify.UserID {
	t.Helper()
	u, err := f.Config.Store.(*store.Store).AddProgram(t.Context(), make([]byte, 32), identify.Token{Name: "Ben", Role: identify.Expert, CreatedBy: f.Owner.ID, CreatedAt: f.Config.Now()})
	must(t, err)
	return u.ID
}
