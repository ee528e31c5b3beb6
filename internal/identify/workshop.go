package identify

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"
)

// Workshops runs workshops. Its methods are safe for concurrent use.
type Workshops struct {
	service *Service
	people  *People
	store   WorkshopStore
}

// NewWorkshops joins those who may come in with what they teach.
func NewWorkshops(s *Service, p *People, store WorkshopStore) *Workshops {
	return &Workshops{service: s, people: p, store: store}
}

const (
	maxTitle = 80
	// maxGuests is how many may join one workshop.
	maxGuests = 300
	// maxWorkshop is how long one lasts at most, from now.
	maxWorkshop = 31 * 24 * time.Hour
)

// WorkshopPlan is what a host chooses.
type WorkshopPlan struct {
	Title    string
	Role     Role       // of guests: viewer or expert
	LabelSet LabelSetID // 0: the usual one
	Lasts    time.Duration
}

// Start starts a workshop from this moment of the log on. It takes an admin.
func (w *Workshops) Start(ctx context.Context, u User, p WorkshopPlan) (Workshop, error) {
	if err := allow(u, Admin, "start a workshop"); err != nil {
		return Workshop{}, err
	}
	n, err := w.plan(u, p)
	if err != nil {
		return Workshop{}, err
	}
	if p.LabelSet != 0 {
		if _, err := w.service.Store.LabelSet(ctx, p.LabelSet); err != nil {
			return Workshop{}, stored(err, "label_set")
		}
	}
	if n.Code, err = newCode(); err != nil {
		return Workshop{}, err
	}
	if n.Key, err = w.people.Passwords.Key(ctx, cleanCode(n.Code)); err != nil {
		return Workshop{}, err
	}
	return w.store.StartWorkshop(ctx, n)
}

func (w *Workshops) plan(u User, p WorkshopPlan) (NewWorkshop, error) {
	title := strings.Join(strings.Fields(p.Title), " ")
	switch {
	case title == "":
		return NewWorkshop{}, Errorf(Invalid, "title", "Give the workshop a title: it stands above the code.")
	case utf8.RuneCountInString(title) > maxTitle || !utf8.ValidString(title) || strings.ContainsFunc(title, hidden):
		return NewWorkshop{}, Errorf(Invalid, "title", "A title has at most %d characters, all of them to be seen.", maxTitle)
	case p.Lasts < time.Minute || p.Lasts > maxWorkshop:
		return NewWorkshop{}, Errorf(Invalid, "hours", "A workshop lasts up to a month. Give its hours: 3, for example.")
	}
	now := w.people.Now()
	i, err := cleanInvitation(Invitation{Role: p.Role, Guest: true, Uses: maxGuests, CreatedAt: now, CreatedBy: u.ID, CreatedByName: u.Name, ExpiresAt: now.Add(p.Lasts)})
	return NewWorkshop{Title: title, LabelSet: p.LabelSet, Invitation: i}, err
}

// Workshops lists all, newest first. It takes an admin.
func (w *Workshops) Workshops(ctx context.Context, u User) ([]Workshop, error) {
	if err := allow(u, Admin, "see the workshops"); err != nil {
		return nil, err
	}
	return w.store.Workshops(ctx)
}

// Workshop is one of them, with who joined, latest first. It takes an admin.
func (w *Workshops) Workshop(ctx context.Context, u User, id WorkshopID) (Workshop, []WorkshopGuest, error) {
	if err := allow(u, Admin, "see the workshops"); err != nil {
		return Workshop{}, nil, err
	}
	x, err := w.store.Workshop(ctx, id)
	if err != nil {
		return x, nil, stored(err, "id")
	}
	guests, err := w.store.WorkshopGuests(ctx, id)
	return x, guests, err
}

// Mine is the workshop that u joined as a guest; KindOf NotFound if u joined none.
func (w *Workshops) Mine(ctx context.Context, u User) (Workshop, error) {
	return w.store.WorkshopOf(ctx, u.ID)
}

// WorkshopBoard is what the wall shows.
type WorkshopBoard struct {
	Workshop
	Now             time.Time
	Last            int64         // happening that the board is up to, at least
	Photos          []Observation // the latest, newest first
	Fused, ZeroShot Score
	Curve           []CurvePoint // share of right answers up to each lesson, over the last boardWindow
}

const (
	boardPhotos = 28
	boardWindow = 20
	// boardLeast is how many answers the first point of the curve is of.
	boardLeast = 3
)

// Board is what a workshop looks like now. It takes an admin.
func (w *Workshops) Board(ctx context.Context, u User, id WorkshopID) (WorkshopBoard, error) {
	b := WorkshopBoard{Now: w.people.Now(), Last: w.service.feed.Last()}
	if err := allow(u, Admin, "see the workshops"); err != nil {
		return b, err
	}
	var err error
	if b.Workshop, err = w.store.Workshop(ctx, id); err != nil {
		return b, stored(err, "id")
	}
	if b.Photos, err = w.store.WorkshopPhotos(ctx, id, boardPhotos); err != nil {
		return b, err
	}
	trials, err := w.store.WorkshopTrials(ctx, id, w.service.serving().info.Digest)
	if err != nil {
		return b, err
	}
	fused, zero := answersOf(trials)
	b.Fused, b.ZeroShot = scoreOf(fused), scoreOf(zero)
	b.Curve = curveOf(trials, fused, zero, boardWindow, boardLeast)
	return b, nil
}

// Concerns reports whether what happened is part of a workshop: done by its guests or
// its host, or to the workshop itself.
func (w *Workshops) Concerns(ctx context.Context, x Workshop, h Happening) bool {
	if h.Workshop != 0 {
		return h.Workshop == x.ID
	}
	if h.User == x.Host || h.Kind == MemoryChanged {
		return true
	}
	of, err := w.store.WorkshopOf(ctx, h.User)
	return err == nil && of.ID == x.ID
}

// Listen hears of what happens, as Feed.Listen does. It takes an admin.
func (w *Workshops) Listen(u User, after int64) (l *Listener, missed bool, err error) {
	if err := allow(u, Admin, "see the workshops"); err != nil {
		return nil, false, err
	}
	l, missed = w.service.feed.Listen(after)
	return l, missed, nil
}

// Joined tells those who listen that someone came in, if it was into a workshop.
func (w *Workshops) Joined(ctx context.Context, u User) (x Workshop, joined bool) {
	x, err := w.Mine(ctx, u)
	if err != nil {
		return x, false
	}
	w.service.feed.tell(Happening{Kind: PersonJoined, At: w.people.Now(), User: u.ID, UserName: u.Name})
	return x, true
}

// Extend lets a workshop last until some time from now. It takes an admin.
func (w *Workshops) Extend(ctx context.Context, u User, id WorkshopID, lasts time.Duration) error {
	if err := allow(u, Admin, "extend a workshop"); err != nil {
		return err
	}
	if lasts < time.Minute || lasts > maxWorkshop {
		return Errorf(Invalid, "hours", "Give the hours that are left: 1, for example, and up to a month.")
	}
	now := w.people.Now()
	return w.told(u, id, w.store.ExtendWorkshop(ctx, id, now.Add(lasts), u.ID, now))
}

// End ends a workshop: nobody can join, and its guests are signed out. It takes an
// admin.
func (w *Workshops) End(ctx context.Context, u User, id WorkshopID) error {
	if err := allow(u, Admin, "end a workshop"); err != nil {
		return err
	}
	return w.told(u, id, w.store.EndWorkshop(ctx, id, u.ID, w.people.Now()))
}

// told tells those who listen that a workshop was extended or ended, unless err says
// that it was not.
func (w *Workshops) told(u User, id WorkshopID, err error) error {
	if err == nil {
		w.service.feed.tell(Happening{Kind: WorkshopChanged, At: w.people.Now(), User: u.ID, UserName: u.Name, Workshop: id})
	}
	return stored(err, "id")
}

// Reset takes what a workshop's guests taught out of the memory, reversibly, and with
// own what its host taught meanwhile, which is withdrawn. It waits until the memory that
// serves has forgotten it, and returns how many lessons that were. It takes an admin.
//
// Thousands of lessons leave in stretches, so that others can teach in between. What a
// stop breaks off of the quarantines goes on at the next start; where it breaks off what
// comes before them, the host's own lessons, the workshop is not reset, which is NotReady,
// and resetting it again does the rest.
func (w *Workshops) Reset(ctx context.Context, u User, id WorkshopID, own bool) (lessons int, err error) {
	if err := allow(u, Admin, "reset a workshop"); err != nil {
		return 0, err
	}
	begun := context.WithoutCancel(ctx)
	var r WorkshopReset
	var seq Seq
	for r.More = true; r.More && w.service.working.Err() == nil; lessons += r.Lessons {
		if r, seq, err = w.store.ResetWorkshop(begun, id, own, u.ID, w.people.Now()); err != nil {
			return lessons, stored(err, "id")
		}
		w.service.tellLearners()
	}
	if r.More {
		return lessons, closing()
	}
	more, err := w.changed(ctx, u, r.UnderWay, seq)
	return lessons + more, err
}

// Restore brings back what Reset took of the guests' lessons. It takes an admin.
func (w *Workshops) Restore(ctx context.Context, u User, id WorkshopID) (lessons int, err error) {
	if err := allow(u, Admin, "restore a workshop"); err != nil {
		return 0, err
	}
	r, seq, err := w.store.RestoreWorkshop(ctx, id, u.ID, w.people.Now())
	if err != nil {
		return 0, stored(err, "id")
	}
	_, err = w.changed(ctx, u, r.UnderWay, seq)
	return r.Lessons, err
}

// changed goes on with quarantines, waits, not for ever, for what is durable to be
// learned, and returns how many lessons more left the memory.
func (w *Workshops) changed(ctx context.Context, u User, under []Quarantine, seq Seq) (more int, err error) {
	for _, q := range under {
		var after Quarantine
		if after, seq, err = w.service.goOn(context.WithoutCancel(ctx), q, seq); err != nil {
			return more, err
		}
		more += after.Lessons - q.Lessons
	}
	_, err = w.service.learnedSoon(ctx, seq)
	w.service.feed.tell(Happening{Kind: MemoryChanged, At: w.people.Now(), User: u.ID, UserName: u.Name})
	return more, err
}

// Bundle is the lesson of a workshop: what its people taught, as it stands. It takes
// an admin.
func (w *Workshops) Bundle(ctx context.Context, u User, id WorkshopID) (*OutgoingBundle, error) {
	if err := allow(u, Admin, "export a workshop"); err != nil {
		return nil, err
	}
	x, err := w.store.Workshop(ctx, id)
	if err != nil {
		return nil, stored(err, "id")
	}
	out, err := w.service.Bundle(ctx, u, BundleRequest{Narrowed: "workshop " + x.Title, Span: LessonSpan{Workshop: id}, Thumbnails: true})
	if err == nil && len(out.Lessons) == 0 {
		err = Errorf(Conflict, "", "There is no lesson to export: nothing that was taught in this workshop stands.")
	}
	return out, err
}
