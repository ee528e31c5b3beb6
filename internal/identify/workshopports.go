package identify

import (
	"context"
	"time"
)

// WorkshopID identifies a workshop.
type WorkshopID int64

// Workshop is some hours in which people who joined by one code look at photos
// together. Its people are its guests and its host; its lessons are those that they
// gave while it lasted, imports not counted.
type Workshop struct {
	ID         WorkshopID
	Title      string
	Role       Role       // of guests who join
	LabelSet   LabelSetID // that guests' questions begin with; 0: the usual one
	Invitation InvitationID
	Code       string // that people join by; "" once it was ended
	Start      Seq    // last event of the log before it
	StartedAt  time.Time
	Host       UserID
	HostName   string
	EndsAt     time.Time
	EndedAt    *time.Time // nil: nobody has ended it before
	ResetAt    *time.Time // nil: what its guests taught stands

	Guests  int // who joined
	Photos  int // by its people
	Lessons int // by its people
	Own     int // of those, by its host, that stand
}

// Open reports whether the workshop goes on.
func (w Workshop) Open(now time.Time) bool { return w.EndedAt == nil && now.Before(w.EndsAt) }

// WorkshopGuest is someone who joined.
type WorkshopGuest struct {
	User
	JoinedAt    time.Time
	SeenAt      *time.Time // to the minute; nil: never
	Photos      int
	Lessons     int
	Standing    int // of Lessons
	Disabled    bool
	Quarantined bool
}

// NewWorkshop is what StartWorkshop stores in one transaction.
type NewWorkshop struct {
	Title      string
	LabelSet   LabelSetID
	Code       string
	Key        []byte // of Code
	Invitation Invitation
}

// WorkshopReset is what one transaction did of a reset, or of its return.
type WorkshopReset struct {
	Lessons  int          // that it moved
	UnderWay []Quarantine // that GoOnQuarantine has to go on with
	More     bool         // lessons of the host are left, and the workshop is not reset yet: do it again
}

// WorkshopStore keeps workshops. One method is one transaction, durable when it
// returns; a workshop that there is not is NotFound.
type WorkshopStore interface {
	// StartWorkshop adds it with its invitation, from the last event of the log on.
	StartWorkshop(ctx context.Context, n NewWorkshop) (Workshop, error)
	// Workshops lists all, newest first.
	Workshops(ctx context.Context) ([]Workshop, error)
	Workshop(ctx context.Context, id WorkshopID) (Workshop, error)
	// WorkshopOf is the workshop that a guest joined; NotFound if they joined none.
	WorkshopOf(ctx context.Context, guest UserID) (Workshop, error)
	WorkshopGuests(ctx context.Context, id WorkshopID) ([]WorkshopGuest, error)
	// WorkshopPhotos lists the latest observations of its people, newest first.
	WorkshopPhotos(ctx context.Context, id WorkshopID, limit int) ([]Observation, error)
	// WorkshopTrials are the Trials of its lessons.
	WorkshopTrials(ctx context.Context, id WorkshopID, encoder string) ([]TrialRecord, error)
	// ExtendWorkshop moves its end, and that of its invitation. One that was ended
	// is a Conflict.
	ExtendWorkshop(ctx context.Context, id WorkshopID, ends time.Time, by UserID, at time.Time) error
	// EndWorkshop closes its invitation, and its guests' sessions and tokens with it.
	// One that was ended is a Conflict.
	EndWorkshop(ctx context.Context, id WorkshopID, by UserID, at time.Time) error
	// ResetWorkshop puts each guest who taught in quarantine, and withdraws its host's
	// lessons where own is set, or does a stretch of that. One that was reset is a
	// Conflict, and so is one whose guests' quarantines are under way.
	ResetWorkshop(ctx context.Context, id WorkshopID, own bool, by UserID, at time.Time) (WorkshopReset, Seq, error)
	// RestoreWorkshop ends the quarantines of its guests, or begins to: Lessons are all
	// that come back. One that is not reset is a Conflict.
	RestoreWorkshop(ctx context.Context, id WorkshopID, by UserID, at time.Time) (WorkshopReset, Seq, error)
}
