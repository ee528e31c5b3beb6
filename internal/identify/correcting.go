package identify

import (
	"context"
	"time"
)

// Identify records what a person says that an observation shows and teaches it
// to the memory. It returns once the event is durable and learned, with the
// same photo read before and after.
func (s *Service) Identify(ctx context.Context, u User, id ObservationID, a Answer, q Question) (Correction, error) {
	if err := allow(u, Expert, "identify"); err != nil {
		return Correction{}, err
	}
	n := NewIdentification{Observation: id, User: u.ID, FromSuggestion: a.FromSuggestion, At: s.Now()}
	if err := s.answer(ctx, a, &n); err != nil {
		return Correction{}, err
	}
	e, release := s.acquire()
	defer release()
	m := e.learner.memory()
	before, seen, err := e.predictStored(ctx, m, id, q)
	if err != nil {
		return Correction{}, err
	}
	e.testFirst(ctx, m, seen.vector, &n)
	if err := s.embedForAll(ctx, e.encoder, seen); err != nil {
		return Correction{}, err
	}
	identification, seq, err := s.Store.Teach(ctx, n)
	if err != nil {
		return Correction{}, stored(err, "label")
	}
	s.gave(LessonGiven, u, identification, before)
	return s.corrected(ctx, e, m, Correction{Identification: identification, Seq: seq, Before: before}, seen.vector, q)
}

// Withdraw takes an identification back: one's own, or anyone's as a curator.
func (s *Service) Withdraw(ctx context.Context, u User, o ObservationID, i IdentificationID, q Question) (Correction, error) {
	if err := s.mayWithdraw(ctx, u, o, i); err != nil {
		return Correction{}, err
	}
	e, release := s.acquire()
	defer release()
	m := e.learner.memory()
	before, seen, err := e.predictStored(ctx, m, o, q)
	if err != nil {
		return Correction{}, err
	}
	identification, seq, err := s.Store.Withdraw(ctx, o, i, u.ID, s.Now())
	if err != nil {
		return Correction{}, stored(err, "identification")
	}
	s.gave(LessonTaken, u, identification, before)
	return s.corrected(ctx, e, m, Correction{Identification: identification, Seq: seq, Before: before}, seen.vector, q)
}

// corrected waits for an event, which is durable, to be learned after the memory
// that was, and reads the photo again.
func (s *Service) corrected(ctx context.Context, e *engine, was *memory, c Correction, vector []float32, q Question) (Correction, error) {
	durable := time.Now()
	s.tellLearners()
	m, err := e.learner.learned(ctx, c.Seq)
	if err != nil {
		return c, err
	}
	c.Learned = time.Since(durable)
	s.turns.keep(turn{seq: c.Seq, engine: e, before: was, after: m, taught: [][]float32{vector}})
	c.After, err = e.predict(ctx, m, vector, q)
	return c, err
}

// answer fills in which taxon is meant.
func (s *Service) answer(ctx context.Context, a Answer, n *NewIdentification) error {
	switch {
	case a.Taxon != 0 && a.Label != "":
		return Errorf(Invalid, "label", "Give either a taxon or a name, not both.")
	case a.Taxon != 0:
		if _, err := s.Taxon(ctx, a.Taxon); KindOf(err) == NotFound {
			return Errorf(Invalid, "taxon_id", "There is no taxon with the id %d. Search for its name.", a.Taxon)
		} else if err != nil {
			return err
		}
		n.Taxon = s.taxonomy.accepted(a.Taxon)
		return nil
	}
	name, err := cleanName("label", a.Label)
	n.Local = name
	return err
}

func (s *Service) mayWithdraw(ctx context.Context, u User, o ObservationID, i IdentificationID) error {
	if err := allow(u, Expert, "withdraw identifications"); err != nil {
		return err
	}
	obs, err := s.Store.Observation(ctx, o)
	if err != nil {
		return stored(err, "id")
	}
	for _, x := range obs.Identifications {
		if x.ID == i {
			if x.User != u.ID {
				return allow(u, Curator, "withdraw what others taught")
			}
			return nil
		}
	}
	return Errorf(NotFound, "identification", "Observation %d has no identification %d.", o, i)
}
