package vocabulary

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// lumped are names that the bird teacher uses for two species together: one has
// it as a synonym, the other as its name.
var lumped = []string{"Lanius excubitor"}

func TestScientificNamesAreUnique(t *testing.T) {
	l := load(t)
	type scope struct{ name, kingdom string }
	names := make(map[scope]Taxon)
	for _, taxon := range l.taxa {
		s := scope{taxon.ScientificName, l.kingdom(taxon)}
		if other, twice := names[s]; twice {
			t.Errorf("%s and %s are both called %q", other.Rank, taxon.Rank, s.name)
		}
		names[s] = taxon
	}
	for _, taxon := range l.taxa {
		for _, synonym := range taxon.Synonyms {
			if other, twice := names[scope{synonym, l.kingdom(taxon)}]; twice && other.Rank == taxon.Rank && !slices.Contains(lumped, synonym) {
				t.Errorf("%q is a synonym of %q but also a taxon: are they one?", synonym, taxon.ScientificName)
			}
		}
	}
}

func TestHomonymsAreApart(t *testing.T) {
	l := load(t)
	for _, test := range []struct{ first, second string }{
		{"Morus bassanus", "Morus alba"},
		{"Pieris rapae", "Pieris japonica"},
		{"Prunella modularis", "Prunella vulgaris"},
	} {
		var genera []int64
		for _, taxon := range l.taxa {
			if taxon.ScientificName == test.first || taxon.ScientificName == test.second {
				genera = append(genera, l.lineage(taxon)[Genus].ID)
			}
		}
		if len(genera) != 2 || genera[0] == genera[1] {
			t.Errorf("%q and %q: genera %v, want two", test.first, test.second, genera)
		}
	}
}

func TestNamesAreClean(t *testing.T) {
	for _, taxon := range load(t).taxa {
		names := append([]string{taxon.ScientificName, taxon.EnglishName, taxon.GermanName}, taxon.Synonyms...)
		for _, name := range names {
			if !norm.NFC.IsNormalString(name) || strings.Join(strings.Fields(name), " ") != name || strings.ContainsFunc(name, unicode.IsControl) {
				t.Errorf("%q is not normalised and trimmed", name)
			}
			if first, _ := utf8.DecodeRuneInString(name); name != "" && unicode.IsLower(first) {
				t.Errorf("%q begins with a small letter", name)
			}
			if strings.ContainsAny(name, "|;_") || strings.HasSuffix(name, ".") {
				t.Errorf("%q holds a stray sign", name)
			}
		}
		if taxon.Name() == "" {
			t.Errorf("taxon %d has no name", taxon.ID)
		}
		if slices.Contains(taxon.Synonyms, "") {
			t.Errorf("%q has an empty synonym", taxon.Name())
		}
		_, epithet, _ := strings.Cut(taxon.ScientificName, " ")
		if taxon.Rank != Breed && taxon.Rank != Cultivar && epithet != strings.ToLower(epithet) {
			t.Errorf("%q: epithets are in small letters", taxon.ScientificName)
		}
	}
}

// TestEnglishNamesAreUnique allows one name for a taxon and its ancestor:
// Penguins are both the order and its only family.
func TestEnglishNamesAreUnique(t *testing.T) {
	l := load(t)
	type scope struct{ name, group string }
	names := make(map[scope]Taxon)
	for _, taxon := range l.taxa {
		if taxon.EnglishName == "" {
			continue
		}
		s := scope{strings.ToLower(taxon.EnglishName), taxon.Group}
		if other, twice := names[s]; twice && l.lineage(taxon)[other.Rank].ID != other.ID {
			t.Errorf("%q and %q are both called %q", other.ScientificName, taxon.ScientificName, taxon.EnglishName)
		}
		names[s] = taxon
	}
}

// TestGermanNames allows one name for a taxon and its ancestor, as in English, and
// wants those that everybody knows.
func TestGermanNames(t *testing.T) {
	l := load(t)
	names := make(map[string]Taxon)
	german := make(map[string]string)
	for _, taxon := range l.taxa {
		if taxon.GermanName == "" {
			continue
		}
		german[taxon.ScientificName] = taxon.GermanName
		key := strings.ToLower(taxon.GermanName)
		if other, twice := names[key]; twice && l.lineage(taxon)[other.Rank].ID != other.ID {
			t.Errorf("%q and %q are both called %q", other.ScientificName, taxon.ScientificName, taxon.GermanName)
		}
		names[key] = taxon
	}
	for scientific, want := range map[string]string{"Parus major": "Kohlmeise", "Aglais io": "Tagpfauenauge", "Sciurus vulgaris": "Eichhörnchen",
		"Bellis perennis": "Gänseblümchen", "Amanita muscaria": "Fliegenpilz", "Aves": "Vögel", "": "Kein Lebewesen"} {
		if german[scientific] != want {
			t.Errorf("%q is called %q in German, want %q", scientific, german[scientific], want)
		}
	}
}
