package identify

import "time"

// Upload is a photo with what its observer says of it. What is nil is taken from
// the photo's EXIF where that has it.
type Upload struct {
	Photo        []byte
	ObservedAt   *time.Time
	Latitude     *float64
	Longitude    *float64
	License      string
	RightsHolder string
	Notes        string
	// Again is a word of the client's own, such as a UUID, where the same bytes
	// are meant to be another observation: one for each such word. With "", the
	// same bytes from the same person are the observation that they made before,
	// so that an upload can be repeated whenever its answer was lost.
	Again string
}

// Answer is what a person says that an observation shows: a taxon by id, or a
// name, which is looked up among all names and becomes a local taxon if nothing
// has it.
type Answer struct {
	Taxon          TaxonID
	Label          string
	FromSuggestion bool
}
