package identify

import "time"

// Upload is a photo with what its observer says of it. What is nil or "" is
// taken from the photo's EXIF where that has it.
type Upload struct {
	Photo        []byte
	ObservedAt   *time.Time
	Latitude     *float64
	Longitude    *float64
	License      string
	RightsHolder string
	Notes        string
}

// Answer is what a person says that an observation shows: a taxon by id, or a
// name, which is looked up among all names and becomes a local taxon if nothing
// has it.
type Answer struct {
	Taxon          TaxonID
	Label          string
	FromSuggestion bool
}
