package identify

import (
	"context"
	"image"
	"time"
)

// EncoderInfo describes the encoder that is in use.
type EncoderInfo struct {
	Name       string
	Digest     string // identity of its stored embeddings
	NameDigest string // identity of what EmbedNames returns; "": it does not say, and none of that is kept
	Dim        int
	ImageSize  int      // side of the square that its photo tower sees, in pixels; 0: unknown, photos are decoded in full
	LogitScale float64  // τ of METHOD eq. 1
	Names      []string // which names of a taxon it reads: "scientific", "english"
	NearSlope  float64  // a and s₀ of the near rule
	NearMid    float64
	Seen       map[string]bool // scientific names the photo tower has learned to see; nil: it does not say
}

// Embedder turns photos and names into vectors of one space.
type Embedder interface {
	Info() EncoderInfo
	// EmbedImage returns the raw embedding [D] of an upright photo.
	EmbedImage(ctx context.Context, img image.Image) ([]float32, error)
	// EmbedNames returns one unit row [D] for each entry, which lists at least
	// one name of one thing; the encoder's prompts are applied and all averaged.
	EmbedNames(ctx context.Context, names [][]string) ([][]float32, error)
}

// PhotoFiles keeps the bytes of photos and thumbnails by hash. Put is durable
// when it returns, and putting the same bytes again changes nothing.
type PhotoFiles interface {
	Put(ctx context.Context, hash PhotoHash, original, thumbnail []byte) error
	Original(ctx context.Context, hash PhotoHash) ([]byte, error)
	Thumbnail(ctx context.Context, hash PhotoHash) ([]byte, error)
	// PutGlimpse keeps the thumbnail of a photo that did not come with it, a JPEG made
	// here, and Glimpse returns it.
	PutGlimpse(ctx context.Context, hash PhotoHash, thumbnail []byte) error
	Glimpse(ctx context.Context, hash PhotoHash) ([]byte, error)
}

// NewObservation is what AddObservation stores in one transaction.
type NewObservation struct {
	Photo        Photo
	Embedding    []float32 // raw, under encoder Encoder
	Encoder      string    // digest
	Observer     UserID
	Key          string // what the upload is known by, once per observer; "" nothing
	ObservedAt   *time.Time
	Latitude     *float64
	Longitude    *float64
	License      string
	RightsHolder string
	Notes        string
	Suggested    []Suggestion
	SuggestedSeq Seq
	At           time.Time
}

// NewIdentification is what Teach stores in one transaction. Exactly one of
// Taxon and Local is set.
type NewIdentification struct {
	Observation    ObservationID
	Taxon          TaxonID
	Local          string // name of a taxon to be created as local if no taxon has that name
	User           UserID
	FromSuggestion bool
	Trial          *Trial // what the memory said before; nil if it was not asked
	At             time.Time
}

// Store keeps everything but the photos' bytes. One method is one transaction,
// durable when it returns. Errors that a person can mend are *Error.
type Store interface {
	// AddObservation stores an observation with its photo and embedding, or
	// returns the one that the observer's upload of the same key made, with
	// Repeat set.
	AddObservation(ctx context.Context, n NewObservation) (Observation, error)
	// Observation returns one with all its identifications, oldest first.
	Observation(ctx context.Context, id ObservationID) (Observation, error)
	// Observations lists them newest first. More says that older ones match.
	Observations(ctx context.Context, f ObservationFilter) (list []Observation, more bool, err error)
	// Embedding returns the stored raw vector of a photo; KindOf NotFound if none.
	Embedding(ctx context.Context, encoder string, photo PhotoHash) ([]float32, error)

	// Teach adds an identification and its Taught event. An identification of
	// the same observation by the same user that still stands is withdrawn
	// first, with an event of its own. The last event's Seq is returned. To
	// teach what already stands (same user, same taxon) is a Conflict.
	Teach(ctx context.Context, n NewIdentification) (Identification, Seq, error)
	// Withdraw ends an identification and appends its Withdrawn event. One that
	// is already withdrawn is a Conflict; one of another observation NotFound.
	Withdraw(ctx context.Context, o ObservationID, i IdentificationID, by UserID, at time.Time) (Identification, Seq, error)
	// Events returns up to limit events after seq, in order, with vectors under
	// the given encoder.
	Events(ctx context.Context, encoder string, after Seq, limit int) ([]Event, error)

	// Taxa returns the whole tree, by id. TaxonByName finds one by any of its
	// names, case and accents folded; the scientific name goes first.
	Taxa(ctx context.Context) ([]Taxon, error)
	Taxon(ctx context.Context, id TaxonID) (Taxon, error)
	TaxonByName(ctx context.Context, name string) (Taxon, error)
	SearchTaxa(ctx context.Context, query string, limit int) ([]TaxonMatch, error)

	LabelSets(ctx context.Context) ([]LabelSet, error)
	LabelSet(ctx context.Context, id LabelSetID) (LabelSet, error)
	AddLabelSet(ctx context.Context, name string, taxa []TaxonID, at time.Time) (LabelSet, error)
	ChangeLabelSet(ctx context.Context, id LabelSetID, name string, taxa []TaxonID) (LabelSet, error)
	DeleteLabelSet(ctx context.Context, id LabelSetID) error

	// Counts returns how many observations, photos, taxa and users there are.
	Counts(ctx context.Context) (Counts, error)

	EncoderStore
	ReviewStore
	ImportStore
	BundleStore
	MergeStore
	SourceStore
	TrialStore
	PreviewStore
	HistoryStore
	DetailsStore
	ExportStore
	TaxonStore
	SynonymyStore
	LeaverStore
}

// Counts says how much is stored.
type Counts struct {
	Observations, Photos, Taxa, Users int
}
