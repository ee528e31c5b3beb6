package identify

import (
	"cmp"
	"time"
)

// ObservationID identifies an observation.
type ObservationID int64

// IdentificationID identifies an identification.
type IdentificationID int64

// UserID identifies a person (or a program with a token).
type UserID int64

// Seq numbers the events of the log from 1; a memory's Seq is that of the last
// event folded into it, 0 for an empty one.
type Seq int64

// PhotoHash is the SHA-256 of a photo's bytes in lower-case hex. The same bytes
// are the same photo.
type PhotoHash string

// Photo is what is kept about a stored photo. Its bytes and its thumbnail are
// files, found by Hash. An exemplar that was imported without its photo has a
// Photo too, of 0 bytes, whose Hash is the SHA-256 of the embedding instead. One that
// came with a bundle, of 0 bytes likewise, has the Hash of the photo that stayed where
// it was.
type Photo struct {
	Hash      PhotoHash
	MediaType string // "image/jpeg", …
	Bytes     int64
	// Glimpse: its thumbnail came in a bundle without it. Where the photo itself is
	// here that says nothing.
	Glimpse       bool
	Width, Height int // upright, in pixels; of a glimpse, that of the thumbnail
	TakenAt       *time.Time
	Latitude      *float64
	Longitude     *float64
	CreatedAt     time.Time
}

// HasFile reports whether the photo itself is here, rather than its embedding
// alone.
func (p Photo) HasFile() bool { return p.Bytes > 0 }

// HasGlimpse reports whether a glimpse stands in for the photo.
func (p Photo) HasGlimpse() bool { return p.Glimpse && !p.HasFile() }

// Observation is one sighting of one organism, with one photo.
type Observation struct {
	ID              ObservationID
	Photo           Photo
	Observer        UserID
	ObserverName    string
	ObservedAt      *time.Time
	Latitude        *float64
	Longitude       *float64
	License         string // SPDX or Creative Commons short name; "" unknown
	RightsHolder    string
	Notes           string
	CreatedAt       time.Time
	Suggested       []Suggestion // what was answered when the photo came in, likeliest first
	SuggestedSeq    Seq          // the memory that answered then
	Identifications []Identification
	Import          *ImportOrigin // what it came with, nil if people brought it
	// Sensitive: it was ever given the name of a sensitive taxon or of one below it
	// or, as long as nobody has named it, that was its first answer, then or last. A
	// rare orchid that one person took for a common one is still where it is.
	Sensitive bool
	// Uncertainty says how far from its place, in metres, it may have been made; 0:
	// the place is as it is known.
	Uncertainty float64
	Repeat      bool // set by Observe alone: an earlier upload made it
}

// ImportOrigin says where an imported observation is from.
type ImportOrigin struct {
	Import ImportID
	Name   string // of the file
	Row    int    // of the file, from 0
	Ref    string // which observation it is where it comes from; "" unknown
}

// Suggestion is one line of an answer as it was given at the time.
type Suggestion struct {
	Taxon       TaxonID `json:"taxon_id"`
	Label       string  `json:"label"`
	Probability float64 `json:"probability"`
	From        float64 `json:"sure_from,omitempty"` // what was likely enough at the time; 0: the convention
}

// Certain reports whether the suggestion was likely enough to be said without
// reserve.
func (s Suggestion) Certain() bool { return s.Probability >= cmp.Or(s.From, sure) }

// Current is the identification that stands: the latest that is not withdrawn.
func (o Observation) Current() (Identification, bool) {
	for i := len(o.Identifications) - 1; i >= 0; i-- {
		if !o.Identifications[i].Withdrawn() {
			return o.Identifications[i], true
		}
	}
	return Identification{}, false
}

// Identification is one person's statement of what an observation shows. Each
// that is not withdrawn is one exemplar.
type Identification struct {
	ID             IdentificationID
	Observation    ObservationID
	Taxon          TaxonID
	TaxonLabel     string // Taxon.Label at the time of reading
	ScientificName string
	Given          TaxonID // what the person said, where it became a synonym of Taxon since; else 0
	GivenLabel     string  // its Taxon.Label
	User           UserID
	UserName       string
	FromSuggestion bool // picked from the answers rather than searched for
	CreatedAt      time.Time
	WithdrawnAt    *time.Time
	Quarantined    bool // does not stand since WithdrawnAt, but may again: its source is in quarantine
}

// Withdrawn reports whether the identification does not stand, for good or in
// quarantine.
func (i Identification) Withdrawn() bool { return i.WithdrawnAt != nil }

// EventKind says what an event of the log does to the memory.
type EventKind string

// The kinds of events. Each names the identification whose exemplar it adds, takes
// out, brings back or gives another name.
const (
	Taught      EventKind = "taught"      // adds an exemplar
	Held        EventKind = "held"        // adds one that does not stand yet: its source is in quarantine
	Withdrawn   EventKind = "withdrawn"   // takes it out for good
	Quarantined EventKind = "quarantined" // takes it out until it is released
	Released    EventKind = "released"    // brings back what was held or quarantined, under its old number
	Relabelled  EventKind = "relabelled"  // gives it another taxon, the event's: two names were found to mean the same, or not to
)

// Given reports whether the event adds an exemplar.
func (k EventKind) Given() bool { return k == Taught || k == Held }

// Event is one entry of the log. All but those that add an exemplar name the
// Identification of one that is there.
type Event struct {
	Seq            Seq
	Kind           EventKind
	Identification IdentificationID
	Observation    ObservationID
	Photo          PhotoHash
	Taxon          TaxonID
	User           UserID
	UserName       string
	At             time.Time
	Vector         []float32   // raw embedding [D] under the encoder asked for; nil where none is stored, and if nothing is added
	Views          [][]float32 // those of the photo's views, none where none are stored
}
