package store

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// asRead is what people are told of names: of each observation, in lists and counts.
func asRead(t *testing.T, s *Store, accepted, synonym identify.TaxonID, set identify.LabelSetID) (out []string) {
	t.Helper()
	ctx := t.Context()
	list, _, err := s.Observations(ctx, identify.ObservationFilter{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list {
		for _, i := range o.Identifications {
			out = append(out, fmt.Sprintln(o.ID, i.Taxon, i.TaxonLabel, i.ScientificName, i.Given, i.GivenLabel, i.Withdrawn(), i.Quarantined))
		}
	}
	count := func(what string, f identify.ObservationFilter) {
		ids, err := s.Selection(ctx, f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintln(what, ids))
	}
	for _, taxon := range []identify.TaxonID{accepted, synonym} {
		count("of the taxon", identify.ObservationFilter{Taxon: taxon})
		d, err := s.TaxonDetails(ctx, taxon)
		if err != nil {
			t.Fatal(err)
		}
		d.Edited = false // it was given names, and is known to have been
		out = append(out, fmt.Sprintln("details", d))
		page, _, err := s.GalleryPage(ctx, identify.GalleryFilter{Taxon: taxon})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range page {
			out = append(out, fmt.Sprintln("exemplar", x.Identification, x.Taxon, x.Label))
		}
		photos, err := s.GalleryPhotos(ctx, []identify.TaxonID{taxon}, 100)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintln("photos", photos))
	}
	count("of the set", identify.ObservationFilter{LabelSet: set})
	count("called House", identify.ObservationFilter{Query: "house sparrow"})
	count("called Tree", identify.ObservationFilter{Query: "tree sparrow"})
	count("disputed", identify.ObservationFilter{Disputed: true})
	exemplars, err := s.Exemplars(ctx, encoder.Digest, identify.ObservationFilter{})
	if err != nil {
		t.Fatal(err)
	}
	sources, err := s.Sources(ctx)
	if err != nil {
		t.Fatal(err)
	}
	taxa, err := s.Taxa(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i := range taxa {
		taxa[i].CreatedAt = time.Time{} // by the clock, when they were seeded
	}
	return append(out, fmt.Sprintln(exemplars), fmt.Sprintln(sources), fmt.Sprintln(taxa))
}

func sameRead(t *testing.T, when string, got, want []string) {
	t.Helper()
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Fatalf("%s: read is %q, not %q", when, got[min(i, len(got)-1)], want[i])
		}
	}
}

// namesInStretches merges 5 into 4, and takes that apart, in stretches, and returns what
// was read before, then and after, and the audit trail.
func namesInStretches(t *testing.T, limit int, stop bool) (out []any) {
	path := filepath.Join(t.TempDir(), "a.db")
	s := open(t, path)
	ctx := t.Context()
	if err := s.RegisterEncoder(ctx, encoder); err != nil {
		t.Fatal(err)
	}
	if err := s.SeedTaxa(ctx, tree(), "1"); err != nil {
		t.Fatal(err)
	}
	ann, bo, cy := user(t, s, "ann"), user(t, s, "bo"), user(t, s, "cy")
	set, err := s.AddLabelSet(ctx, "Sparrows", []identify.TaxonID{4}, noon)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 9 {
		o := observe(t, s, ann, fmt.Sprint(i)).ID
		teach(t, s, ann, o, identify.TaxonID(5-i%3/2))
		if i%2 == 0 {
			teach(t, s, bo, o, 4) // who says the other name, and so disagrees
		}
		if i == 6 {
			teach(t, s, ann, o, 6) // takes hers back
		}
	}
	quarantine(t, s, personOf(bo), cy)
	endQuarantine(t, s, personOf(bo), identify.Restored, cy)

	step := func(do func(tx *sql.Tx) (identify.SynonymyID, []identify.TaxonID, error)) identify.Synonymy {
		t.Helper()
		y, _, _, err := s.changeNames(ctx, do)
		if err != nil {
			t.Fatal(err)
		}
		check(t, s)
		return y
	}
	read := func() []string { return asRead(t, s, 4, 5, set.ID) }
	// goOn does the rest; what is read must not change but with the last step, where the
	// names are taken apart.
	goOn := func(y identify.Synonymy, way identify.SynonymyStep) identify.Synonymy {
		t.Helper()
		merged := read()
		for y.UnderWay != identify.NothingUnderWay {
			if y.UnderWay != way {
				t.Fatalf("under way is %q, want %q", y.UnderWay, way)
			}
			sameRead(t, "on the way to be "+string(way), read(), merged)
			if stop {
				s = open(t, path) // as after a kill
			}
			if list, err := s.SynonymiesUnderWay(ctx); err != nil || len(list) != 1 || list[0].ID != y.ID {
				t.Fatalf("under way: %v, %v", list, err)
			}
			_, _, _, err := s.MergeTaxa(ctx, 7, 6, cy.ID, noon)
			wantKind(t, err, identify.Conflict, "")
			_, _, _, err = s.UndoSynonymy(ctx, y.ID, cy.ID, noon)
			wantKind(t, err, identify.Conflict, "")
			y = step(func(tx *sql.Tx) (identify.SynonymyID, []identify.TaxonID, error) {
				return goOnNames(ctx, tx, y.ID, limit)
			})
		}
		if way == identify.Merging {
			sameRead(t, "at the end of the merge", read(), merged)
		}
		return y
	}
	out = append(out, read())
	y := step(func(tx *sql.Tx) (identify.SynonymyID, []identify.TaxonID, error) {
		return mergeNames(ctx, tx, 5, 4, cy.ID, limit, noon.Add(time.Minute))
	})
	y = goOn(y, identify.Merging)
	out = append(out, y, read())
	y = step(func(tx *sql.Tx) (identify.SynonymyID, []identify.TaxonID, error) {
		return undoNames(ctx, tx, y.ID, cy.ID, limit, noon.Add(time.Hour))
	})
	y = goOn(y, identify.Undoing)
	trail, _, err := s.History(ctx, identify.HistoryFilter{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for i := range trail {
		trail[i].Cursor = ""
	}
	return append(out, y, read(), trail, kindsOf(t, s))
}

// Names that are merged, and taken apart, in stretches of any length are read as merged
// from the first to the last stretch, be it with a stop between any two; what comes of it,
// and what the audit trail says, is as in one go.
func TestNamesAreMergedInStretches(t *testing.T) {
	want := namesInStretches(t, 1000, false)
	if y := want[1].(identify.Synonymy); y.Lessons < 5 || reflect.DeepEqual(want[0], want[2]) {
		t.Fatalf("in one go: %+v", y)
	}
	sameRead(t, "undone", want[4].([]string), want[0].([]string))
	for _, limit := range []int{1, 2, 3, 5} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			got := namesInStretches(t, limit, true)
			for i := range want {
				if !reflect.DeepEqual(got[i], want[i]) {
					t.Errorf("part %d is not as in one go", i)
				}
			}
		})
	}
}

// What is done to lessons between two stretches is done to what they read as: said again
// by either name it is said already, taken back it goes by its own name, and what is
// quarantined comes back by the new one.
func TestOthersBetweenTwoStretches(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	ann, bo, cy := user(t, s, "ann"), user(t, s, "bo"), user(t, s, "cy")
	var list []identify.ObservationID
	for i := range 4 {
		o := observe(t, s, ann, fmt.Sprint(i)).ID
		teach(t, s, ann, o, 5)
		list = append(list, o)
	}
	his := observe(t, s, bo, "his").ID
	teach(t, s, bo, his, 5)
	y, _, _, err := s.changeNames(ctx, func(tx *sql.Tx) (identify.SynonymyID, []identify.TaxonID, error) {
		return mergeNames(ctx, tx, 5, 4, cy.ID, 1, noon)
	})
	if err != nil || y.UnderWay != identify.Merging {
		t.Fatalf("%+v, %v", y, err)
	}
	for _, taxon := range []identify.TaxonID{4, 5} {
		_, _, err := s.Teach(ctx, identify.NewIdentification{Observation: list[3], Taxon: taxon, User: ann.ID, At: noon})
		wantKind(t, err, identify.Conflict, "label")
	}
	got, err := s.Observation(ctx, list[2])
	if err != nil || got.Identifications[0].Taxon != 4 {
		t.Fatalf("%+v, %v", got, err)
	}
	if _, _, err := s.Withdraw(ctx, list[2], got.Identifications[0].ID, ann.ID, noon); err != nil {
		t.Fatal(err)
	}
	quarantine(t, s, personOf(bo), cy)
	for y.UnderWay != identify.NothingUnderWay {
		if y, _, _, err = s.GoOnSynonymy(ctx, y.ID); err != nil {
			t.Fatal(err)
		}
		check(t, s)
	}
	if y.Lessons != 4 {
		t.Errorf("%+v", y)
	}
	endQuarantine(t, s, personOf(bo), identify.Restored, cy)
	var now []identify.TaxonID
	for _, o := range append(list, his) {
		now = append(now, currentOf(t, s, o))
	}
	if !slices.Equal(now, []identify.TaxonID{4, 4, 0, 4, 4}) {
		t.Errorf("they go by %v", now)
	}
}
