package vocabulary

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// teachers is where the teachers' lists lie, from this directory.
const teachers = "../../../shared/data/teachers/"

// unnamed are the ImageNet labels that name a part or a colour of the organism
// in the picture, which would mislead as a synonym of it.
var unnamed = map[string]string{
	"sorrel": "Equus caballus", // a colour of horses
	"hip":    "Rosa",           // the fruit
	"ear":    "Zea mays",       // the cob
}

// TestLabelsResolve checks that every label of the teachers' lists means
// exactly one taxon, and one that bears the label's name.
func TestLabelsResolve(t *testing.T) {
	l := load(t)
	meaning := make(map[Source]Taxon)
	for _, taxon := range l.taxa {
		for _, s := range taxon.Sources {
			if other, twice := meaning[s]; twice && s.Label >= 0 {
				t.Errorf("%s %d means %q and %q", s.List, s.Label, other.Name(), taxon.Name())
			}
			meaning[s] = taxon
		}
	}
	for list, file := range map[string]string{Birds: "bird", Insects: "insect", ImageNet: "imagenet"} {
		t.Run(list, func(t *testing.T) {
			for index, names := range readLabels(t, file+"_labels.tsv") {
				taxon, ok := meaning[Source{list, index}]
				if !ok {
					t.Errorf("label %d %q means nothing", index, names)
				} else if taxon.Rank != None && !slices.ContainsFunc(names, taxon.bears) && unnamed[names[1]] != taxon.ScientificName {
					t.Errorf("label %d %q means %q", index, names, taxon.Name())
				}
			}
		})
	}
}

func (t Taxon) bears(name string) bool {
	same := func(s string) bool { return strings.EqualFold(s, name) }
	return name != "" && (same(t.ScientificName) || same(t.EnglishName) || slices.ContainsFunc(t.Synonyms, same))
}

// readLabels returns the names of each label: the scientific and the common one.
func readLabels(t *testing.T, file string) [][]string {
	t.Helper()
	text, err := os.ReadFile(teachers + file)
	if os.IsNotExist(err) {
		t.Skipf("no %s: the teachers' lists are not part of the repository", teachers+file)
	}
	if err != nil {
		t.Fatal(err)
	}
	var labels [][]string
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		cells := strings.Split(line, "\t")
		if cells[0] != fmt.Sprint(len(labels)) {
			t.Fatalf("%s: label %q, want %d", file, cells[0], len(labels))
		}
		labels = append(labels, cells[1:])
	}
	return labels
}

func TestListsMeetInOneTaxon(t *testing.T) {
	l := load(t)
	for name, want := range map[string][]string{
		"Danaus plexippus":     {Insects, ImageNet},
		"Haemorhous mexicanus": {Birds, ImageNet},
		"Pieris rapae":         {Insects, Others},
	} {
		i := slices.IndexFunc(l.taxa, func(taxon Taxon) bool { return taxon.ScientificName == name })
		if i < 0 {
			t.Errorf("no %q", name)
			continue
		}
		for _, list := range want {
			if !slices.ContainsFunc(l.taxa[i].Sources, func(s Source) bool { return s.List == list }) {
				t.Errorf("%q is not from %s: %v", name, list, l.taxa[i].Sources)
			}
		}
	}
}
