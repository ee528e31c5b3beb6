package identify_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

var curator = identify.User{ID: 1, Name: "Cora", Role: identify.Curator}

func TestPlanChecklist(t *testing.T) {
	f := newFixture(t)
	plants := []identify.HigherTaxon{{Rank: "kingdom", Name: "Plantae"}}
	list := identify.Checklist{Name: "reserve.csv", Rows: []identify.ChecklistRow{
		{Line: 1, Key: "1", Name: "Rubus", Rank: "genus", Higher: append(plants, identify.HigherTaxon{Rank: "family", Name: "Rosaceae"})},
		{Line: 2, Key: "2", ParentKey: "1", Name: "Rubus novus", Rank: "species", English: "New Bramble"},
		{Line: 3, Key: "3", AcceptedKey: "2", Name: "Rubus vetus", Rank: "species"},
		{Line: 4, Key: "4", Name: "Rubus ruber", Rank: "species"},                                       // known, nothing new
		{Line: 5, Key: "5", ParentKey: "1", Name: "Rubus glaucus", Rank: "species", English: "Emerald"}, // another name, another place
		{Line: 6, Key: "6", AcceptedKey: "7", Name: "Rubus a", Rank: "species"},                         // a circle of synonyms
		{Line: 7, Key: "7", AcceptedKey: "6", Name: "Rubus b", Rank: "species"},
		{Line: 8, Key: "8", ParentKey: "9", Name: "Rubus c", Rank: "species"}, // a circle of parents
		{Line: 9, Key: "9", ParentKey: "8", Name: "Rubus d", Rank: "genus"},
		{Line: 10, Key: "10", ParentKey: "99", Name: "Rubus e", Rank: "species"},                                                          // no such parent
		{Line: 11, Key: "11", ParentKey: "9", Name: "Rubus f", Rank: "species"},                                                           // below a circle
		{Line: 12, Key: "12", Name: "Rubus blavus", Rank: "species", Higher: []identify.HigherTaxon{{Rank: "kingdom", Name: "Animalia"}}}, // a homonym
		{Line: 13, Key: "13", AcceptedKey: "98", Name: "Rubus g", Rank: "species"},                                                        // of nothing
		{Line: 14, Key: "2", Name: "Rubus h", Rank: "species"},                                                                            // an id twice
		{Line: 15, Key: "15", Name: "123", Rank: "species"},                                                                               // no name
	}}
	p, err := f.PlanChecklist(t.Context(), curator, list)
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]identify.ChecklistState{}
	for _, x := range p.Taxa {
		states[x.Taxon.ScientificName] = x.State
	}
	want := map[string]identify.ChecklistState{"Plantae": identify.ChecklistKnown, "Rosaceae": identify.ChecklistKnown, "Rubus": identify.ChecklistNew,
		"Rubus novus": identify.ChecklistNew, "Rubus ruber": identify.ChecklistKnown, "Rubus glaucus": identify.ChecklistChanged, "Animalia": identify.ChecklistNew}
	for name, state := range want {
		if states[name] != state {
			t.Errorf("%s is %q, want %q", name, states[name], state)
		}
	}
	if len(states) != len(want) || p.Synonyms != 1 {
		t.Errorf("%v, %d synonyms", states, p.Synonyms)
	}
	var lines []int
	for _, x := range p.Problems {
		lines = append(lines, x.Line)
	}
	if !slices.Equal(lines, []int{6, 7, 8, 9, 10, 11, 12, 13, 14, 15}) {
		t.Errorf("left out %+v", p.Problems)
	}
}

func TestTakeChecklist(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	list := identify.Checklist{Name: "reserve.csv", Rows: []identify.ChecklistRow{
		{Line: 2, Name: "Rubus novus", Rank: "species", English: "New Bramble", Synonyms: []string{"Rubus vetus"},
			Higher:     []identify.HigherTaxon{{Rank: "family", Name: "Rosaceae"}, {Rank: "genus", Name: "Rubus"}},
			Vernacular: []identify.VernacularName{{Language: "DE", Name: "Neubeere"}}},
		{Line: 3, Name: "Rubus ruber", Rank: "species", English: "Scarlet Bramble"},
	}}
	_, err := f.TakeChecklist(ctx, identify.User{Role: identify.Expert}, list, identify.ChecklistChoice{}, quiet)
	if identify.KindOf(err) != identify.Forbidden {
		t.Fatalf("an expert: %v", err)
	}
	done, err := f.TakeChecklist(ctx, curator, list, identify.ChecklistChoice{Set: "Reserve"}, quiet)
	if err != nil || done.New != 2 || done.Changed != 0 { // the species and its genus
		t.Fatalf("%+v, %v", done, err)
	}
	found, err := f.SearchTaxa(ctx, "neubeere", 5)
	if err != nil || len(found) != 1 || found[0].ScientificName != "Rubus novus" || !slices.Equal(found[0].Synonyms, []string{"Rubus vetus"}) || found[0].Group != "" {
		t.Fatalf("%+v, %v", found, err)
	}
	above, err := f.Ancestors(ctx, found[0].ID)
	if err != nil || len(above) != 3 || above[0].ScientificName != "Rubus" || above[1].ID != 2 {
		t.Errorf("%+v, %v", above, err)
	}
	set, err := f.LabelSet(ctx, done.Set)
	if err != nil || !slices.Equal(set.Taxa, []identify.TaxonID{found[0].ID, 3}) {
		t.Errorf("%+v, %v", set, err)
	}
	// Rubus glaucus is below its family already; told its kingdom, it stays there.
	coarse := identify.Checklist{Rows: []identify.ChecklistRow{{Line: 2, Name: "Rubus glaucus", Rank: "species", Higher: []identify.HigherTaxon{{Rank: "kingdom", Name: "Plantae"}}}}}
	if p, err := f.PlanChecklist(ctx, curator, coarse); err != nil || p.Changed != 0 || p.Known != 2 {
		t.Errorf("%+v, %v", p, err)
	}
	if x, _ := f.Taxon(ctx, 3); x.EnglishName != "Red Bramble" {
		t.Errorf("changed without being asked: %+v", x)
	}
	// Again, with the changes: nothing is new, and one thing is told otherwise.
	done, err = f.TakeChecklist(ctx, curator, list, identify.ChecklistChoice{Changes: true}, quiet)
	if err != nil || done.New != 0 || done.Changed == 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	if x, _ := f.Taxon(ctx, 3); x.EnglishName != "Scarlet Bramble" || !slices.Contains(x.Synonyms, "Red Bramble") {
		t.Errorf("%+v", x)
	}
	p, err := f.PlanChecklist(ctx, curator, list)
	if err != nil || p.New != 0 {
		t.Errorf("%+v, %v", p, err)
	}
}

// Lessons follow a taxon's id: a new name changes what is shown, not what was taught,
// and the encoder reads the new name from then on.
func TestRenamingKeepsLessons(t *testing.T) {
	f, ctx := newFixture(t), t.Context()
	before, err := f.Taxon(ctx, 4)
	if err != nil {
		t.Fatal(err)
	}
	edit := identify.TaxonEdit{ScientificName: "Rubus viridis", EnglishName: before.EnglishName, Rank: "species", Parent: 2}
	after, err := f.EditTaxon(ctx, curator, 4, edit)
	if err != nil || after.ID != 4 || !slices.Contains(after.Synonyms, "Rubus glaucus") {
		t.Fatalf("%+v, %v", after, err)
	}
	if seen, said := f.Seen(after); !seen || !said {
		t.Error("the encoder has learned to see it under its former name")
	}
	if found, err := f.SearchTaxa(ctx, "rubus glau", 5); err != nil || len(found) != 1 || found[0].ID != 4 {
		t.Errorf("%+v, %v", found, err)
	}
	for field, e := range map[string]identify.TaxonEdit{
		"scientific_name": {ScientificName: "Rubus ruber", Rank: "species", Parent: 2}, // another has it
		"rank":            {ScientificName: "Rubus viridis", Rank: "clan", Parent: 2},
		"parent":          {ScientificName: "Rubus viridis", Rank: "species", Parent: 4},
		"vernacular":      {ScientificName: "Rubus viridis", Rank: "species", Vernacular: []identify.VernacularName{{Language: "gibberish!", Name: "x"}}},
	} {
		_, err := f.EditTaxon(ctx, curator, 4, e)
		if x := (*identify.Error)(nil); !errors.As(err, &x) || x.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	// What is above something cannot go below it.
	_, err = f.EditTaxon(ctx, curator, 1, identify.TaxonEdit{ScientificName: "Plantae", EnglishName: "Plants", Rank: "kingdom", Parent: 4})
	if err == nil || !strings.Contains(err.Error(), "cannot be above it too") {
		t.Errorf("%v", err)
	}
}

func TestResolveNames(t *testing.T) {
	f := newFixture(t)
	r, err := f.ResolveNames(t.Context(), []string{"Red Bramble", "rubus RUBER", "red bramble", "Gren Bramble", "Unicorn"})
	if err != nil || !slices.Equal(r.Taxa, []identify.TaxonID{3}) || r.Twice != 2 || len(r.Unknown) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	if near := r.Unknown[0].Near; len(near) == 0 || near[0].ID != 4 {
		t.Errorf("%+v; one letter is missing", near)
	}
	if len(r.Unknown[1].Near) != 0 {
		t.Errorf("%+v", r.Unknown[1])
	}
}
