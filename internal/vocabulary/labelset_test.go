package vocabulary

import (
	"slices"
	"testing"
)

func TestLabelSets(t *testing.T) {
	l := load(t)
	sets, err := LabelSets(l.taxa)
	if err != nil {
		t.Fatal(err)
	}
	var grouped []string
	for _, set := range sets {
		t.Logf("%s: %d candidates", set.Name, len(set.Taxa))
		grouped = append(grouped, set.Groups...)
		if len(set.Taxa) < 100 {
			t.Errorf("%s has %d candidates only", set.Name, len(set.Taxa))
		}
		chosen := make(map[int64]bool)
		for _, id := range set.Taxa {
			if taxon := l.byID[id]; chosen[id] || !taxon.Listed() || !slices.Contains(set.Groups, taxon.Group) {
				t.Errorf("%s: %q does not belong there, or twice", set.Name, taxon.Name())
			}
			chosen[id] = true
		}
		for _, id := range set.Taxa {
			for p := l.byID[id].ParentID; p != 0; p = l.byID[p].ParentID {
				if chosen[p] && !l.byID[p].Rank.AtMostSpecies() {
					t.Errorf("%s: %q rivals %q within it", set.Name, l.byID[p].Name(), l.byID[id].Name())
				}
			}
		}
	}
	for _, g := range l.groups {
		if !slices.Contains(grouped, g.Key) {
			t.Errorf("group %q is in no label set", g.Key)
		}
	}
	for _, key := range grouped {
		if !slices.ContainsFunc(l.groups, func(g Group) bool { return g.Key == key }) {
			t.Errorf("label sets name the unknown group %q", key)
		}
	}
}
