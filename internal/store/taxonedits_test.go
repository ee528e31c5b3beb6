package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

func TestEditTaxon(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	u := user(t, s, "cora")
	edit := identify.TaxonEdit{ScientificName: "Passer domesticatus", EnglishName: "House Sparrow", Synonyms: []string{"English Sparrow", "Passer domesticus"},
		Vernacular: []identify.VernacularName{{Language: "de", Name: "Haussperling"}, {Language: "fr", Name: "Moineau domestique"}}, Rank: "species", Parent: 3}
	got, err := s.EditTaxon(ctx, 4, edit, identify.Noticef("%s: %s → %s", identify.Noticef("scientific name"), "Passer domesticus", "Passer domesticatus"), u.ID, noon)
	if err != nil || got.ScientificName != edit.ScientificName || got.ID != 4 || !slices.Equal(got.Vernacular, edit.Vernacular) {
		t.Fatalf("%+v, %v", got, err)
	}
	// It is found by all its names, and read back as it was written.
	for _, name := range []string{"Passer domesticatus", "passer domesticus", "English Sparrow", "HAUSSPERLING", "Moineau domestique"} {
		if found, err := s.TaxonByName(ctx, name); err != nil || found.ID != 4 || !slices.Equal(found.Synonyms, edit.Synonyms) || !slices.Equal(found.Vernacular, edit.Vernacular) {
			t.Errorf("%q: %+v, %v", name, found, err)
		}
	}
	if found, err := s.SearchTaxa(ctx, "haussp", 5); err != nil || len(found) != 1 || found[0].MatchedName != "Haussperling" {
		t.Errorf("%+v, %v", found, err)
	}
	d, err := s.TaxonDetails(ctx, 4)
	if err != nil || !d.Edited {
		t.Errorf("%+v, %v", d, err)
	}
	// A newer vocabulary leaves it alone, and changes the others.
	newer := tree()
	newer[0].EnglishName, newer[1].EnglishName = "Common Sparrow", "Tree Sparrow"
	if err := s.SeedTaxa(ctx, newer, "2"); err != nil {
		t.Fatal(err)
	}
	if kept, _ := s.Taxon(ctx, 4); kept.EnglishName != "House Sparrow" || kept.ScientificName != "Passer domesticatus" {
		t.Errorf("a curator's name is gone: %+v", kept)
	}
	if other, _ := s.Taxon(ctx, 5); other.EnglishName != "Tree Sparrow" {
		t.Errorf("%+v", other)
	}
	list, _, err := s.History(ctx, identify.HistoryFilter{Kind: identify.DidChangeTaxon, Limit: 5})
	if err != nil || len(list) != 1 || list[0].UserName != "cora" || list[0].Subject != "House Sparrow" || !strings.Contains(list[0].Detail.String(), "domesticatus") || list[0].Taxon != 4 {
		t.Errorf("%+v, %v", list, err)
	}
	// No taxon is above itself, and what failed leaves nothing.
	_, err = s.EditTaxon(ctx, 1, identify.TaxonEdit{ScientificName: "Animalia", Rank: "kingdom", Parent: 4}, identify.Notice{}, u.ID, noon)
	wantKind(t, err, identify.Conflict, "parent")
	if top, _ := s.Taxon(ctx, 1); top.Parent != 0 {
		t.Errorf("%+v", top)
	}
	check(t, s)
}

func TestTaxonDetails(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	u := user(t, s, "ann")
	o := observe(t, s, u, "a")
	if _, _, err := s.Teach(ctx, identify.NewIdentification{Observation: o.ID, Taxon: 4, User: u.ID, At: noon}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddLabelSet(ctx, "Garden", []identify.TaxonID{4, 5}, noon); err != nil {
		t.Fatal(err)
	}
	// Sparrows (3) have two species below, one of them taught once.
	d, err := s.TaxonDetails(ctx, 3)
	if err != nil || d.Children != 2 || d.Lessons != 1 || d.Observations != 1 || len(d.Sets) != 0 || d.Edited {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err = s.TaxonDetails(ctx, 4); err != nil || d.Children != 0 || d.Lessons != 1 || len(d.Sets) != 1 || d.Sets[0].Name != "Garden" {
		t.Errorf("%+v, %v", d, err)
	}
	_, err = s.TaxonDetails(ctx, 99)
	wantKind(t, err, identify.NotFound, "")
	names := func(parent identify.TaxonID, skip, limit int) (list []string) {
		t.Helper()
		taxa, err := s.TaxaBelow(ctx, parent, skip, limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range taxa {
			list = append(list, x.Label())
		}
		return list
	}
	if got := names(3, 0, 9); !slices.Equal(got, []string{"House Sparrow", "Eurasian Tree Sparrow"}) { // domesticus, montanus
		t.Errorf("%q", got)
	}
	if got := names(3, 1, 1); !slices.Equal(got, []string{"Eurasian Tree Sparrow"}) {
		t.Errorf("%q", got)
	}
	if got := names(0, 0, 9); len(got) != 3 || got[0] != "Animalia" {
		t.Errorf("%q, want the kingdom first", got)
	}
}

func TestTaxaNamed(t *testing.T) {
	s := fresh(t)
	got, err := s.TaxaNamed(t.Context(), []string{"passer DOMESTICUS", "english sparrow", "House Sparrow", "Nobody", "passer DOMESTICUS"})
	want := map[string][]identify.NamedTaxon{"passer DOMESTICUS": {{Taxon: 4, Scientific: true}}, "english sparrow": {{Taxon: 4}}}
	if err != nil || len(got) != len(want) {
		t.Fatalf("%+v, %v; an English name is none of those", got, err)
	}
	for name, list := range want {
		if !slices.Equal(got[name], list) {
			t.Errorf("%q: %+v", name, got[name])
		}
	}
}

func TestTakeChecklist(t *testing.T) {
	s, ctx := fresh(t), t.Context()
	u := user(t, s, "cora")
	c := identify.ChecklistChanges{Name: "birds.csv", Set: "Reserve", By: u.ID, At: noon, Taxa: []identify.ChecklistChange{
		{Taxon: identify.Taxon{ID: 3}, Parent: -1},
		{Taxon: identify.Taxon{ScientificName: "Passer italiae", Rank: "species", Local: true,
			Vernacular: []identify.VernacularName{{Language: "it", Name: "Passera d'Italia"}}}, Parent: 0, Write: true, Member: true},
		{Taxon: identify.Taxon{ScientificName: "Passer italiae minor", Rank: "subspecies", Local: true}, Parent: 1, Write: true, Member: true},
		{Taxon: identify.Taxon{ID: 5, ScientificName: "Passer montanus", EnglishName: "Tree Sparrow", Rank: "species", Parent: 3}, Parent: -1, Write: true, Member: true},
	}}
	done, err := taken(ctx, s, c, func(int) {})
	taxa, set := done.Taxa, done.Set // of the first nothing is written
	if err != nil || taxa[0].ID != identify.FirstLocalTaxon || taxa[0].Parent != 3 || taxa[1].Parent != taxa[0].ID {
		t.Fatalf("%+v, %v", taxa, err)
	}
	if got, err := s.TaxonByName(ctx, "passera ditalia"); err != nil || got.ID != taxa[0].ID || !got.Local {
		t.Errorf("%+v, %v", got, err)
	}
	if got, _ := s.Taxon(ctx, 5); got.EnglishName != "Tree Sparrow" {
		t.Errorf("%+v", got)
	}
	if got, err := s.LabelSet(ctx, set); err != nil || got.Name != "Reserve" || !slices.Equal(got.Taxa, []identify.TaxonID{taxa[0].ID, taxa[1].ID, 5}) {
		t.Errorf("%+v, %v", got, err)
	}
	if list, _, err := s.History(ctx, identify.HistoryFilter{Kind: identify.DidTakeChecklist, Limit: 5}); err != nil || len(list) != 1 || list[0].Subject != "birds.csv" {
		t.Errorf("%+v, %v", list, err)
	}
	// All or nothing: the name of the label set is taken.
	before, _ := s.Counts(ctx)
	c.Taxa[1].Taxon.ScientificName = "Passer hispaniolensis"
	_, err = taken(ctx, s, c, func(int) {})
	wantKind(t, err, identify.Conflict, "name")
	if after, _ := s.Counts(ctx); after != before {
		t.Errorf("%+v, before %+v", after, before)
	}
	check(t, s)
}

// Taking a checklist in says how far it is, and leaves nothing behind when it is stopped.
func TestAChecklistIsStopped(t *testing.T) {
	s := fresh(t)
	c := identify.ChecklistChanges{Name: "long.csv", By: user(t, s, "cora").ID, At: noon}
	for i := range 3 * stretch {
		c.Taxa = append(c.Taxa, identify.ChecklistChange{Taxon: identify.Taxon{ScientificName: fmt.Sprintf("Longus %d", i), Rank: "species", Local: true}, Parent: -1, Write: true})
	}
	before, _ := s.Counts(t.Context())
	ctx, stop := context.WithCancel(t.Context())
	var told []int
	_, err := taken(ctx, s, c, func(n int) {
		if told = append(told, n); n == 2*stretch {
			stop()
		}
	})
	if !errors.Is(err, context.Canceled) || !slices.Equal(told, []int{stretch, 2 * stretch}) {
		t.Errorf("%v, told %v", err, told)
	}
	if after, _ := s.Counts(t.Context()); after != before {
		t.Errorf("%+v, before %+v", after, before)
	}
	if done, err := taken(t.Context(), s, c, func(int) {}); err != nil || len(done.Taxa) != len(c.Taxa) {
		t.Errorf("again: %d, %v", len(done.Taxa), err)
	}
}
