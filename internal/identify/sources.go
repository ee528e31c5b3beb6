package identify

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"
)

// QuarantineID identifies a quarantine.
type QuarantineID int64

// Source is who, or what, lessons come from: a person's own teaching, or an import.
// What a person imported is the import's, not theirs. Exactly one field is set.
type Source struct {
	User   UserID
	Import ImportID
}

// Quarantine keeps what a source taught out of the memory, reversibly. As long as
// it lasts, what the source goes on to teach waits with it.
type Quarantine struct {
	ID       QuarantineID
	Source   Source
	Reason   string // "" if none was given
	Lessons  int    // that left the memory when it began
	By       UserID
	ByName   string
	BeganAt  time.Time
	Outcome  QuarantineOutcome
	EndedBy  string         // name; "" while it lasts
	EndedAt  *time.Time     // nil while it lasts
	UnderWay QuarantineStep // NoStep unless a part of the lessons is still to be moved
	// Pending is the event that the memory that serves had still to come to when this
	// was answered; 0 if it had. Only what was decided just now has it.
	Pending Seq
}

// QuarantineStep is what is being done to the lessons of a quarantine, stretch by
// stretch: which way they go. Until it is done nothing else can be decided about them.
type QuarantineStep string

// The steps of a quarantine. The three in which lessons move are named as what was
// decided: the kind of event, and the outcomes.
const (
	NoStep       QuarantineStep = ""            // nothing is under way
	TakingOut    QuarantineStep = "quarantined" // lessons leave the memory
	BringingBack QuarantineStep = "released"    // they come back into it
	Removing     QuarantineStep = "removed"     // those that wait are withdrawn for good
)

// QuarantineOutcome is how a quarantine ended.
type QuarantineOutcome string

// The outcomes of a quarantine.
const (
	Lasting  QuarantineOutcome = ""         // it has not ended
	Restored QuarantineOutcome = "released" // everything stands again that stood
	Removed  QuarantineOutcome = "removed"  // everything was withdrawn for good
)

// SourceReport says what came from a source and what became of it. Taught is
// Standing + Waiting + TakenBack + Overruled.
type SourceReport struct {
	Source
	Name       string // of the person, or of the import's file
	By         string // who imported; "" for a person
	Taught     int    // lessons ever given
	Standing   int
	Waiting    int // in quarantine
	TakenBack  int // withdrawn by the teacher, or with the import as a whole
	Overruled  int // withdrawn by someone else
	Disputed   int // of Standing: someone else has named the same photo differently since, and stands by it
	FirstAt    time.Time
	LastAt     time.Time
	Quarantine *Quarantine // that lasts; nil if there is none
}

// SourceStore keeps quarantines. One method is one transaction, durable when it
// returns; the Seq is that of the last event of the log.
type SourceStore interface {
	// Sources lists every source that ever gave a lesson or is in quarantine, the
	// latest to teach first. Source is one of them; KindOf NotFound if it is none.
	Sources(ctx context.Context) ([]SourceReport, error)
	Source(ctx context.Context, s Source) (SourceReport, error)
	// Lessons lists the identifications of a source that stand, ascending.
	Lessons(ctx context.Context, s Source) ([]IdentificationID, error)
	// BeginQuarantine takes what a source taught out of the memory. One that is
	// in quarantine is a Conflict; one that there is not is NotFound.
	BeginQuarantine(ctx context.Context, s Source, reason string, by UserID, at time.Time) (Quarantine, Seq, error)
	// EndQuarantine restores what it holds, or removes it: withdraws it for good.
	// A source that is in none is a Conflict, and so is one whose quarantine begins.
	// Of many lessons both do the first stretch alone: what they return is UnderWay
	// until GoOnQuarantine has done the others.
	EndQuarantine(ctx context.Context, s Source, outcome QuarantineOutcome, by UserID, at time.Time) (Quarantine, Seq, error)
	GoOnQuarantine(ctx context.Context, id QuarantineID, at time.Time) (Quarantine, Seq, error)
	// QuarantinesUnderWay lists those that were broken off.
	QuarantinesUnderWay(ctx context.Context) ([]Quarantine, error)
}

// Sources lists where lessons came from. It takes a curator.
func (s *Service) Sources(ctx context.Context, u User) ([]SourceReport, error) {
	if err := allow(u, Curator, "see who taught what"); err != nil {
		return nil, err
	}
	return s.Store.Sources(ctx)
}

// Source is one of Sources. It takes a curator.
func (s *Service) Source(ctx context.Context, u User, of Source) (SourceReport, error) {
	if err := allow(u, Curator, "see who taught what"); err != nil {
		return SourceReport{}, err
	}
	r, err := s.Store.Source(ctx, of)
	return r, stored(err, "source")
}

// maxReason is the most characters of a quarantine's reason.
const maxReason = 500

// quarantinePatience is how long someone waits to see the memory without a source:
// some seconds for a hundred thousand lessons.
const quarantinePatience = 10 * time.Second

// BeginQuarantine takes everything that a source taught out of the memory, at once
// and reversibly, and waits until the memory that serves has forgotten it. It takes a
// curator.
func (s *Service) BeginQuarantine(ctx context.Context, u User, of Source, reason string) (Quarantine, error) {
	if err := allow(u, Curator, "quarantine lessons"); err != nil {
		return Quarantine{}, err
	}
	reason = strings.Join(strings.Fields(reason), " ")
	if utf8.RuneCountInString(reason) > maxReason {
		return Quarantine{}, Errorf(Invalid, "reason", "The reason has at most %d characters.", maxReason)
	}
	q, seq, err := s.Store.BeginQuarantine(ctx, of, reason, u.ID, s.Now())
	return s.quarantined(ctx, q, seq, err)
}

// EndQuarantine restores what a quarantine holds, or removes it for good, and waits
// until the memory that serves has taken that in. It takes a curator.
func (s *Service) EndQuarantine(ctx context.Context, u User, of Source, outcome QuarantineOutcome) (Quarantine, error) {
	if err := allow(u, Curator, "end a quarantine"); err != nil {
		return Quarantine{}, err
	}
	if outcome != Restored && outcome != Removed {
		return Quarantine{}, Errorf(Invalid, "outcome", "A quarantine ends as %q or %q.", Restored, Removed)
	}
	q, seq, err := s.Store.EndQuarantine(ctx, of, outcome, u.ID, s.Now())
	return s.quarantined(ctx, q, seq, err)
}

// quarantined waits for what was decided, which is durable, to be learned. Where
// that takes longer than someone would wait for, it goes on without them, and the
// quarantine says so.
func (s *Service) quarantined(ctx context.Context, q Quarantine, seq Seq, err error) (Quarantine, error) {
	if err != nil {
		return q, stored(err, "source")
	}
	if q, seq, err = s.goOn(context.WithoutCancel(ctx), q, seq); err != nil {
		return q, err
	}
	q.Pending, err = s.learnedSoon(ctx, seq)
	return q, err
}

// learnedSoon waits until the memory that serves has come to an event, which is
// durable, and returns 0; where that takes longer than someone would wait for, it
// returns the event.
func (s *Service) learnedSoon(ctx context.Context, seq Seq) (pending Seq, err error) {
	s.tellLearners()
	e, release := s.acquire()
	defer release()
	short, done := context.WithTimeout(ctx, quarantinePatience)
	defer done()
	_, err = e.learner.learned(short, seq)
	if KindOf(err) == NotReady || err != nil && short.Err() != nil && ctx.Err() == nil {
		return seq, nil
	}
	return 0, err
}

// goOn does what is under way of a quarantine, stretch by stretch, so that others can
// teach in between. Whoever decided it may leave meanwhile; a server that stops goes on
// with it at its next start.
func (s *Service) goOn(ctx context.Context, q Quarantine, seq Seq) (Quarantine, Seq, error) {
	for q.UnderWay != NoStep && s.working.Err() == nil {
		var err error
		if q, seq, err = s.Store.GoOnQuarantine(ctx, q.ID, s.Now()); err != nil {
			return q, seq, err
		}
		s.tellLearners()
	}
	return q, seq, nil
}

// goOnWithQuarantines does what a stop broke off.
func (s *Service) goOnWithQuarantines(ctx context.Context) error {
	list, err := s.Store.QuarantinesUnderWay(ctx)
	for _, q := range list {
		if _, _, err := s.goOn(ctx, q, 0); err != nil {
			return err
		}
	}
	return err
}
