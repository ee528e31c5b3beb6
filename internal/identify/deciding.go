package identify

import (
	"context"
	"slices"
	"time"
)

// maxDecided bounds the observations of one decision.
const maxDecided = 500

// Decided is what came of a decision, or of undoing one.
type Decided struct {
	Decision Decision
	Label    string        // what was taught; "" for other kinds
	Seq      Seq           // of the last event; 0 if nothing was taught or withdrawn
	Learned  time.Duration // from the durable event to the new memory's publication
}

// TeachMany names observations, all alike, and teaches them: all of them or, where
// one is refused, none. It returns once that is durable and learned.
func (s *Service) TeachMany(ctx context.Context, u User, ids []ObservationID, a Answer) (Decided, error) {
	if err := decidable(u, ids); err != nil {
		return Decided{}, err
	}
	one := NewIdentification{FromSuggestion: a.FromSuggestion}
	if err := s.answer(ctx, a, &one); err != nil {
		return Decided{}, err
	}
	e, release := s.acquire()
	defer release()
	before := e.learner.memory()
	lessons, vectors, err := s.lessons(ctx, e, before, ids, one)
	if err != nil {
		return Decided{}, err
	}
	d, seq, err := s.Store.Decide(ctx, NewDecision{Kind: DecidedTaught, User: u.ID, At: s.Now(), Items: lessons})
	if err != nil {
		return Decided{}, stored(err, "label")
	}
	s.gaveMany(LessonGiven, u, d)
	return s.decided(ctx, e, before, Decided{Decision: d, Seq: seq, Label: d.Items[0].Identification.TaxonLabel}, vectors)
}

// lessons are copies of one for each observation, with what the memory says of it
// before. It sees to it that every memory can learn each photo, and returns their
// embeddings.
func (s *Service) lessons(ctx context.Context, e *engine, m *memory, ids []ObservationID, one NewIdentification) (list []NewIdentification, vectors [][]float32, err error) {
	for _, id := range ids {
		o, err := s.Store.Observation(ctx, id)
		if err != nil {
			return nil, nil, stored(err, "observation")
		}
		v, err := e.embedding(ctx, o.Photo.Hash)
		if err != nil {
			return nil, nil, err
		}
		if err := s.embedForAll(ctx, e.encoder, storedPhoto{o.Photo.Hash, o.Photo.HasFile(), v}); err != nil {
			return nil, nil, err
		}
		n := one
		n.Observation = id
		e.testFirst(ctx, m, v, &n)
		list, vectors = append(list, n), append(vectors, v)
	}
	return list, vectors, nil
}

// decided waits for what was taught or withdrawn to be learned.
func (s *Service) decided(ctx context.Context, e *engine, before *memory, d Decided, vectors [][]float32) (Decided, error) {
	durable := time.Now()
	s.tellLearners()
	after, err := e.learner.learned(ctx, d.Seq)
	if err != nil {
		return d, err
	}
	d.Learned = time.Since(durable)
	s.turns.keep(turn{seq: d.Seq, engine: e, before: before, after: after, taught: vectors})
	return d, nil
}

// SetAside notes that observations were looked at and nobody can tell from their
// photos what they show. They leave everybody's queue.
func (s *Service) SetAside(ctx context.Context, u User, ids []ObservationID) (Decided, error) {
	return s.putAway(ctx, u, DecidedSetAside, ids)
}

// Skip puts observations at the end of this person's queue.
func (s *Service) Skip(ctx context.Context, u User, ids []ObservationID) (Decided, error) {
	return s.putAway(ctx, u, DecidedSkipped, ids)
}

func (s *Service) putAway(ctx context.Context, u User, kind DecisionKind, ids []ObservationID) (Decided, error) {
	if err := decidable(u, ids); err != nil {
		return Decided{}, err
	}
	n := NewDecision{Kind: kind, User: u.ID, At: s.Now()}
	for _, id := range ids {
		n.Items = append(n.Items, NewIdentification{Observation: id})
	}
	d, _, err := s.Store.Decide(ctx, n)
	return Decided{Decision: d}, stored(err, "observation")
}

// decidable refuses a decision by someone who may not, and one about nothing, too
// much, or anything twice.
func decidable(u User, ids []ObservationID) error {
	if err := allow(u, Expert, "review"); err != nil {
		return err
	}
	if len(ids) == 0 {
		return Errorf(Invalid, "observation", "Select at least one photo.")
	}
	if len(ids) > maxDecided {
		return Errorf(Invalid, "observation", "At most %d photos can be decided on at once.", maxDecided)
	}
	if sorted := slices.Sorted(slices.Values(ids)); len(slices.Compact(sorted)) < len(ids) {
		return Errorf(Invalid, "observation", "One photo is listed twice.")
	}
	return nil
}

// LastDecision is what Undo would take back; nil if there is nothing.
func (s *Service) LastDecision(ctx context.Context, u User) (*Decision, error) {
	d, err := s.Store.LastDecision(ctx, u.ID)
	if KindOf(err) == NotFound {
		return nil, nil
	}
	return &d, err
}

// Undo takes back the whole of a decision, one's own or as a curator anyone's; of 0,
// one's own last one.
func (s *Service) Undo(ctx context.Context, u User, id DecisionID) (Decided, error) {
	if err := allow(u, Expert, "review"); err != nil {
		return Decided{}, err
	}
	d, err := s.Store.Decision(ctx, id)
	if id == 0 {
		d, err = s.Store.LastDecision(ctx, u.ID)
	}
	switch {
	case KindOf(err) == NotFound:
		return Decided{}, Errorf(Conflict, "", "There is nothing left to undo.")
	case err != nil:
		return Decided{}, err
	case d.User != u.ID:
		if err := allow(u, Curator, "undo what others decided"); err != nil {
			return Decided{}, err
		}
	}
	return s.undo(ctx, u, d, 0)
}

// PutBack returns one observation that was set aside to the queue: one's own, or
// anyone's as a curator.
func (s *Service) PutBack(ctx context.Context, u User, id DecisionID, o ObservationID) (Decided, error) {
	if err := allow(u, Expert, "review"); err != nil {
		return Decided{}, err
	}
	d, err := s.Store.Decision(ctx, id)
	if err != nil {
		return Decided{}, stored(err, "decision")
	}
	if d.User != u.ID {
		if err := allow(u, Curator, "put back what others set aside"); err != nil {
			return Decided{}, err
		}
	}
	if d.Kind != DecidedSetAside {
		return Decided{}, Errorf(Invalid, "decision", "This was not set aside.")
	}
	return s.undo(ctx, u, d, o)
}

func (s *Service) undo(ctx context.Context, u User, d Decision, only ObservationID) (Decided, error) {
	e, release := s.acquire()
	defer release()
	var vectors [][]float32
	if d.Kind == DecidedTaught {
		for _, item := range d.Items {
			o, err := s.Store.Observation(ctx, item.Observation)
			if err != nil {
				return Decided{}, err
			}
			v, err := s.Store.Embedding(ctx, e.info.Digest, o.Photo.Hash)
			if err != nil && KindOf(err) != NotFound {
				return Decided{}, err
			}
			if v != nil {
				vectors = append(vectors, v)
			}
		}
	}
	before := e.learner.memory()
	undone, seq, err := s.Store.UndoDecision(ctx, d.ID, only, u.ID, s.Now())
	if err != nil {
		return Decided{}, stored(err, "decision")
	}
	out := Decided{Decision: undone, Seq: seq}
	if seq == 0 {
		return out, nil
	}
	s.gaveMany(LessonTaken, u, d)
	return s.decided(ctx, e, before, out, vectors)
}

// Asides lists what is set aside, newest first, at most 200: to curators all of
// it, to others what they set aside themselves.
func (s *Service) Asides(ctx context.Context, u User) ([]Aside, error) {
	if err := allow(u, Expert, "review"); err != nil {
		return nil, err
	}
	by := u.ID
	if u.Role.Allows(Curator) {
		by = 0
	}
	list, err := s.Store.SetAside(ctx, by, maxPage)
	for i, a := range list {
		list[i].Observation = a.Observation.shownTo(u)
	}
	return list, err
}
