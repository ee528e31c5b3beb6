package identify

import (
	"context"
	"time"
)

// SomeoneWhoLeft is the name of everybody who left: what they did stays in the log, and
// nobody reads there who it was.
const SomeoneWhoLeft = "someone who left"

// LeavingStore forgets people. One method is one transaction, durable when it returns.
type LeavingStore interface {
	// Leave takes away what is personal of a person who may come in: name, password,
	// sessions, tokens, and where they are named as who holds the rights in their own
	// photos. With takeBack it also takes the places and notes from their photos, and
	// begins to take their lessons out of the memory. That no admin would be left who
	// can sign in is a Conflict.
	Leave(ctx context.Context, id UserID, takeBack bool, at time.Time) error
}

// LeaverStore knows whose lessons go with them.
type LeaverStore interface {
	// Leavers lists those who left and whose lessons are still to be withdrawn.
	Leavers(ctx context.Context) ([]UserID, error)
	// LeaverGone notes that they are.
	LeaverGone(ctx context.Context, id UserID) error
	// UserNames are the names of people, by their numbers.
	UserNames(ctx context.Context, ids []UserID) (map[UserID]string, error)
}

// Leave takes away what is personal of a user, who gives their password; a guest has
// none. With takeBack their lessons go, too: Service.GoOnWithLeavers withdraws them.
func (p *People) Leave(ctx context.Context, u User, password string, takeBack bool) error {
	if err := allow(u, Viewer, "leave"); err != nil {
		return err
	}
	a, err := p.Store.Account(ctx, u.ID)
	if err != nil {
		return err
	}
	switch {
	case a.Password == "" && !a.Guest:
		return Errorf(Conflict, "", "This account is a program's or the owner's: nobody leaves with it. An admin revokes its tokens.")
	case a.Password != "":
		ok, _, err := p.Passwords.Verify(ctx, password, a.Password)
		if err != nil {
			return err
		}
		if !ok {
			return Errorf(Invalid, "password", "This is not your present password.")
		}
	}
	if err := p.Store.Leave(ctx, u.ID, takeBack, p.Now()); err != nil {
		return err
	}
	p.Log.InfoContext(ctx, "somebody left", "lessons_too", takeBack) // who, nobody is to know
	return nil
}

// GoOnWithLeavers withdraws the lessons of those who left and took them back, in the
// background: a stop is gone on with at the next start.
func (s *Service) GoOnWithLeavers() {
	if !s.enter() {
		return
	}
	go func() {
		defer s.background.Done()
		s.withdrawLeavers()
	}()
}

// withdrawLeavers ends the quarantines of those who left by removing what they hold.
func (s *Service) withdrawLeavers() {
	s.leaving.Lock()
	defer s.leaving.Unlock()
	ctx := s.working
	list, err := s.Store.Leavers(ctx)
	for _, id := range list {
		if err == nil {
			err = s.withdrawLeaver(ctx, id)
		}
	}
	if err != nil && ctx.Err() == nil {
		s.Log.Error("lessons of somebody who left could not be withdrawn; the next start goes on with it", "error", err)
	}
}

func (s *Service) withdrawLeaver(ctx context.Context, id UserID) error {
	of := Source{User: id}
	for ctx.Err() == nil {
		r, err := s.Store.Source(ctx, of)
		if err != nil && KindOf(err) != NotFound { // who taught nothing is no source
			return err
		}
		switch q := r.Quarantine; {
		case q == nil && r.Standing == 0:
			return s.Store.LeaverGone(ctx, id)
		case q == nil:
			_, _, err = s.Store.BeginQuarantine(ctx, of, "", id, s.Now())
		case q.UnderWay != NoStep:
			_, _, err = s.goOn(ctx, *q, 0)
		default:
			_, _, err = s.Store.EndQuarantine(ctx, of, Removed, id, s.Now())
		}
		if err != nil {
			return err
		}
		s.tellLearners()
	}
	return ctx.Err()
}

// OwnData is what is kept of a person beside their account: their observations, with the
// photos as they came, and what they said, of anybody's. It leaves nothing out that they
// may see anyway.
func (s *Service) OwnData(ctx context.Context, u User) (observed, said *Export, err error) {
	if err := allow(u, Viewer, "save your data"); err != nil {
		return nil, nil, err
	}
	info := s.serving().info
	observed, err = NewExport(ctx, s.Store, s.Photos, info, ExportRequest{Filter: ObservationFilter{Observer: u.ID}, ExactPlaces: true, Originals: true, Own: true})
	if err != nil {
		return nil, nil, err
	}
	said, err = NewExport(ctx, s.Store, s.Photos, info, ExportRequest{Filter: ObservationFilter{Said: IdentificationFilter{By: u.ID}}})
	return observed, said, err
}
