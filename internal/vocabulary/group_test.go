package vocabulary

import (
	"slices"
	"testing"
)

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

// TestGroupsAreClades checks that what is in a group is in the group's clade,
// and that the orders which are divided here are divided fully.
func TestGroupsAreClades(t *testing.T) {
	l := load(t)
	clades := map[string]string{
		"birds": "Aves", "butterflies": "Papilionoidea", "moths": "Lepidoptera", "beetles": "Coleoptera",
		"bees-wasps-ants": "Hymenoptera", "flies": "Diptera", "dragonflies": "Odonata", "bugs": "Hemiptera",
		"grasshoppers-crickets": "Orthoptera", "other-insects": "Insecta", "arachnids": "Arachnida",
		"other-arthropods": "Arthropoda", "mammals": "Mammalia", "reptiles": "Reptilia", "amphibians": "Amphibia",
		"fishes": "Chordata", "sea-animals": "Animalia", "molluscs-worms": "Animalia",
	}
	divided := []string{"Odonata", "Orthoptera"}
	for _, taxon := range l.taxa {
		var above []string
		for a, ok := taxon, true; ok; a, ok = l.byID[a.ParentID] {
			above = append(above, a.ScientificName)
		}
		clade, whole := clades[taxon.Group]
		if whole && taxon.Rank.AtMostSpecies() && !slices.Contains(above, clade) {
			t.Errorf("%q is among the %s but not in %s", taxon.ScientificName, taxon.Group, clade)
		}
		if taxon.Group == "moths" && slices.Contains(above, "Papilionoidea") {
			t.Errorf("%q is a butterfly", taxon.ScientificName)
		}
		if parent := l.byID[taxon.ParentID].ScientificName; taxon.Rank == Family && slices.Contains(divided, parent) {
			t.Errorf("%q is in no suborder of %s", taxon.ScientificName, parent)
		}
	}
}
