package identify

import "testing"

// The tree of these tests: animals 1 ⊃ birds 2 ⊃ tits 3 ⊃ {great tit 4, blue tit 5},
// birds ⊃ robin 6; plants 10 ⊃ daisy 11; 20 and 21 are local, above them nothing.
var lineOf = map[TaxonID][]TaxonID{
	1: {1}, 2: {2, 1}, 3: {3, 2, 1}, 4: {4, 3, 2, 1}, 5: {5, 3, 2, 1}, 6: {6, 2, 1},
	10: {10}, 11: {11, 10}, 20: {20}, 21: {21},
}

func TestAgreement(t *testing.T) {
	for _, c := range []struct {
		name  string
		named []TaxonID
		want  Agreement
	}{
		{"nobody", nil, Agreement{}},
		{"one is no community", []TaxonID{4}, Agreement{}},
		{"two agree", []TaxonID{4, 4}, Agreement{Taxon: 4, For: 2, Of: 2}},
		{"siblings: the family, the species disputed", []TaxonID{4, 5}, Agreement{Taxon: 3, For: 2, Of: 2, Disputed: true}},
		{"two thirds are not more than two thirds", []TaxonID{4, 4, 5}, Agreement{Taxon: 3, For: 3, Of: 3, Disputed: true}},
		{"three of four are", []TaxonID{4, 4, 4, 5}, Agreement{Taxon: 4, For: 3, Of: 4}},
		{"a tit is no stand on which", []TaxonID{4, 3}, Agreement{Taxon: 3, For: 2, Of: 2}},
		{"nor does it weaken two who say which", []TaxonID{4, 4, 3}, Agreement{Taxon: 4, For: 2, Of: 2}},
		{"one against two, further up", []TaxonID{6, 6, 4}, Agreement{Taxon: 2, For: 3, Of: 3, Disputed: true}},
		// Tits: three for, the robin against, 3/4: agreed. Below, 4 and 5 contradict.
		{"agreed on the family against one, disputed below", []TaxonID{4, 4, 5, 6}, Agreement{Taxon: 3, For: 3, Of: 4, Disputed: true}},
		{"nothing in common", []TaxonID{4, 11}, Agreement{Disputed: true}},
		{"local names have nothing above", []TaxonID{20, 21}, Agreement{Disputed: true}},
		{"one local name, twice, against one", []TaxonID{20, 20, 21}, Agreement{Disputed: true}},
		{"and against one of four", []TaxonID{20, 20, 20, 21}, Agreement{Taxon: 20, For: 3, Of: 4}},
		// The kingdom: two for, and the plant is against: 2/3, not more.
		{"bird, robin and daisy", []TaxonID{2, 6, 11}, Agreement{Disputed: true}},
	} {
		var lines [][]TaxonID
		for _, id := range c.named {
			lines = append(lines, lineOf[id])
		}
		if got := AgreementOf(lines); got != c.want {
			t.Errorf("%s: %v: got %+v, want %+v", c.name, c.named, got, c.want)
		}
	}
}

// What all say together does not depend on who spoke first.
func TestAgreementInAnyOrder(t *testing.T) {
	ids := []TaxonID{1, 2, 3, 4, 5, 6, 11, 20}
	for _, a := range ids {
		for _, b := range ids {
			for _, c := range ids {
				one := AgreementOf([][]TaxonID{lineOf[a], lineOf[b], lineOf[c]})
				for _, other := range [][]TaxonID{{b, c, a}, {c, a, b}, {b, a, c}} {
					if got := AgreementOf([][]TaxonID{lineOf[other[0]], lineOf[other[1]], lineOf[other[2]]}); got != one {
						t.Fatalf("%v: %+v, but %v: %+v", []TaxonID{a, b, c}, one, other, got)
					}
				}
			}
		}
	}
}
