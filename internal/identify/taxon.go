package identify

import "time"

// TaxonID identifies a taxon for good. Corrections refer to it, never to a
// name. Taxa of the starting vocabulary have ids below FirstLocalTaxon.
type TaxonID int64

// FirstLocalTaxon is the least id of a taxon that people added here.
const FirstLocalTaxon TaxonID = 1_000_001

// Rank is a taxonomic rank in lower case: "species", "genus", "family",
// "order", "class", "phylum", "kingdom", "subspecies", "breed", "hybrid";
// "none" for what is not an organism and "unranked" for a local taxon.
type Rank string

// The ranks that the use cases treat apart.
const (
	RankNone     Rank = "none"
	RankUnranked Rank = "unranked"
)

// Taxon is one named node of the tree of life.
type Taxon struct {
	ID             TaxonID
	ScientificName string // unique among taxa of its rank; as typed for a local taxon
	EnglishName    string // "" where there is none
	Synonyms       []string
	Vernacular     []VernacularName // what it is called in other languages, by language; of one's, the first is shown
	Rank           Rank
	Group          string  // key of the group it is shown under: "birds", "plants", …; "" for a local one
	Parent         TaxonID // 0 at the top
	Local          bool    // added here by a correction; not in the starting vocabulary
	Accepted       TaxonID // of what it is a synonym, since a curator merged the two; 0: it stands by itself
	CreatedAt      time.Time
}

// Label is the name that programs are given, and that is put before people whose
// language has none for it (Called): the English name where there is one, otherwise
// the scientific name.
func (t Taxon) Label() string {
	if t.EnglishName != "" {
		return t.EnglishName
	}
	return t.ScientificName
}

// TaxonMatch is a taxon found by one of its names.
type TaxonMatch struct {
	Taxon
	MatchedName string // the name that matched, as it is stored
	Same        bool   // it is the very name that was looked for, but for case, accents and the like
}

// LabelSetID identifies a label set.
type LabelSetID int64

// LabelSet is a named list of candidate labels.
type LabelSet struct {
	ID        LabelSetID
	Name      string
	Builtin   bool // comes with the vocabulary; can be neither changed nor deleted
	Taxa      []TaxonID
	Seen      int // how many of Taxa the encoder's photo tower has learned to see; -1: it does not say
	CreatedAt time.Time
}
