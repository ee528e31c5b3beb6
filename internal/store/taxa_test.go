package store

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"House  Sparrow":             "house sparrow",
		"Köck’s Red-Tail":            "kocks red tail",
		"Wilson´s":                   "wilsons",
		"  Ærø\tß  ":                 "aero ss",
		"ﬁnch":                       "finch",
		"Mallard ♂":                  "mallard ♂",
		"a\x00b\xffc":                "a b c",
		"Ёж":                         "еж",
		"हिन्दी":                     "हिन्दी",
		"İstanbul":                   "istanbul",
		strings.Repeat("É", 10_000):  strings.Repeat("e", 10_000),
		"%_\"'; DROP TABLE taxa; --": "%_\"; drop table taxa;",
		"'":                          "",
	} {
		if got := fold(in); got != want {
			t.Errorf("fold(%.40q) = %.40q, want %.40q", in, got, want)
		}
	}
}

func FuzzFold(f *testing.F) {
	f.Add("Köck’s Red-Tail")
	f.Add("İ\u0345ǰ")
	f.Add("ℌ")
	f.Fuzz(func(t *testing.T, name string) {
		once := fold(name)
		if twice := fold(once); twice != once {
			t.Errorf("fold(%q) = %q, folded again %q", name, once, twice)
		}
	})
}

func TestTaxa(t *testing.T) {
	s := fresh(t)
	list, err := s.Taxa(t.Context())
	if err != nil || len(list) != 7 {
		t.Fatalf("%d taxa, %v", len(list), err)
	}
	for i, x := range list {
		if x.ID != identify.TaxonID(i+1) {
			t.Errorf("place %d has id %d, want them by id", i, x.ID)
		}
	}
	sparrow, err := s.Taxon(t.Context(), 4)
	if err != nil || sparrow.Parent != 3 || sparrow.Group != "birds" || sparrow.Rank != "species" || sparrow.Local ||
		!slices.Equal(sparrow.Synonyms, []string{"English Sparrow"}) || !slices.Equal(list[3].Synonyms, sparrow.Synonyms) {
		t.Errorf("%+v, %v", sparrow, err)
	}
	_, err = s.Taxon(t.Context(), 99)
	wantKind(t, err, identify.NotFound, "")
}

func TestTaxonByName(t *testing.T) {
	s := fresh(t)
	for name, want := range map[string]identify.TaxonID{
		"Passer domesticus": 4, "HOUSE SPARROW": 4, "house-sparrow": 4, "english sparrow": 4,
		"passer": 3, "Wilsons oak": 6, "not an organism": 7,
		"House": 0, "": 0, "%": 0, "\x00": 0, strings.Repeat("x", 10_000): 0,
	} {
		got, err := s.TaxonByName(t.Context(), name)
		if got.ID != want || (want == 0) != (identify.KindOf(err) == identify.NotFound) {
			t.Errorf("%.30q: %d, %v; want %d", name, got.ID, err, want)
		}
	}
}

func TestScientificNameGoesFirst(t *testing.T) {
	s := fresh(t)
	taxa := append(tree(),
		identify.Taxon{ID: 8, ScientificName: "Aus bus", EnglishName: "Argus", Rank: "species"},
		identify.Taxon{ID: 9, ScientificName: "Argus", Rank: "genus"})
	if err := s.SeedTaxa(t.Context(), taxa, "2"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.TaxonByName(t.Context(), "argus"); err != nil || got.ID != 9 {
		t.Errorf("%d, %v; want the genus with that scientific name", got.ID, err)
	}
}

func TestSeedTaxaAgain(t *testing.T) {
	s := fresh(t)
	u := user(t, s, "ann")
	o := observe(t, s, u, "a")
	local, _, err := s.Teach(t.Context(), identify.NewIdentification{Observation: o.ID, Local: "Weißer Löwe", User: u.ID, At: noon})
	if err != nil || local.Taxon != identify.FirstLocalTaxon {
		t.Fatalf("%+v, %v", local, err)
	}

	// A newer vocabulary renames one, drops one (6), and brings the local one.
	newer := tree()[:5]
	newer[0].EnglishName = "Common Sparrow"
	newer = append(newer, identify.Taxon{ID: 10, ScientificName: "Leo albus", EnglishName: "Weisser Lowe", Rank: "species", Parent: 1})
	for range 2 {
		if err := s.SeedTaxa(t.Context(), newer, "2"); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]identify.TaxonID{"common sparrow": 4, "Quercus robur": 6, "weißer löwe": 10} {
		if got, err := s.TaxonByName(t.Context(), name); err != nil || got.ID != want {
			t.Errorf("%s: %d, %v; want %d", name, got.ID, err, want)
		}
	}
	if _, err := s.TaxonByName(t.Context(), "house sparrow"); identify.KindOf(err) != identify.NotFound {
		t.Errorf("the old name is still there: %v", err)
	}
	if kept, err := s.Taxon(t.Context(), local.Taxon); err != nil || kept.Parent != 10 || !kept.Local {
		t.Errorf("the local taxon is %+v, %v; want it below the built-in one", kept, err)
	}
	list, _, err := s.Observations(t.Context(), identify.ObservationFilter{Taxon: 10})
	if err != nil || len(list) != 1 {
		t.Errorf("%d observations of the built-in taxon, %v; want the local one's", len(list), err)
	}
	check(t, s)
}

func TestSeedTaxaRefusesLocalIDs(t *testing.T) {
	s := fresh(t)
	for _, id := range []identify.TaxonID{0, -1, identify.FirstLocalTaxon} {
		if err := s.SeedTaxa(t.Context(), []identify.Taxon{{ID: id, ScientificName: "X"}}, "2"); err == nil {
			t.Errorf("id %d was taken", id)
		}
	}
	if err := s.SeedTaxa(t.Context(), []identify.Taxon{{ID: 11, ScientificName: "X", Parent: 500}}, "2"); err == nil {
		t.Error("a parent that is not there was taken")
	}
}

func TestSearchTaxa(t *testing.T) {
	s := fresh(t)
	for _, c := range []struct {
		query string
		want  []identify.TaxonID
		match string // of the first
	}{
		{"passer", []identify.TaxonID{3, 5, 4}, "Passer"},
		{"PASSER d", []identify.TaxonID{4}, "Passer domesticus"},
		{"spar", []identify.TaxonID{3, 4, 5}, "Sparrows"},
		{"engl", []identify.TaxonID{4}, "English Sparrow"},
		{"sparrow house", []identify.TaxonID{4}, "House Sparrow"},
		{"tree-sp", []identify.TaxonID{5}, "Eurasian Tree Sparrow"},
		{"wilson’s", []identify.TaxonID{6}, "Wilson's Oak"},
		{"parrow", nil, ""},
		{"", nil, ""},
		{"%", nil, ""},
		{"_", nil, ""},
		{"\x00\xff'\"", nil, ""},
		{"' OR 1=1 --", nil, ""},
		{strings.Repeat("sparrow ", 1250), []identify.TaxonID{4, 5, 3}, "House Sparrow"},
		{"sparrow", []identify.TaxonID{4, 5, 3}, "House Sparrow"},
		{strings.Repeat("x", 10_000), nil, ""},
		{"a b c d e f g h i j k l m n o p q r s t u v w x y z", nil, ""},
	} {
		found, err := s.SearchTaxa(t.Context(), c.query, 10)
		var got []identify.TaxonID
		for _, m := range found {
			got = append(got, m.ID)
		}
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%.30q: %v, %v; want %v", c.query, got, err, c.want)
		} else if len(got) > 0 && found[0].MatchedName != c.match {
			t.Errorf("%.30q matched %q, want %q", c.query, found[0].MatchedName, c.match)
		}
	}
	if found, err := s.SearchTaxa(t.Context(), "p", 1); err != nil || len(found) != 1 {
		t.Errorf("%d found, %v; want the limit of 1", len(found), err)
	}
}

// What is meant comes first: not what merely begins with the same letters.
func TestSearchTaxaOrder(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "order.db"))
	list := []identify.Taxon{
		{ID: 1, ScientificName: "Robinia", Rank: "genus"},
		{ID: 2, ScientificName: "Robinia pseudoacacia", EnglishName: "Black Locust", Rank: "species"},
		{ID: 3, ScientificName: "Turdus migratorius", EnglishName: "American Robin", Rank: "species"},
		{ID: 4, ScientificName: "Petroica", EnglishName: "Robin", Rank: "genus"},
		{ID: 5, ScientificName: "Diogmites", EnglishName: "Robin Fly", Rank: "species"},
		{ID: 6, ScientificName: "Petroicidae", EnglishName: "Old Robin", Rank: "family"},
		{ID: 7, ScientificName: "Canis lupus", EnglishName: "Grey Wolf", Rank: "species"},
		{ID: 8, ScientificName: "Vulpes vulpes", EnglishName: "Red Fox", Rank: "species"},
		{ID: 9, ScientificName: "Digitalis purpurea", EnglishName: "Foxglove", Rank: "species"},
		{ID: 10, ScientificName: "Rubus", EnglishName: "Blackberry", Rank: "genus"},
	}
	if err := s.SeedTaxa(t.Context(), list, "1"); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string][]identify.TaxonID{
		"robin":        {4, 3, 6, 5, 2, 1}, // the name, at the end, elsewhere, the beginning; species first
		"robins":       {4, 3, 6, 5},
		"gray wolf":    {7},
		"grey wolf":    {7},
		"fox":          {8, 9},
		"foxes":        {8},
		"blackberries": {10},
	} {
		found, err := s.SearchTaxa(t.Context(), query, 10)
		var got []identify.TaxonID
		for _, m := range found {
			got = append(got, m.ID)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v; want %v", query, got, err, want)
		}
	}
}

func TestVeryLongLocalName(t *testing.T) {
	s := fresh(t)
	u := user(t, s, "ann")
	name := strings.Repeat("ä '%_ ", 2000)
	i, _, err := s.Teach(t.Context(), identify.NewIdentification{Observation: observe(t, s, u, "a").ID, Local: name, User: u.ID, At: noon})
	if err != nil || i.TaxonLabel != name {
		t.Fatalf("label of %d bytes, %v", len(i.TaxonLabel), err)
	}
	if got, err := s.TaxonByName(t.Context(), name); err != nil || got.ID != i.Taxon {
		t.Errorf("%d, %v", got.ID, err)
	}
}

// many is a vocabulary of n species with names of made-up words.
func many(n int) []identify.Taxon {
	syllables := []string{"pa", "sse", "rin", "tur", "do", "ca", "lus", "mi", "no", "ber"}
	word := func(i int) string {
		return syllables[i%10] + syllables[i/10%10] + syllables[i/100%10] + syllables[i/1000%10]
	}
	list := make([]identify.Taxon, n)
	for i := range list {
		list[i] = identify.Taxon{ID: identify.TaxonID(i + 1), Rank: "species",
			ScientificName: word(i/7) + " " + word(i), EnglishName: fmt.Sprintf("%s %s bird", word(i*3), word(i*7)),
			Synonyms: []string{word(i+1) + " " + word(i)}}
	}
	return list
}

func BenchmarkSearchTaxa(b *testing.B) {
	s := fresh(b)
	if err := s.SeedTaxa(b.Context(), many(8000), "many"); err != nil {
		b.Fatal(err)
	}
	for _, query := range []string{"p", "bird", "passerin", "passe rin", "papapa bird", "b p"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.SearchTaxa(b.Context(), query, 10); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSeedTaxa(b *testing.B) {
	s := fresh(b)
	list := many(8000)
	for i := 0; b.Loop(); i++ {
		if err := s.SeedTaxa(b.Context(), list, fmt.Sprint(i)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTaxa(b *testing.B) {
	s := fresh(b)
	if err := s.SeedTaxa(b.Context(), many(8000), "many"); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.Taxa(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
