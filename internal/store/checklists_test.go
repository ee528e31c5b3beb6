package store

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"fieldmark/internal/identify"
)

// taken takes a checklist in to its end, and returns what all stretches came to.
func taken(ctx context.Context, s *Store, c identify.ChecklistChanges, told func(int)) (all identify.ChecklistStretch, err error) {
	if err := s.BeginChecklist(ctx, c, told); err != nil {
		return all, err
	}
	for {
		x, err := s.GoOnChecklist(ctx)
		if err != nil {
			return all, err
		}
		all.Taxa, all.New, all.Changed, all.Set = append(all.Taxa, x.Taxa...), all.New+x.New, all.Changed+x.Changed, x.Set
		if !x.More {
			return all, nil
		}
	}
}

// newTaxon is a new species of a checklist, below another of the list or at the top (-1).
func newTaxon(name string, parent int) identify.ChecklistChange {
	return identify.ChecklistChange{Taxon: identify.Taxon{ScientificName: name, Rank: "species", Local: true}, Parent: parent, Write: true}
}

// chain is a checklist of three stretches and a bit, in which each taxon is below one that
// comes 400 before it, so in the stretch before as a rule; every third is a member.
func chain(by identify.UserID) identify.ChecklistChanges {
	c := identify.ChecklistChanges{Name: "chain.csv", Set: "Chain", LeftOut: 2, By: by, At: noon,
		Taxa: []identify.ChecklistChange{{Taxon: identify.Taxon{ID: 3}, Parent: -1, Member: true}}}
	for i := 1; i < 3*stretch+7; i++ {
		x := newTaxon(fmt.Sprintf("Longus %d", i), max(0, i-400))
		x.Taxon.Synonyms, x.Member = []string{fmt.Sprintf("Brevis %d", i)}, i%3 == 0
		c.Taxa = append(c.Taxa, x)
	}
	return c
}

// A checklist that is broken off between any two stretches is known to be under way, sound
// as it is, lets others write, and goes on to what it comes to in one go.
func TestAChecklistInStretches(t *testing.T) {
	calm := fresh(t)
	c := chain(user(t, calm, "cora").ID)
	if _, err := taken(t.Context(), calm, c, func(int) {}); err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(t.TempDir(), "a.db")
	s := open(t, path)
	if err := s.RegisterEncoder(t.Context(), encoder); err != nil {
		t.Fatal(err)
	}
	if err := s.SeedTaxa(t.Context(), tree(), "1"); err != nil {
		t.Fatal(err)
	}
	cora := user(t, s, "cora")
	if err := s.BeginChecklist(t.Context(), c, func(int) {}); err != nil {
		t.Fatal(err)
	}
	stretches := 0
	for more := true; more; stretches++ {
		s = open(t, path) // as after a kill: nothing but what is durable is known
		check(t, s)
		_, err := s.AddLabelSet(t.Context(), "chain", []identify.TaxonID{4}, noon)
		wantKind(t, err, identify.Conflict, "name")
		wantKind(t, s.BeginChecklist(t.Context(), c, func(int) {}), identify.Conflict, "")
		if _, err := s.AddLabelSet(t.Context(), fmt.Sprint("between ", stretches), []identify.TaxonID{4}, noon); err != nil {
			t.Error(err)
		}
		if stretches == 1 { // of what is there already a lesson is taught
			first, err := s.TaxonByName(t.Context(), "Longus 1")
			if err != nil {
				t.Fatal(err)
			}
			teach(t, s, cora, observe(t, s, cora, "a").ID, first.ID)
		}
		x, err := s.GoOnChecklist(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if more = x.More; more != (x.Set == 0) || more && x.Passed < stretch-1 {
			t.Errorf("%d passed, more: %v, label set %d", x.Passed, more, x.Set)
		}
	}
	check(t, s)
	if stretches != 4 {
		t.Errorf("%d stretches", stretches)
	}
	if got, want := listed(t, s), listed(t, calm); !reflect.DeepEqual(got, want) {
		t.Errorf("in stretches:\n%v\nin one go:\n%v", got, want)
	}
	if x, err := s.GoOnChecklist(t.Context()); err != nil || !reflect.DeepEqual(x, identify.ChecklistStretch{}) {
		t.Errorf("there was nothing to go on with: %+v, %v", x, err)
	}
}

// listed is what a checklist came to: taxa, names, words, its label set and its note.
func listed(t *testing.T, s *Store) []string {
	t.Helper()
	rows, err := s.read.Query(`
		SELECT 'taxon ' || id || ' ' || scientific_name || ' below ' || coalesce(parent_id, '-') || ' ' || (edited_at IS NOT NULL) FROM taxa
		UNION ALL SELECT 'name ' || n.taxon_id || ' ' || n.name || ' ' || n.kind || ' ' || count(w.word) FROM taxon_names n LEFT JOIN taxon_words w ON w.name_id = n.id GROUP BY n.id
		UNION ALL SELECT 'member ' || x.position || ' ' || x.taxon_id FROM label_set_taxa x JOIN label_sets l ON l.id = x.label_set_id WHERE l.name = 'Chain'
		UNION ALL SELECT 'note ' || kind || ' ' || subject || ' ' || detail FROM audit WHERE kind = 'checklist imported' ORDER BY 1`)
	list, err := collect(rows, err, scanText)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Who changes a taxon, or adds one, between two stretches has the last word: nothing of
// theirs is lost, no name is there twice, and the note counts what was done.
func TestWhatIsSaidBetweenTwoStretches(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	cora := user(t, s, "cora")
	before := func(id identify.TaxonID) *identify.Taxon {
		x, err := s.Taxon(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		return &x
	}
	changed := func(id identify.TaxonID, english string) identify.ChecklistChange {
		x := identify.ChecklistChange{Before: before(id), Parent: -1, Write: true}
		x.Taxon = *x.Before
		x.Taxon.EnglishName = english
		return x
	}
	c := identify.ChecklistChanges{Name: "list.csv", Newest: 7, By: cora.ID, At: noon}
	for i := range stretch {
		c.Taxa = append(c.Taxa, newTaxon(fmt.Sprintf("Longus %d", i), -1))
	}
	c.Taxa = append(c.Taxa, changed(4, "Sparrow of Houses"), changed(5, "Sparrow of Trees"), newTaxon("Rubus novus", -1), newTaxon("Rubus vetus", stretch+2))
	if err := s.BeginChecklist(ctx, c, func(int) {}); err != nil {
		t.Fatal(err)
	}
	if x, err := s.GoOnChecklist(ctx); err != nil || x.New != stretch || !x.More {
		t.Fatalf("%+v, %v", x, err)
	}
	_, err := s.EditTaxon(ctx, 5, identify.TaxonEdit{ScientificName: "Passer montanus", EnglishName: "Field Sparrow", Rank: "species", Parent: 3}, identify.Noticef("English name"), cora.ID, noon)
	if err != nil {
		t.Fatal(err)
	}
	typed, _, err := s.Teach(ctx, identify.NewIdentification{Observation: observe(t, s, cora, "a").ID, Local: "rubus Novus", User: cora.ID, At: noon})
	if err != nil {
		t.Fatal(err)
	}
	x, err := s.GoOnChecklist(ctx)
	if err != nil || x.New != 1 || x.Changed != 1 || x.Passed != 4 || x.More {
		t.Fatalf("%+v, %v", x, err)
	}
	if got := before(4); got.EnglishName != "Sparrow of Houses" {
		t.Errorf("%+v was not changed", got)
	}
	if got := before(5); got.EnglishName != "Field Sparrow" {
		t.Errorf("%+v: the last word was lost", got)
	}
	if found, err := s.TaxaNamed(ctx, []string{"Rubus novus"}); err != nil || !slices.Equal(found["Rubus novus"], []identify.NamedTaxon{{Taxon: typed.Taxon, Scientific: true}}) {
		t.Errorf("%+v, %v", found, err)
	}
	if got := before(x.Taxa[1].ID); got.ScientificName != "Rubus vetus" || got.Parent != typed.Taxon {
		t.Errorf("%+v is not below %d", got, typed.Taxon)
	}
	list, _, err := s.History(ctx, identify.HistoryFilter{Kind: identify.DidTakeChecklist, Limit: 5})
	if want := identify.ChecklistNotice(stretch+1, 1, 2, 0); err != nil || len(list) != 1 || !reflect.DeepEqual(list[0].Detail, want) {
		t.Errorf("%+v, %v", list, err)
	}
	check(t, s)
}

// Animalia (1) > Aves (2) > Passer (3) > two sparrows. A list that puts Aves below Passer,
// and Passer at last below the oak, makes no circle in the end: Aves waits for Passer.
// One that puts Aves below Passer alone does, and is refused before anything is there.
func TestAChecklistTurnsATreeRound(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	cora := user(t, s, "cora")
	moved := func(id identify.TaxonID, parent int) identify.ChecklistChange {
		x, err := s.Taxon(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		return identify.ChecklistChange{Taxon: x, Before: &x, Parent: parent, Write: true}
	}
	stays := func(id identify.TaxonID) identify.ChecklistChange {
		return identify.ChecklistChange{Taxon: identify.Taxon{ID: id}, Parent: -1}
	}
	c := identify.ChecklistChanges{Name: "round.csv", By: cora.ID, At: noon, Taxa: []identify.ChecklistChange{stays(3), moved(2, 0)}}
	_, err := taken(ctx, s, c, func(int) {})
	wantKind(t, err, identify.Conflict, "parent")
	if x, err := s.GoOnChecklist(ctx); err != nil || x.Passed != 0 {
		t.Errorf("a list that was refused goes on: %+v, %v", x, err)
	}

	c.Taxa = append(c.Taxa, stays(6), moved(3, 2))
	done, err := taken(ctx, s, c, func(int) {})
	if err != nil || done.Changed != 2 {
		t.Fatalf("%+v, %v", done, err)
	}
	for id, want := range map[identify.TaxonID]identify.TaxonID{2: 3, 3: 6, 4: 3} {
		if got, err := s.Taxon(ctx, id); err != nil || got.Parent != want {
			t.Errorf("%d is below %d (%v), want %d", id, got.Parent, err, want)
		}
	}
	if last := done.Taxa[len(done.Taxa)-1]; last.ID != 2 || last.Parent != 3 {
		t.Errorf("who is told last is told %+v", last)
	}
	check(t, s)
}
