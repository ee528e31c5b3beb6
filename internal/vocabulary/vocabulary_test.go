package vocabulary

import (
	"slices"
	"strings"
	"testing"
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
		species, ok := line[Species]
		if !ok && taxon.Rank != Hybrid {
			t.Errorf("%q has no species", taxon.ScientificName)
		}
		if ok && !strings.HasPrefix(taxon.ScientificName, species.ScientificName) {
			t.Errorf("%q is in the species %q", taxon.ScientificName, species.ScientificName)
		}
	}
}

// TestHigherTaxaAreNeeded finds what was left behind when a species moved.
func TestHigherTaxaAreNeeded(t *testing.T) {
	l := load(t)
	needed := make(map[int64]bool)
	for _, taxon := range slices.Backward(l.taxa) {
		if taxon.Listed() || needed[taxon.ID] {
			needed[taxon.ID], needed[taxon.ParentID] = true, true
		}
	}
	for _, taxon := range l.taxa {
		if !needed[taxon.ID] {
			t.Errorf("%s %q is neither listed nor above anything that is", taxon.Rank, taxon.ScientificName)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, _, err := Load(); err != nil {
			b.Fatal(err)
		}
	}
}
