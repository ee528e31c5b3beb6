package identify

import "testing"

// sparrows is a small tree: two sparrows of one genus, a finch of another
// family, all in one order, and an oak far away.
func sparrows() *taxonomy {
	return newTaxonomy([]Taxon{
		{ID: 1, ScientificName: "Animalia", Rank: "kingdom"},
		{ID: 2, ScientificName: "Passeriformes", EnglishName: "Perching Birds", Rank: "order", Parent: 1},
		{ID: 3, ScientificName: "Passeridae", Rank: "family", Parent: 2},
		{ID: 4, ScientificName: "Passer", Rank: "genus", Parent: 3},
		{ID: 5, ScientificName: "Passer domesticus", EnglishName: "House Sparrow", Rank: "species", Parent: 4},
		{ID: 6, ScientificName: "Passer montanus", EnglishName: "Tree Sparrow", Rank: "species", Parent: 4},
		{ID: 7, ScientificName: "Fringilla coelebs", EnglishName: "Chaffinch", Rank: "species", Parent: 2},
		{ID: 8, ScientificName: "Quercus robur", EnglishName: "English Oak", Rank: "species"},
	})
}

func TestHeadline(t *testing.T) {
	type p struct {
		taxon TaxonID
		p     float64
	}
	for _, tc := range []struct {
		name    string
		all     []p
		want    TaxonID
		certain bool
	}{
		{"sure of the species", []p{{5, .7}, {6, .2}, {8, .1}}, 5, true},
		{"between two of a genus", []p{{5, .45}, {6, .4}, {8, .15}}, 4, false},
		{"between two families", []p{{5, .35}, {7, .35}, {8, .3}}, 2, false},
		{"nothing in common but the kingdom", []p{{8, .55}, {5, .4}, {6, .05}}, 8, false},
		{"free text has no ancestors", []p{{0, .4}, {5, .3}, {6, .3}}, 0, false},
		{"nothing to say", nil, 0, false},
	} {
		tax := sparrows()
		var all []Candidate
		for _, c := range tc.all {
			x, _ := tax.taxon(c.taxon)
			all = append(all, Candidate{Taxon: c.taxon, Label: x.Label(), Rank: x.Rank, Probability: c.p})
		}
		got := headline(all, tax, sure)
		if got.Taxon != tc.want || got.Certain != tc.certain {
			t.Errorf("%s: %+v, want taxon %d, certain %v", tc.name, got, tc.want, tc.certain)
		}
	}
}

func TestAncestorsOfACycleEnd(t *testing.T) {
	tax := newTaxonomy([]Taxon{{ID: 1, Parent: 2}, {ID: 2, Parent: 1}})
	if n := len(tax.ancestors(1)); n != maxDepth {
		t.Errorf("%d ancestors, want the bound %d", n, maxDepth)
	}
}
