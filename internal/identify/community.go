package identify

import (
	"context"
	"slices"
)

// Community is what the people who named an observation say together.
//
// The rule. Each standing identification takes a stand on a taxon x: for it if it
// names x or a taxon below, against it if it names neither that nor a taxon above;
// whoever names a taxon above x has only said less. The community name is the
// deepest taxon that at least two are for, and more than two thirds of those who
// take a stand. (Two taxa of which neither is above the other cannot both be that:
// those for one are against the other. So there is at most one deepest.)
//
// It is disputed if two identifications contradict each other, neither being above
// the other, and the community name decides between them in neither's favour: both
// name something below it, or there is no community name. That is how two who say
// Great Tit and Blue Tit agree on the family and dispute the species.
type Community struct {
	Name     Taxon // zero: nothing is agreed on
	For      int   // identifications for it
	Of       int   // those that take a stand on it
	People   int   // all that stand
	Disputed bool
}

// communityFor of communityOf is the share that has to be exceeded.
const communityFor, communityOf = 2, 3

// Community applies the rule to the identifications that stand.
func (s *Service) Community(ctx context.Context, o Observation) (Community, error) {
	var lines [][]TaxonID
	for _, i := range o.Identifications {
		if i.Withdrawn() {
			continue
		}
		if _, err := s.meet(ctx, i.Taxon); err != nil {
			return Community{}, err
		}
		line := []TaxonID{i.Taxon}
		for _, t := range s.taxonomy.ancestors(i.Taxon) {
			line = append(line, t.ID)
		}
		lines = append(lines, line)
	}
	a := AgreementOf(lines)
	c := Community{For: a.For, Of: a.Of, People: len(lines), Disputed: a.Disputed}
	if a.Taxon != 0 {
		c.Name, _ = s.taxonomy.taxon(a.Taxon)
	}
	return c, nil
}

// Agreement is a Community in numbers.
type Agreement struct {
	Taxon    TaxonID
	For, Of  int
	Disputed bool
}

// AgreementOf applies the rule of Community to lines of taxa: one for each standing
// identification, what it names first and then the taxa above that, nearest first.
func AgreementOf(lines [][]TaxonID) Agreement {
	var best Agreement
	depth := -1 // taxa above best.Taxon
	for _, line := range lines {
		for i, x := range line {
			a := standOn(lines, x, line[i+1:])
			agreed := a.For >= 2 && a.For*communityOf > a.Of*communityFor
			if above := len(line) - i - 1; agreed && above > depth {
				best, depth = a, above
			}
		}
	}
	best.Disputed = disputed(lines, best.Taxon)
	return best
}

// standOn counts who is for x, whose ancestors are above, and who takes a stand.
func standOn(lines [][]TaxonID, x TaxonID, above []TaxonID) Agreement {
	a := Agreement{Taxon: x}
	for _, line := range lines {
		switch {
		case slices.Contains(line, x):
			a.For++
			a.Of++
		case !slices.Contains(above, line[0]):
			a.Of++
		}
	}
	return a
}

// disputed tells whether two lines contradict each other below a taxon; anywhere,
// if that is 0.
func disputed(lines [][]TaxonID, agreed TaxonID) bool {
	below := func(line []TaxonID) bool { return agreed == 0 || slices.Contains(line[1:], agreed) }
	for i, a := range lines {
		for _, b := range lines[:i] {
			if below(a) && below(b) && !slices.Contains(a, b[0]) && !slices.Contains(b, a[0]) {
				return true
			}
		}
	}
	return false
}
