package identify_test

import (
	"bytes"
	"context"
	"image/color"
	"math"
	"slices"
	"testing"

	"fieldmark/internal/doubt"
	"fieldmark/internal/identify"
)

// gallery is that of a fixture's memory.
func (f *fixture) gallery(t *testing.T) *identify.Gallery {
	t.Helper()
	g := identify.NewGallery(context.Background(), f.Service, f.Config.Store.(identify.GalleryStore))
	t.Cleanup(g.Close)
	return g
}

// teachAs stores a photo of one colour and teaches it.
func (f *fixture) teachAs(t *testing.T, c color.RGBA, taxon identify.TaxonID) identify.Identification {
	t.Helper()
	o := f.see(t, c)
	correction, err := f.Identify(context.Background(), f.Owner, o.ID, identify.Answer{Taxon: taxon}, identify.Question{})
	must(t, err)
	return correction.Identification
}

// brambles teaches eight red, eight green and eight blue photos, and a red one as
// Green Bramble, which is returned.
func (f *fixture) brambles(t *testing.T) (wrong identify.Identification) {
	t.Helper()
	for i := range uint8(8) {
		f.teachAs(t, color.RGBA{200 + 6*i, 10 + 3*i, 5, 255}, 3)
		f.teachAs(t, color.RGBA{5, 200 + 6*i, 10 + 3*i, 255}, 4)
		f.teachAs(t, color.RGBA{10 + 3*i, 5, 200 + 6*i, 255}, 5)
	}
	wrong = f.teachAs(t, color.RGBA{221, 22, 9, 255}, 4)
	f.settled(t)
	return wrong
}

func TestShelvesFollowTheTaxonomy(t *testing.T) {
	f := newFixture(t)
	f.brambles(t)
	g, ctx := f.gallery(t), t.Context()
	top, err := g.Shelf(ctx, 0)
	must(t, err)
	if len(top.Below) != 1 || top.Below[0].Taxon.ID != 1 || top.Exemplars != 25 || top.Below[0].Names != 3 || len(top.Below[0].Photos) != 4 {
		t.Errorf("the top is %+v, want Plantae with 25 exemplars of 3 names", top)
	}
	family, err := g.Shelf(ctx, 2)
	must(t, err)
	if len(family.Path) != 2 || family.Path[0].ID != 1 || len(family.Below) != 3 || family.Below[0].Taxon.ID != 4 || family.Below[0].Exemplars != 9 || family.Own != 0 {
		t.Errorf("the family is %+v, want Green Bramble first, with 9", family)
	}
	species, err := g.Shelf(ctx, 4)
	must(t, err)
	if species.Own != 9 || len(species.Below) != 0 || !slices.Equal(species.Along, []int{25, 25, 25, 9}) {
		t.Errorf("the species is %+v", species)
	}
	if _, err := g.Shelf(ctx, 999); identify.KindOf(err) != identify.NotFound {
		t.Errorf("a taxon that there is not: %v", err)
	}
	teachers, err := g.Teachers(ctx)
	must(t, err)
	if len(teachers) != 1 || teachers[0].Exemplars != 25 || teachers[0].Names != 3 || teachers[0].Most[0].Taxon != 4 {
		t.Errorf("teachers %+v", teachers)
	}
}

func TestExemplarsArePaged(t *testing.T) {
	f := newFixture(t)
	f.brambles(t)
	g, ctx := f.gallery(t), t.Context()
	seen := map[identify.IdentificationID]bool{}
	filter := identify.GalleryFilter{Taxon: 2, Limit: 10}
	for pages := 0; ; pages++ {
		list, more, err := g.Exemplars(ctx, filter)
		must(t, err)
		for _, x := range list {
			if seen[x.Identification] || filter.Before != 0 && x.Identification >= filter.Before {
				t.Fatalf("identification %d comes twice or out of order", x.Identification)
			}
			seen[x.Identification] = true
		}
		if !more {
			break
		}
		filter.Before = list[len(list)-1].Identification
	}
	if len(seen) != 25 {
		t.Errorf("%d exemplars on all pages", len(seen))
	}
	without, _, err := g.Exemplars(ctx, identify.GalleryFilter{Photo: "without"})
	if err != nil || len(without) != 0 {
		t.Errorf("%d came without a photo (%v)", len(without), err)
	}
	if _, _, err := g.Exemplars(ctx, identify.GalleryFilter{Photo: "maybe"}); identify.KindOf(err) != identify.Invalid {
		t.Errorf("a filter that means nothing: %v", err)
	}
}

func TestLeavesHoldAllExemplars(t *testing.T) {
	f := newFixture(t) // ψ is 20: 25 exemplars are in several leaves
	f.brambles(t)
	g, ctx := f.gallery(t), t.Context()
	leaves, err := g.Leaves(ctx)
	must(t, err)
	members, counted := 0, 0
	for _, l := range leaves {
		whole, err := g.Leaf(ctx, l.Leaf, 0)
		must(t, err)
		members += len(whole.Members)
		for _, c := range l.Labels {
			counted += c.Count
		}
		if len(whole.Typical) == 0 || l.Retrained == nil {
			t.Errorf("leaf %d: %d typical exemplars, retrained at %v", l.Leaf, len(whole.Typical), l.Retrained)
		}
	}
	if len(leaves) < 2 || members != 25 || counted != 25 {
		t.Errorf("%d leaves with %d members and %d labels of them", len(leaves), members, counted)
	}
	if _, err := g.Leaf(ctx, 9999, 0); identify.KindOf(err) != identify.NotFound {
		t.Errorf("a leaf that there is not: %v", err)
	}
}

// doubts waits until the newest memory is judged.
func doubts(t *testing.T, g *identify.Gallery, u identify.User, f identify.DoubtFilter) identify.Doubts {
	t.Helper()
	for {
		d, err := g.Doubts(context.Background(), u, f)
		must(t, err)
		if d.Failed {
			t.Fatal("the memory could not be judged")
		}
		if d.Seq == d.Now && !d.At.IsZero() {
			return d
		}
	}
}

func TestAWrongLessonIsInDoubt(t *testing.T) {
	f := newFixture(t)
	wrong := f.brambles(t)
	g := f.gallery(t)
	d := doubts(t, g, f.Owner, identify.DoubtFilter{})
	if len(d.List) == 0 || d.List[0].Exemplar.Identification != wrong.ID || d.Judged != 25 {
		t.Fatalf("%+v, want identification %d first", d, wrong.ID)
	}
	first := d.List[0]
	if r := first.Reasons[0]; r.Other.ID != 3 {
		t.Errorf("the reason is %+v, want Red Bramble against it", r)
	}
	if first.Without == nil || first.Without.Taxon.ID != 3 || first.Without.Own > 0.5 {
		t.Errorf("without it the memory says %+v, want Red Bramble", first.Without)
	}
	if some := doubts(t, g, f.Owner, identify.DoubtFilter{Kind: doubt.Outlier}); some.Of[doubt.Disagreement]+some.Of[doubt.Duplicate] == 0 {
		t.Errorf("counts by kind %v", some.Of)
	}
	viewer := identify.User{ID: f.Owner.ID, Role: identify.Expert}
	if _, err := g.Doubts(t.Context(), viewer, identify.DoubtFilter{}); identify.KindOf(err) != identify.Forbidden {
		t.Errorf("an expert looks through the doubts: %v", err)
	}
}

func TestKeptDoubtsStayAwayUntilSomethingElseSpeaks(t *testing.T) {
	f := newFixture(t)
	wrong := f.brambles(t)
	g, ctx := f.gallery(t), t.Context()
	twin := doubts(t, g, f.Owner, identify.DoubtFilter{}).List[0].Reasons[0].Twin
	if twin == nil {
		t.Fatal("it is no near-duplicate")
	}
	_, err := g.KeepDoubtful(ctx, f.Owner, wrong.ID)
	must(t, err)
	d := doubts(t, g, f.Owner, identify.DoubtFilter{})
	for _, x := range d.List {
		if x.Exemplar.Identification == wrong.ID {
			t.Fatalf("it is in doubt again: %+v", x)
		}
	}
	if len(d.Kept) != 1 || d.Kept[0].Identification != wrong.ID || d.Kept[0].UserName == "" || len(d.Kept[0].Evidence) == 0 {
		t.Errorf("kept %+v", d.Kept)
	}
	// The red photo that it is a near-duplicate of goes: another one speaks against
	// it now.
	_, err = g.WithdrawDoubtful(ctx, f.Owner, twin.Identification)
	must(t, err)
	d = doubts(t, g, f.Owner, identify.DoubtFilter{})
	back := false
	for _, x := range d.List {
		back = back || x.Exemplar.Identification == wrong.ID
	}
	if !back {
		t.Errorf("nothing new speaks against it: %+v", d.List)
	}
	must(t, g.DoubtAgain(ctx, f.Owner, wrong.ID))
	if err := g.DoubtAgain(ctx, f.Owner, wrong.ID); identify.KindOf(err) != identify.NotFound {
		t.Errorf("taken back twice: %v", err)
	}
}

func TestADoubtIsRenamedInOneStep(t *testing.T) {
	f := newFixture(t)
	wrong := f.brambles(t)
	g, ctx := f.gallery(t), t.Context()
	curator, err := f.Config.Store.(interface {
		AddProgram(ctx context.Context, hash []byte, t identify.Token) (identify.User, error)
	}).AddProgram(ctx, bytes.Repeat([]byte{7}, 32), identify.Token{Name: "Cora", Role: identify.Curator, CreatedAt: f.Config.Now()})
	must(t, err)
	done, err := g.RenameDoubtful(ctx, curator, wrong.ID, identify.Answer{Taxon: 3})
	must(t, err)
	if done.Now.Taxon != 3 || done.Now.User != curator.ID || done.Observation != wrong.Observation {
		t.Errorf("renamed to %+v", done)
	}
	o, err := f.Observation(ctx, f.Owner, wrong.Observation)
	must(t, err)
	if len(o.Identifications) != 2 || !o.Identifications[0].Withdrawn() || o.Identifications[1].Withdrawn() {
		t.Errorf("identifications %+v, want the first withdrawn and the second standing", o.Identifications)
	}
	for _, x := range doubts(t, g, curator, identify.DoubtFilter{}).List {
		if x.Exemplar.Observation == wrong.Observation {
			t.Errorf("still in doubt: %+v", x)
		}
	}
	if _, err := g.RenameDoubtful(ctx, curator, wrong.ID, identify.Answer{Taxon: 5}); identify.KindOf(err) != identify.Conflict {
		t.Errorf("what does not stand is renamed: %v", err)
	}
	if _, err := g.RenameDoubtful(ctx, curator, done.Now.ID, identify.Answer{Taxon: 3}); identify.KindOf(err) != identify.Conflict {
		t.Errorf("renamed to what it is called: %v", err)
	}
	before := o.Identifications[1]
	gone, err := g.WithdrawDoubtful(ctx, curator, before.ID)
	must(t, err)
	if gone.Seq == 0 {
		t.Error("a withdrawal without an event")
	}
	if o, err = f.Observation(ctx, f.Owner, wrong.Observation); err != nil || !o.Identifications[1].Withdrawn() {
		t.Errorf("%+v still stands (%v)", o.Identifications[1], err)
	}
}

func TestTheMapKeepsPlaces(t *testing.T) {
	f := newFixture(t)
	f.brambles(t)
	g := f.gallery(t)
	first := mapped(t, g)
	if len(first.Points) != 25 || len(first.Taxa) != 3 || first.Taxa[0].Taxon.ID != 4 || first.Taxa[0].Family != (identify.TaxonName{Taxon: 2, Label: "Rose Family"}) {
		t.Fatalf("%d points of %+v", len(first.Points), first.Taxa)
	}
	f.teachAs(t, color.RGBA{230, 20, 7, 255}, 3)
	second := mapped(t, g)
	for i, p := range first.Points {
		if q := second.Points[i]; q.X != p.X || q.Y != p.Y || q.Observation != p.Observation {
			t.Fatalf("point %d was at %d,%d and is at %d,%d", i, p.X, p.Y, q.X, q.Y)
		}
	}
	fresh := second.Points[25]
	nearest, taxon := math.Inf(1), identify.TaxonID(0)
	for _, p := range second.Points[:25] {
		if d := math.Hypot(float64(p.X-fresh.X), float64(p.Y-fresh.Y)); d < nearest {
			nearest, taxon = d, second.Taxa[p.Taxon].Taxon.ID
		}
	}
	if taxon != 3 {
		t.Errorf("the new red photo lies beside taxon %d, %.0f away", taxon, nearest)
	}
}

// mapped waits until the newest memory is drawn.
func mapped(t *testing.T, g *identify.Gallery) identify.MemoryMap {
	t.Helper()
	for {
		m, err := g.Map(context.Background())
		must(t, err)
		if m.Failed {
			t.Fatal("the memory could not be drawn")
		}
		if m.Seq == m.Now && !m.At.IsZero() {
			return m
		}
	}
}

func TestAnEmptyMemoryHasNothingToShow(t *testing.T) {
	f := newFixture(t)
	g := f.gallery(t)
	if m := mapped(t, g); len(m.Points) != 0 || len(m.Clusters) != 0 {
		t.Errorf("a map of %+v", m)
	}
	if d := doubts(t, g, f.Owner, identify.DoubtFilter{}); d.Total != 0 || d.Judged != 0 {
		t.Errorf("doubts %+v", d)
	}
	if s, err := g.Shelf(t.Context(), 0); err != nil || s.Exemplars != 0 {
		t.Errorf("shelf %+v, %v", s, err)
	}
	if list, err := g.Teachers(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("teachers %+v, %v", list, err)
	}
}
