package identify

import (
	"context"
	"crypto/ed25519"
	"time"
)

// Site is who this Fieldmark is to others.
type Site struct {
	ID   string // 32 hex digits: the data folder's UUID
	Name string
	Key  ed25519.PrivateKey // signs its bundles
}

// Signer is a key that a curator knows.
type Signer struct {
	Key    ed25519.PublicKey
	Name   string // whose it is
	ByName string // who said so
	At     time.Time
}

// Lesson is an exemplar with what is known of its observation, as it leaves in a
// bundle.
type Lesson struct {
	Seq         Seq // of the event that gave it
	Taxon       TaxonID
	TaughtBy    string
	At          time.Time
	WithdrawnAt *time.Time
	Observation ObservationID
	Observer    string
	Details
	Photo  Photo
	Views  int           // of its photo that are stored under the encoder asked for
	Origin *LessonOrigin // where it was first, nil if here
	// Sensitive: its observation was ever given the name of a sensitive taxon, or of
	// one below it.
	Sensitive bool
}

// LessonOrigin is where an observation that came with a bundle was first.
type LessonOrigin struct {
	Instance    string // Site.ID
	Observation int64  // its number there
	Observer    string
	TaughtBy    string // who gave the lesson that came; "" for a later one, given here
	TaughtAt    time.Time
}

// LessonSpan is a stretch of the log.
type LessonSpan struct {
	From, To  Seq        // both included; 0: from the first, to the last
	Withdrawn bool       // those that do not stand, too
	Workshop  WorkshopID // those of this workshop's people alone; 0: everybody's
}

// TaxonOrigin says which taxon here a local taxon of another site is.
type TaxonOrigin struct {
	Instance string
	ID       int64 // its number there
	Taxon    TaxonID
}

// BundleStore keeps what bundles are made of. One method is one transaction.
type BundleStore interface {
	// Site returns who this Fieldmark is to others; fresh becomes its key if it has
	// none yet. Name is "" until RenameSite.
	Site(ctx context.Context, fresh ed25519.PrivateKey, at time.Time) (Site, error)
	RenameSite(ctx context.Context, name string) error
	// Signers lists the known keys by name. KnowSigner adds one, or names it anew;
	// ForgetSigner takes it off, KindOf NotFound if it is not known.
	Signers(ctx context.Context) ([]Signer, error)
	KnowSigner(ctx context.Context, key ed25519.PublicKey, name string, by UserID, at time.Time) error
	ForgetSigner(ctx context.Context, key ed25519.PublicKey) error

	// LessonRefs lists the lessons of a stretch that have an embedding under the
	// encoder, of the observations that match, in order.
	LessonRefs(ctx context.Context, encoder string, f ObservationFilter, span LessonSpan) ([]ExemplarRef, error)
	// LessonRecords returns those with some numbers, which must ascend.
	LessonRecords(ctx context.Context, encoder string, seqs []Seq) ([]Lesson, error)
	// LessonViews returns the raw vectors of the views of each, none where there
	// are none.
	LessonViews(ctx context.Context, encoder string, seqs []Seq) ([][][]float32, error)
	TaxonOrigins(ctx context.Context) ([]TaxonOrigin, error)
}
