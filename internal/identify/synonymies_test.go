package identify_test

import (
	"context"
	"image/color"
	"slices"
	"testing"

	"fieldmark/internal/identify"
)

// headline is the likeliest name of a photo.
func (f *fixture) headline(t *testing.T, o identify.Observation) identify.TaxonID {
	t.Helper()
	return f.read(t, o).Candidates[0].Taxon
}

// Two names for red things become one: the answers say so at once, no candidate has the
// old name, a memory that was only ever taught the new one answers the same, and after
// the undoing everything is as it was.
func TestAMergeIsInTheAnswersAtOnce(t *testing.T) {
	ctx := context.Background()
	f, ben, _ := workshop(t) // red is 3, or by Ben 5; blue is 5
	odd := f.see(t, color.RGBA{R: 203, G: 9, A: 255})
	before := f.read(t, odd)
	if before.Candidates[0].Taxon != 3 {
		t.Fatalf("it reads as %+v", before.Candidates[0])
	}
	p, err := f.PreviewSynonymy(ctx, f.Owner, 3, 4)
	must(t, err)
	if p.Lessons != 8 || p.Observations != 8 || p.Known != 0 || len(p.Sets) != 1 {
		t.Errorf("%+v", p)
	}
	y, err := f.MergeTaxa(ctx, f.Owner, 3, 4)
	must(t, err)
	if y.Lessons != 8 || y.Pending != 0 {
		t.Errorf("%+v", y)
	}
	if now := f.read(t, odd); now.Candidates[0].Taxon != 4 || slices.ContainsFunc(now.Candidates, func(c identify.Candidate) bool { return c.Taxon == 3 }) {
		t.Errorf("at once it reads as %+v", now.Candidates)
	}
	f.settled(t)
	plain, other := newFixture(t), identify.User{}
	other = identify.User{ID: plain.another(t), Name: "Ben", Role: identify.Expert}
	for i := range uint8(8) { // as workshop teaches, in its order, by the new name
		red, blue := plain.see(t, color.RGBA{R: 200 + i, G: 3 * i, A: 255}), plain.see(t, color.RGBA{B: 200 + i, G: 3 * i, A: 255})
		plain.say(t, plain.Owner, red, 4)
		plain.say(t, plain.Owner, blue, 5)
		if i < 6 {
			plain.say(t, other, plain.see(t, color.RGBA{R: 210 + i, G: 2 + 3*i, A: 255}), 5)
		}
	}
	plain.settled(t)
	for _, rule := range []identify.Question{{}, {Rule: "exemplar"}} {
		rule.Labels = []string{"Green Bramble", "Blue Bramble"}
		a, err := f.Classify(ctx, paint(t, color.RGBA{R: 203, G: 9, A: 255}), rule)
		must(t, err)
		b, err := plain.Classify(ctx, paint(t, color.RGBA{R: 203, G: 9, A: 255}), rule)
		must(t, err)
		sameAnswer(t, "merged, and taught so", a, b)
	}
	f.sound(t)
	f.restart(t)
	f.settled(t)
	if f.headline(t, odd) != 4 {
		t.Errorf("after a restart it reads as %d", f.headline(t, odd))
	}

	// What is said by the old name, in words or by its number, is the new one.
	for _, a := range []identify.Answer{{Label: "red bramble"}, {Taxon: 3}} {
		c, err := f.Identify(ctx, ben, f.see(t, color.RGBA{G: 250, A: 255}).ID, a, identify.Question{})
		must(t, err)
		if c.Identification.Taxon != 4 {
			t.Errorf("%+v is taken as %d", a, c.Identification.Taxon)
		}
		_, err = f.Withdraw(ctx, f.Owner, c.Identification.Observation, c.Identification.ID, identify.Question{})
		must(t, err)
	}
	_, err = f.EditTaxon(ctx, f.Owner, 3, identify.TaxonEdit{ScientificName: "Rubus ruber", EnglishName: "Old Bramble", Rank: "species", Parent: 2})
	if identify.KindOf(err) != identify.Conflict {
		t.Errorf("a synonym is renamed: %v", err)
	}

	undone, err := f.UndoSynonymy(ctx, f.Owner, y.ID)
	must(t, err)
	if undone.Returned != 8 || undone.UndoneAt == nil {
		t.Errorf("%+v", undone)
	}
	if f.headline(t, odd) != 3 {
		t.Errorf("at once it reads as %d", f.headline(t, odd))
	}
	f.settled(t)
	sameAnswer(t, "before and after", before, f.read(t, odd))
	f.sound(t)
}

// Lessons in quarantine change their names there, and come out by the new one.
func TestAMergeWhileLessonsWait(t *testing.T) {
	ctx := context.Background()
	f, ben, _ := workshop(t)
	_, err := f.BeginQuarantine(ctx, f.Owner, identify.Source{User: ben.ID}, "")
	must(t, err)
	p, err := f.PreviewSynonymy(ctx, f.Owner, 5, 4)
	must(t, err)
	if p.Lessons != 8 || p.Waiting != 6 {
		t.Errorf("%+v", p)
	}
	_, err = f.MergeTaxa(ctx, f.Owner, 5, 4)
	must(t, err)
	f.settled(t)
	f.sound(t)
	_, err = f.EndQuarantine(ctx, f.Owner, identify.Source{User: ben.ID}, identify.Restored)
	must(t, err)
	f.settled(t)
	f.sound(t)
	records, _ := f.export(t, identify.ExportRequest{})
	said := map[identify.TaxonID]int{}
	for _, r := range records {
		for _, i := range r.Identifications {
			if said[i.Taxon]++; i.Taxon == 4 && (i.Given != 5 || i.GivenLabel != "Blue Bramble") {
				t.Errorf("%+v", i)
			}
		}
	}
	if said[3] != 8 || said[4] != 14 || said[5] != 0 {
		t.Errorf("identifications of taxa: %v", said)
	}
}

// What goes to others has the accepted name alone; what is taken in by the old one,
// from a file or from another Fieldmark, is of the accepted taxon.
func TestAMergeAndOthers(t *testing.T) {
	ctx := context.Background()
	f, elsewhere := newFixture(t), newFixture(t)
	red := f.see(t, color.RGBA{R: 200, A: 255})
	c, err := f.Identify(ctx, f.Owner, red.ID, identify.Answer{Label: "Pond Bramble"}, identify.Question{})
	must(t, err)
	local := c.Identification.Taxon
	elsewhere.merge(t, f.bundled(t, identify.BundleRequest{}), identify.MergeDecisions{})
	theirs, err := elsewhere.SearchTaxa(ctx, "Pond Bramble", 1)
	must(t, err)
	if len(theirs) != 1 || !theirs[0].Local {
		t.Fatalf("elsewhere it is %+v", theirs)
	}
	_, err = f.MergeTaxa(ctx, f.Owner, local, 3)
	must(t, err)

	m := elsewhere.merge(t, f.bundled(t, identify.BundleRequest{}), identify.MergeDecisions{})
	if m.Done != 1 {
		t.Errorf("%+v", m)
	}
	if list, err := elsewhere.Config.Store.Exemplars(ctx, fakeEmbedder{}.Info().Digest, identify.ObservationFilter{Taxon: 3}); err != nil || len(list) != 1 {
		t.Errorf("elsewhere the lesson comes as %+v, %v", list, err)
	}
	// Their lesson of the old name comes home as what that is now.
	blue := elsewhere.see(t, color.RGBA{B: 200, A: 255})
	elsewhere.say(t, elsewhere.Owner, blue, theirs[0].ID)
	f.merge(t, elsewhere.bundled(t, identify.BundleRequest{Filter: identify.ObservationFilter{Taxon: theirs[0].ID}}), identify.MergeDecisions{})
	standing, err := f.Config.Store.Exemplars(ctx, fakeEmbedder{}.Info().Digest, identify.ObservationFilter{})
	must(t, err)
	for _, x := range standing {
		if x.Taxon != 3 {
			t.Errorf("%+v", x)
		}
	}
	if len(standing) != 2 {
		t.Errorf("%d lessons, want 2", len(standing))
	}
	f.take(t, "old-names", &rowsFile{dim: dim, encoder: fakeEmbedder{}.Info().Digest, rows: []identify.EmbeddingRow{
		{Label: "pond bramble", Embedding: slices.Repeat([]float32{1}, dim)}}})
	if standing, err = f.Config.Store.Exemplars(ctx, fakeEmbedder{}.Info().Digest, identify.ObservationFilter{Taxon: 3}); err != nil || len(standing) != 3 {
		t.Errorf("%+v, %v", standing, err)
	}
	f.settled(t)
	f.sound(t)
}

func TestMergingTakesACurator(t *testing.T) {
	ctx := context.Background()
	f := newFixture(t)
	ann := identify.User{ID: f.another(t), Role: identify.Expert}
	_, previewed := f.PreviewSynonymy(ctx, ann, 3, 4)
	_, merged := f.MergeTaxa(ctx, ann, 3, 4)
	_, undone := f.UndoSynonymy(ctx, ann, 1)
	for _, err := range []error{previewed, merged, undone} {
		if identify.KindOf(err) != identify.Forbidden {
			t.Error(err)
		}
	}
}
