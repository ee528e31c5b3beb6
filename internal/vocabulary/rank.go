package vocabulary

import "slices"

// A Rank is a level of classification, in lower case.
type Rank string

// The ranks that the vocabulary uses. Breed is for domestic animals and
// cultivar for plants: neither is a rank of zoology's code, but people
// photograph beagles and want to read "Beagle".
const (
	Kingdom     Rank = "kingdom"
	Phylum      Rank = "phylum"
	Class       Rank = "class"
	Order       Rank = "order"
	Suborder    Rank = "suborder"
	Infraorder  Rank = "infraorder"
	Superfamily Rank = "superfamily"
	Epifamily   Rank = "epifamily"
	Family      Rank = "family"
	Subfamily   Rank = "subfamily"
	Tribe       Rank = "tribe"
	Genus       Rank = "genus"
	Species     Rank = "species"
	Hybrid      Rank = "hybrid"
	Subspecies  Rank = "subspecies"
	Variety     Rank = "variety"
	Cultivar    Rank = "cultivar"
	Breed       Rank = "breed"
	None        Rank = "none" // of what is not an organism
)

// ranks are all, the highest first.
var ranks = [...]Rank{
	Kingdom, Phylum, Class, Order, Suborder, Infraorder, Superfamily, Epifamily,
	Family, Subfamily, Tribe, Genus, Species, Hybrid, Subspecies,
	Variety, Cultivar, Breed, None,
}

// Depth is the rank's place among all ranks, 0 for a kingdom; -1 for an unknown rank.
func (r Rank) Depth() int {
	return slices.Index(ranks[:], r)
}

// AtMostSpecies reports whether r is that of a species or a part of one, or of
// what is not an organism.
func (r Rank) AtMostSpecies() bool {
	return r.Depth() >= Species.Depth()
}
