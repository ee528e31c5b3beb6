package identify

import (
	"context"
	"time"
)

// DecisionID identifies a decision.
type DecisionID int64

// DecisionKind says what was decided in the review queue.
type DecisionKind string

// The kinds of decisions.
const (
	DecidedTaught   DecisionKind = "taught"    // named, and taught
	DecidedSetAside DecisionKind = "set-aside" // looked at: nobody can tell from this photo
	DecidedSkipped  DecisionKind = "skipped"   // put off, to the end of this person's queue
)

// Decision is what one person decided about some observations at once. It is
// undone as a whole.
type Decision struct {
	ID     DecisionID
	Kind   DecisionKind
	User   UserID
	At     time.Time
	Items  []DecisionItem // those that stand, by observation
	Undone bool           // none stands
}

// DecisionItem is one observation of a decision.
type DecisionItem struct {
	Observation    ObservationID
	Identification Identification // zero unless it was taught
}

// NewDecision is what Decide stores in one transaction. Items have User and At of
// the decision, and name a taxon for DecidedTaught alone.
type NewDecision struct {
	Kind  DecisionKind
	User  UserID
	At    time.Time
	Items []NewIdentification
}

// Queued is an observation that waits, in the order of a queue.
type Queued struct {
	Observation ObservationID
	Observer    UserID
}

// Waiting is an observation with a photo that nobody has named and nobody has set
// aside.
type Waiting struct {
	Observation ObservationID
	Observer    UserID
	At          time.Time // observed, or else stored
	Latitude    *float64
	Longitude   *float64
	Sensitive   bool    // Observation.Sensitive
	Reading     Reading // the last one that was stored
}

// Reading is an answer in its two likeliest names.
type Reading struct {
	Taxon  TaxonID // of the likeliest name; 0 for free text
	Label  string
	Chance float64 // of it, 0 to 1
	Second float64 // of the second likeliest
	Seq    Seq     // of the memory that read
	From   float64 // the chance from which a name is said without reserve now; not stored
}

// Doubt is how unsure a reading is, 0 to 1: 1 − (p₁ − p₂), the margin measure of
// active learning (T. Scheffer et al., IDA 2001). Unlike 1 − p₁ and the entropy it
// does not depend on how the rest is spread over a thousand names that are out of
// the question: it asks whether the first name is told from the second.
func (r Reading) Doubt() float64 { return 1 - (r.Chance - r.Second) }

// Sure reports whether the likeliest name is likely enough to be said without
// reserve.
func (r Reading) Sure() bool { return r.Chance >= r.From }

// ObservationReading is the reading of an observation's photo.
type ObservationReading struct {
	Observation ObservationID
	Reading
}

// WaitingVector is the raw embedding [D] of an observation that waits.
type WaitingVector struct {
	Observation ObservationID
	Vector      []float32
}

// Aside is an observation that somebody set aside.
type Aside struct {
	Observation Observation
	Decision    DecisionID
	User        UserID
	UserName    string
	At          time.Time
}

// ReviewStore keeps the review queue.
type ReviewStore interface {
	// Queued lists all that waits, ByDoubt or ByTime; equal ones are by id.
	// Observations without a photo do not wait.
	Queued(ctx context.Context, order ReviewOrder) ([]Queued, error)
	// WaitingPlaces lists all that waits ByTime, with where that was, and without
	// what Waiting says beside.
	WaitingPlaces(ctx context.Context) ([]Waiting, error)
	// PutOff lists what waits and user put off, by when they did so last.
	PutOff(ctx context.Context, user UserID) ([]ObservationID, error)
	// Waiting describes those of ids that wait, in the order of ids.
	Waiting(ctx context.Context, ids []ObservationID) ([]Waiting, error)
	// WaitingVectors visits the embeddings of what waits under an encoder, by id,
	// until visit returns an error. What is not embedded yet is left out.
	WaitingVectors(ctx context.Context, encoder string, visit func(WaitingVector) error) error
	// StaleReadings returns up to limit of what waits that was not read by an
	// encoder with the memory of seq: half of them those in most doubt, the
	// others those that were read longest ago.
	StaleReadings(ctx context.Context, encoder string, seq Seq, limit int) ([]WaitingVector, error)
	// SaveReadings stores readings. One of a newer memory stays.
	SaveReadings(ctx context.Context, encoder string, list []ObservationReading) error

	// Decide stores a decision, all of it or nothing, and teaches what it
	// teaches; seq is that of the last event, 0 if there is none.
	Decide(ctx context.Context, n NewDecision) (Decision, Seq, error)
	// Decision returns one, KindOf NotFound if there is none.
	Decision(ctx context.Context, id DecisionID) (Decision, error)
	// LastDecision is the newest of a person's of which something stands; KindOf
	// NotFound if there is none.
	LastDecision(ctx context.Context, user UserID) (Decision, error)
	// UndoDecision takes back what stands of a decision: of one observation, or
	// with 0 all of it. It returns what was taken back. Conflict if nothing stands.
	UndoDecision(ctx context.Context, id DecisionID, only ObservationID, by UserID, at time.Time) (Decision, Seq, error)
	// SetAside lists what is set aside, by one person or, with 0, by anyone, newest
	// decision first, at most limit.
	SetAside(ctx context.Context, by UserID, limit int) ([]Aside, error)

	// RefreshDisputes notes anew which observations are disputed.
	RefreshDisputes(ctx context.Context) error
}
