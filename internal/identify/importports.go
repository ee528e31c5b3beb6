package identify

import (
	"context"
	"time"
)

// ImportID identifies an import.
type ImportID int64

// Import is a source that exemplars came from at once, and how far it has come.
type Import struct {
	ID ImportID
	ImportSource
	Done      int // rows taken in, in order; 0 to Total
	Known     int // of those, not taught again: an exemplar of the same embedding and taxon stood already
	Skipped   int // of those, left out because they could not be taken
	Withdrawn int // of those, taken back, in order
	User      UserID
	UserName  string
	BeganAt   time.Time
	EndedAt   *time.Time // nil while rows are missing
	// WithdrawnAt is when its withdrawal began; nil if it stands.
	WithdrawnAt *time.Time
}

// ImportSource says what an import is made of.
type ImportSource struct {
	Kind    string // "npz", "photos", "csv"
	Name    string // of the file, as it was given
	Digest  string // SHA-256 of the file in lower-case hex
	Encoder string // digest
	Total   int    // rows
}

// Taught is how many exemplars the import added.
func (i Import) Taught() int { return i.Done - i.Known - i.Skipped }

// Unfinished reports that rows are still to be taken in.
func (i Import) Unfinished() bool { return i.EndedAt == nil && i.WithdrawnAt == nil }

// HalfWithdrawn reports that rows are still to be taken back.
func (i Import) HalfWithdrawn() bool { return i.WithdrawnAt != nil && i.Withdrawn < i.Done }

// State says in a word or two how the import stands.
func (i Import) State() string {
	switch {
	case i.HalfWithdrawn():
		return "half withdrawn"
	case i.WithdrawnAt != nil:
		return "withdrawn"
	case i.Unfinished():
		return "unfinished"
	}
	return "complete"
}

// ImportedExemplar is one row as TeachImported stores it.
type ImportedExemplar struct {
	Embedding []float32 // raw [D] under the import's encoder
	Taxon     TaxonID
	Ref       string
	Skip      bool // the row cannot be taken: it is only counted
}

// ImportedPhoto is one row as TeachPhotos stores it.
type ImportedPhoto struct {
	Photo Photo
	Seen  []SeenBy // under the encoders that have a memory
	Taxon TaxonID
	Details
	Ref  string
	Skip bool // the row cannot be taken: it is only counted
}

// SeenBy is a photo as an encoder sees it.
type SeenBy struct {
	Encoder string      // digest
	Vector  []float32   // raw [D]
	Views   [][]float32 // of photo.Views, raw [D] each
}

// ExemplarRef names an exemplar that stands.
type ExemplarRef struct {
	Seq         Seq // of its Taught event
	Observation ObservationID
	Taxon       TaxonID
}

// ImportStore keeps imports. One method is one transaction, durable when it
// returns.
type ImportStore interface {
	// BeginImport adds an import, and a local taxon for each name of locals
	// that no taxon has yet. An import of the same file under the same encoder
	// that stands is a Conflict.
	BeginImport(ctx context.Context, source ImportSource, by UserID, locals []string, at time.Time) (Import, error)
	// TeachImported takes in the rows after the first `from` ones: each becomes
	// an observation with an identification and its Taught event, unless it is
	// known. It is a Conflict if the import is not at that row, or withdrawn.
	// The Seq is that of the last event of the log.
	TeachImported(ctx context.Context, id ImportID, from int, rows []ImportedExemplar, at time.Time) (Import, Seq, error)
	// TeachPhotos is TeachImported for photos, whose files must be kept already.
	// One is known if an exemplar of the same photo and taxon stands.
	TeachPhotos(ctx context.Context, id ImportID, from int, rows []ImportedPhoto, at time.Time) (Import, Seq, error)
	// WithdrawImported takes back the identifications that the next limit rows
	// of an import made, those that still stand. Until nothing is left,
	// HalfWithdrawn is true. One that is withdrawn as a whole is a Conflict.
	// The Seq is that of the last event of the log.
	WithdrawImported(ctx context.Context, id ImportID, by UserID, limit int, at time.Time) (Import, Seq, error)
	// Imports lists all, newest first. ImportOf finds the one of a file that
	// stands; KindOf NotFound if there is none.
	Imports(ctx context.Context) ([]Import, error)
	ImportOf(ctx context.Context, digest, encoder string) (Import, error)

	// Exemplars lists the exemplars that stand and have an embedding under the
	// encoder, of the observations that match, in the order of the log.
	Exemplars(ctx context.Context, encoder string, f ObservationFilter) ([]ExemplarRef, error)
	// Vectors returns the raw vectors of Taught events under the encoder, in the
	// order of their numbers, which must ascend.
	Vectors(ctx context.Context, encoder string, seqs []Seq) ([][]float32, error)
}
