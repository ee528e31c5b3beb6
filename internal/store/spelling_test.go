package store

import (
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

// Text that is looked for is spelled like what it is to find, however either is typed.
// By hand: of ae, oe and ue the e goes, but of ue after a vowel or q.
func TestSpelled(t *testing.T) {
	for want, all := range map[string][]string{
		"mausebussard":     {"Mäusebussard", "Maeusebussard", "mausebussard", "MÄUSEBUSSARD", "Ma\u0308usebussard"},
		"grunspecht":       {"Grünspecht", "Gruenspecht", "grunspecht"},
		"grosse strass":    {"Große Straß", "grosse Strass", "GROSSE STRAẞ"},
		"gansesager":       {"Gänsesäger", "Gaensesaeger", "Gänsesaeger", "gansesager"},
		"aro":              {"Ærø", "Aeroe", "aero", "ÆRØ"},
		"osterreich":       {"Österreich", "Oesterreich", "Œsterreich"},
		"epervier bleu":    {"Épervier bleu", "epervier bleu"},
		"annas humingbird": {"Anna's Humingbird", "Anna’s humingbird", "annas humingbird"},
		"blaue quelle":     {"blaue Quelle", "Blaue quelle"}, // no umlauts
		"neu":              {"neu", "Neü"},
		"zoologi":          {"Zoologi", "Zoölogi"},
	} {
		for _, text := range all {
			if got := searched(text); got != want {
				t.Errorf("%q is looked for as %q, want %q", text, got, want)
			}
		}
	}
}

// Whoever has typed the beginning of a name looks for the beginning of what it is
// spelled; and nothing but an e goes.
func FuzzSpelled(f *testing.F) {
	for _, text := range []string{"maeusebussard", "queue", "aeeoeueuee", "blaue quelle", "мäe"} {
		f.Add(text, 3)
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		whole := spelled(text)
		if at >= 0 && at <= len(text) && !strings.HasPrefix(whole, spelled(text[:at])) {
			t.Errorf("%q is spelled %q, its beginning %q %q", text, whole, text[:at], spelled(text[:at]))
		}
		if strings.ReplaceAll(whole, "e", "") != strings.ReplaceAll(text, "e", "") {
			t.Errorf("%q is spelled %q", text, whole)
		}
	})
}

// By hand: three words, and what goes on from the first and from the second of them.
func TestIndex(t *testing.T) {
	got := index("amerikanische rot eiche")
	want := []indexed{{"amerikanische", 0}, {"rot", 0}, {"eiche", 0}, {"amerikanischeroteiche", 13}, {"roteiche", 3}}
	if len(got) != len(want) {
		t.Fatalf("%v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%v, want %v", got[i], want[i])
		}
	}
	if got := index("a b c d e f"); got[6] != (indexed{"abcd", 1}) || len(got) != 11 {
		t.Errorf("more than four run together: %v", got)
	}
	if got := index("bubo bubo"); len(got) != 2 || got[1] != (indexed{"bubobubo", 4}) {
		t.Errorf("a word that comes twice: %v", got)
	}
}

// spellings is a vocabulary of names that are typed in several ways.
func spellings(t *testing.T) *Store {
	s := fresh(t)
	german := func(name string) []identify.VernacularName {
		return []identify.VernacularName{{Language: "de", Name: name}}
	}
	taxa := []identify.Taxon{
		{ID: 101, ScientificName: "Buteo buteo", EnglishName: "Common Buzzard", Rank: "species", Vernacular: german("Mäusebussard")},
		{ID: 102, ScientificName: "Parus major", EnglishName: "Great Tit", Rank: "species", Vernacular: german("Kohlmeise")},
		{ID: 103, ScientificName: "Quercus rubra", EnglishName: "Northern Red Oak", Rank: "species", Vernacular: german("Amerikanische Rot-Eiche")},
		{ID: 104, ScientificName: "Columba livia", EnglishName: "Rock Dove", Rank: "species", Vernacular: german("Straßentaube")},
		{ID: 105, ScientificName: "Calypte anna", EnglishName: "Anna's Hummingbird", Rank: "species"},
		{ID: 106, ScientificName: "Boa", Rank: "genus"},
		{ID: 107, ScientificName: "Boea", Rank: "genus"},
		{ID: 108, ScientificName: "Mus", Rank: "genus", Vernacular: []identify.VernacularName{{Language: "da", Name: "Ærømus"}, {Language: "fr", Name: "Souris à épaulette"}}},
		{ID: 109, ScientificName: "Attelabus nitens", Rank: "species", Vernacular: german("Roteichenblattroller")},
		{ID: 110, ScientificName: "Ischnura", EnglishName: "Bluet", Rank: "genus"},
		{ID: 111, ScientificName: "Cyanistes caeruleus", EnglishName: "Blue Tit", Rank: "species"},
	}
	if err := s.SeedTaxa(t.Context(), append(tree(), taxa...), "2"); err != nil {
		t.Fatal(err)
	}
	check(t, s)
	return s
}

// A name is found however its umlauts are typed, with or without its accents and
// apostrophes, and with its words run together or taken apart.
func TestSearchFindsOtherSpellings(t *testing.T) {
	s := spellings(t)
	for want, queries := range map[identify.TaxonID][]string{
		101: {"Mäusebussard", "Maeusebussard", "mausebussard", "Maeuse", "Mäuse bussard", "MAEUSE-BUSSARD", "buzzard common"},
		102: {"Kohlmeise", "kohl meise", "Kohl-Meise", "kohl mei"},
		103: {"Rot-Eiche", "roteiche", "Amerikanische Roteiche", "amerikanischeroteiche", "northern redoak"},
		104: {"Straßentaube", "strassentaube", "STRASSEN", "straß", "Strassen Taube"},
		105: {"Annas hummingbird", "anna's humming bird", "Anna hum", "annashummingbird", "hummingbirds annas"},
		108: {"Ærø", "aero", "Aeroe", "Aro", "epaulette", "ÉPAU", "souris a", "aeromus"},
		110: {"bluets"},
		111: {"bluetit", "blue tit", "caeruleus"},
	} {
		for _, q := range queries {
			found, err := s.SearchTaxa(t.Context(), q, 10)
			if err != nil || len(found) == 0 || found[0].ID != want {
				t.Errorf("%q finds %v, %v; want %d first", q, found, err, want)
			}
		}
	}
	for _, q := range []string{"meisekohl", "redn", "ohlmeise", "oak eiche kohl", "bussard xylophon"} {
		if found, err := s.SearchTaxa(t.Context(), q, 10); err != nil || len(found) > 0 {
			t.Errorf("%q finds %v, %v", q, found, err)
		}
	}
}

// Names that are spelled alike are not the same, and the one that was typed comes
// first; only what is the same name by fold is said to be.
func TestWhatIsFoundIsNotTheSame(t *testing.T) {
	s := spellings(t)
	for _, c := range []struct {
		query string
		first identify.TaxonID
		same  bool
	}{
		{"Boea", 107, true}, {"Boa", 106, true}, {"bóa", 106, true}, {"Mäusebussard", 101, true}, {"mausebussard", 101, true},
		{"Maeusebussard", 101, false}, {"kohl meise", 102, false}, {"Kohl", 102, false}, {"annas hummingbird", 105, true},
		{"roteiche", 103, false}, {"bluet", 110, true},
	} {
		found, err := s.SearchTaxa(t.Context(), c.query, 10)
		if err != nil || len(found) == 0 || found[0].ID != c.first || found[0].Same != c.same {
			t.Errorf("%q finds %+v, %v", c.query, found, err)
		}
	}
	if _, err := s.TaxonByName(t.Context(), "Maeusebussard"); identify.KindOf(err) != identify.NotFound {
		t.Errorf("another spelling is taken for the name: %v", err)
	}
}

// Observations are found by their names and notes as they are spelled too.
func TestObservationsAreFoundByOtherSpellings(t *testing.T) {
	s := spellings(t)
	u := user(t, s, "ann")
	o := observe(t, s, u, "a")
	teach(t, s, u, o.ID, 101)
	noted := func(d identify.Details) (identify.Details, error) {
		d.Notes = "Über der Straße nach Ærø"
		return d, nil
	}
	if _, err := s.EditDetails(t.Context(), o.ID, u.ID, noon, noted); err != nil {
		t.Fatal(err)
	}
	for q, want := range map[string]int{"Maeusebussard": 1, "mäuse": 1, "ueber der strasse": 1, "aeroe": 1, "Uber": 1, "xyz": 0} {
		list, _, err := s.Observations(t.Context(), identify.ObservationFilter{Query: q, Limit: 10})
		if err != nil || len(list) != want {
			t.Errorf("%q finds %d, %v", q, len(list), err)
		}
	}
}
