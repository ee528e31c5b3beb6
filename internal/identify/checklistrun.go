package identify

import (
	"context"
	"time"
)

// ChecklistStretch is what one transaction stored of a checklist.
type ChecklistStretch struct {
	Taxa         []Taxon // that are new or changed, as they are then
	New, Changed int
	Passed       int        // of those that were to be stored; more than New and Changed where somebody was there first
	More         bool       // there is a next stretch
	Set          LabelSetID // made with the last one; 0 none
}

// TakeChecklist adds the new taxa of a checklist, changes known ones if that is
// chosen, and makes a label set if one is named: all of it or nothing. The checklist
// is planned anew, so that it meets the taxa as they are now, and written down; until
// then a stop leaves nothing. Then it is stored in stretches, between which others
// write, and told is called with how many taxa are there. Whoever waits for that may
// leave: it goes on without them, and after a stop at the next start.
func (s *Service) TakeChecklist(ctx context.Context, u User, c Checklist, choice ChecklistChoice, told func(ImportProgress)) (TakenChecklist, error) {
	if err := allow(u, Curator, "import checklists"); err != nil {
		return TakenChecklist{}, err
	}
	s.listing.Lock()
	defer s.listing.Unlock()
	if _, err := goOnChecklist(ctx, s.Store, s.learned, func(int) {}); err != nil {
		return TakenChecklist{}, err // of an earlier one: what the plan is made of is not all there
	}
	plan, err := s.planChecklist(ctx, c)
	if err != nil {
		return TakenChecklist{}, err
	}
	done, err := takeChecklist(ctx, s.Store, plan, choice, u.ID, s.Now, s.learned, told)
	if done.Pending && s.enter() {
		go func() {
			defer s.background.Done()
			s.goOnWithChecklist()
		}()
	}
	return done, err
}

// goOnWithChecklist does what a stop broke off, or who began it did not wait for.
func (s *Service) goOnWithChecklist() {
	s.listing.Lock()
	defer s.listing.Unlock()
	if _, err := goOnChecklist(s.working, s.Store, s.learned, func(int) {}); err != nil && s.working.Err() == nil {
		s.Log.Error("a checklist that was broken off could not go on", "error", err)
	}
}

// TakeChecklist is Service.TakeChecklist of a plan where nothing is served. What is
// Pending GoOnChecklist goes on with.
func TakeChecklist(ctx context.Context, st Store, plan ChecklistPlan, choice ChecklistChoice, by UserID, now func() time.Time, told func(ImportProgress)) (TakenChecklist, error) {
	return takeChecklist(ctx, st, plan, choice, by, now, func(Taxon) {}, told)
}

// GoOnChecklist stores what is left of a checklist that was broken off, where nothing is
// served. A plan is to be made after it.
func GoOnChecklist(ctx context.Context, st Store) error {
	_, err := goOnChecklist(ctx, st, func(Taxon) {}, func(int) {})
	return err
}

// takeChecklist writes a plan down and stores it. learned is called with each taxon that
// is new or changed.
func takeChecklist(ctx context.Context, st Store, plan ChecklistPlan, choice ChecklistChoice, by UserID, now func() time.Time, learned func(Taxon), told func(ImportProgress)) (TakenChecklist, error) {
	if choice.Set != "" {
		var err error
		if choice.Set, err = cleanName("set", choice.Set); err != nil {
			return TakenChecklist{}, err
		}
	}
	if len(plan.Taxa) == 0 {
		return TakenChecklist{}, Errorf(Invalid, "file", "Nothing of this checklist can be taken. See what is wrong with its rows.")
	}
	changes, planned := plan.changes(choice)
	changes.By, changes.At = by, now()
	if n := len(changes.members()); choice.Set != "" && n > maxSet {
		return TakenChecklist{}, Errorf(Invalid, "set", "This checklist lists %d taxa, and a label set holds at most %d. Take it without a label set.", n, maxSet)
	}
	if err := st.BeginChecklist(ctx, changes, func(int) {}); err != nil {
		return TakenChecklist{}, stored(err, "set")
	}
	pace := newPace(0, planned.New+planned.Changed, now)
	return goOnChecklist(ctx, st, learned, func(passed int) { told(pace.at(passed, 0)) })
}

// goOnChecklist stores what is written down, stretch by stretch, so that others can write
// in between; told is called there with how many taxa it has come past.
func goOnChecklist(ctx context.Context, st Store, learned func(Taxon), told func(passed int)) (done TakenChecklist, err error) {
	for passed := 0; ; {
		x, err := st.GoOnChecklist(ctx)
		if err != nil {
			done.Pending = true
			return done, err
		}
		for _, t := range x.Taxa {
			learned(t)
		}
		done.New, done.Changed, done.Set = done.New+x.New, done.Changed+x.Changed, x.Set
		if !x.More {
			return done, nil
		}
		passed += x.Passed
		told(passed)
	}
}
