package vocabulary

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// loaded is the vocabulary with the look-ups that the tests need.
type loaded struct {
	taxa   []Taxon
	groups []Group
	byID   map[int64]Taxon
}

func load(t testing.TB) loaded {
	t.Helper()
	taxa, groups, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	l := loaded{taxa: taxa, groups: groups, byID: make(map[int64]Taxon, len(taxa))}
	for _, taxon := range taxa {
		l.byID[taxon.ID] = taxon
	}
	return l
}

// lineage returns the taxon and its ancestors by rank.
func (l loaded) lineage(taxon Taxon) map[Rank]Taxon {
	line := map[Rank]Taxon{taxon.Rank: taxon}
	for taxon.ParentID != 0 {
		taxon = l.byID[taxon.ParentID]
		line[taxon.Rank] = taxon
	}
	return line
}

func (l loaded) kingdom(taxon Taxon) string {
	return l.lineage(taxon)[Kingdom].ScientificName
}

func TestParentsComeFirstAndRanksDescend(t *testing.T) {
	seen := make(map[int64]Taxon)
	for _, taxon := range load(t).taxa {
		if taxon.ID < 1 || taxon.ID > MaxID {
			t.Errorf("%q: id %d is outside 1 to %d", taxon.Name(), taxon.ID, MaxID)
		}
		if taxon.Rank.Depth() < 0 {
			t.Errorf("%q: unknown rank %q", taxon.Name(), taxon.Rank)
		}
		parent, ok := seen[taxon.ParentID]
		if top := taxon.Rank == Kingdom || taxon.Rank == None; top != (taxon.ParentID == 0) || !top && !ok {
			t.Errorf("%s %q: parent %d is missing or comes later", taxon.Rank, taxon.Name(), taxon.ParentID)
		}
		if ok && parent.Rank.Depth() >= taxon.Rank.Depth() {
			t.Errorf("%s %q is below %s %q", taxon.Rank, taxon.Name(), parent.Rank, parent.Name())
		}
		if _, twice := seen[taxon.ID]; twice {
			t.Errorf("id %d is given twice", taxon.ID)
		}
		seen[taxon.ID] = taxon
	}
}

func TestEverySpeciesHasItsLineage(t *testing.T) {
	l := load(t)
	for _, taxon := range l.taxa {
		if taxon.Rank == None || !taxon.Rank.AtMostSpecies() {
			continue
		}
		line := l.lineage(taxon)
		for _, rank := range []Rank{Genus, Family, Order, Class, Phylum, Kingdom} {
			if _, ok := line[rank]; !ok {
				t.Errorf("%q has no %s", taxon.ScientificName, rank)
			}
		}
		if first, _, _ := strings.Cut(taxon.ScientificName, " "); first != line[Genus].ScientificName {
			t.Errorf("%q is in the genus %q", taxon.ScientificName, line[Genus].ScientificName)
		}
		if species, ok := line[Species]; ok && !strings.HasPrefix(taxon.ScientificName, species.ScientificName) {
			t.Errorf("%q is in the species %q", taxon.ScientificName, species.ScientificName)
		}
	}
}

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
			if other, twice := names[scope{synonym, l.kingdom(taxon)}]; twice && other.Rank == taxon.Rank {
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
		names := append([]string{taxon.ScientificName, taxon.EnglishName}, taxon.Synonyms...)
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

func TestGroups(t *testing.T) {
	l := load(t)
	species := make(map[string]int)
	for _, taxon := range l.taxa {
		if taxon.Listed() && taxon.Rank.AtMostSpecies() {
			species[taxon.Group]++
		}
	}
	atLeast := map[string]int{
		"birds": 960, "butterflies": 300, "moths": 300, "beetles": 85, "bees-wasps-ants": 60,
		"flies": 30, "dragonflies": 150, "bugs": 55, "grasshoppers-crickets": 30, "other-insects": 15,
		"arachnids": 30, "other-arthropods": 25, "mammals": 250, "reptiles": 75, "amphibians": 40,
		"fishes": 50, "sea-animals": 25, "molluscs-worms": 35, "plants": 330, "fungi": 200, "none": 1,
	}
	for _, g := range l.groups {
		t.Logf("%s: %d listed species, breeds and the like", g.Name, species[g.Key])
		if want, known := atLeast[g.Key]; !known || species[g.Key] < want {
			t.Errorf("%s: %d, want at least %d", g.Key, species[g.Key], want)
		}
		delete(species, g.Key)
	}
	for key := range species {
		t.Errorf("unknown group %q", key)
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, _, err := Load(); err != nil {
			b.Fatal(err)
		}
	}
}
