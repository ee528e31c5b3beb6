package vocabulary

import (
	"fmt"
	"slices"
)

// A LabelSet is a choice of candidate labels, under a name that a person
// understands.
type LabelSet struct {
	Key    string
	Name   string
	Groups []string // keys of the groups it is made of
	Taxa   []int64  // ids of its candidates, in the order of Load
}

// LabelSets returns the label sets that come with the vocabulary. taxa is what
// Load gave. The candidates are the listed taxa of the set's groups: all
// species and what is below them, and of the higher ones those within which
// nothing is listed, so that no candidate rivals its own ancestor above the
// rank of species ("ants" against an ant); the higher ones are reached by
// falling back.
func LabelSets(taxa []Taxon) ([]LabelSet, error) {
	rows, err := readTable(embedded, "labelsets", "key", "name", "groups")
	if err != nil {
		return nil, fmt.Errorf("built-in label sets: %w", err)
	}
	candidates := candidates(taxa)
	sets := make([]LabelSet, 0, len(rows))
	for _, r := range rows {
		set := LabelSet{Key: r.get("key"), Name: r.get("name"), Groups: r.list("groups")}
		for _, t := range candidates {
			if slices.Contains(set.Groups, t.Group) {
				set.Taxa = append(set.Taxa, t.ID)
			}
		}
		sets = append(sets, set)
	}
	return sets, nil
}

func candidates(taxa []Taxon) []Taxon {
	parents := make(map[int64]int64, len(taxa))
	for _, t := range taxa {
		parents[t.ID] = t.ParentID
	}
	covered := make(map[int64]bool)
	for _, t := range taxa {
		for p := t.ParentID; t.Listed() && p != 0 && !covered[p]; p = parents[p] {
			covered[p] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(taxa), func(t Taxon) bool {
		return !t.Listed() || (covered[t.ID] && !t.Rank.AtMostSpecies())
	})
}
