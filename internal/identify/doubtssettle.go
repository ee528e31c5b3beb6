package identify

import (
	"context"
	"slices"
)

// Settled is what a curator did about a doubt.
type Settled struct {
	Identification IdentificationID // that was in doubt
	Observation    ObservationID
	Now            Identification // that has the new name; zero unless it was renamed
	Seq            Seq            // last event of the log that came of it; 0 if none did
}

// KeepDoubtful notes that a curator looked at an exemplar and finds its name right.
// It is not in doubt again unless something else speaks against it.
func (g *Gallery) KeepDoubtful(ctx context.Context, u User, id IdentificationID) (Settled, error) {
	if err := allow(u, Curator, "settle what may be wrong"); err != nil {
		return Settled{}, err
	}
	x, err := g.standing(ctx, id)
	if err != nil {
		return Settled{}, err
	}
	evidence, err := g.evidence(ctx, id)
	if err != nil {
		return Settled{}, err
	}
	k := KeptDoubt{Identification: id, User: u.ID, At: g.service.Now(), Evidence: evidence}
	return Settled{Identification: id, Observation: x.Observation}, stored(g.store.KeepDoubt(ctx, k), "identification")
}

// evidence is all that spoke against an exemplar when it was last judged.
func (g *Gallery) evidence(ctx context.Context, id IdentificationID) ([]string, error) {
	r, _ := g.doubts.ask(ctx, 0, 0)
	m := r.newest(g)
	at := slices.IndexFunc(r.state.found, func(f found) bool { return m.exemplars.at(f.ID).identification == id })
	if at < 0 {
		return nil, Errorf(Conflict, "identification", "Nothing speaks against identification %d any more, so there is nothing to settle.", id)
	}
	list, err := g.describe(ctx, m, r.state.found[at:at+1])
	var evidence []string
	for _, d := range list {
		for _, reason := range d.Reasons {
			evidence = append(evidence, reason.Evidence())
		}
	}
	return evidence, err
}

// DoubtAgain takes back that an exemplar was found right.
func (g *Gallery) DoubtAgain(ctx context.Context, u User, id IdentificationID) error {
	if err := allow(u, Curator, "settle what may be wrong"); err != nil {
		return err
	}
	return stored(g.store.ForgetKept(ctx, id), "identification")
}

// WithdrawDoubtful takes an exemplar out of the memory: its identification is
// withdrawn, whoever taught it.
func (g *Gallery) WithdrawDoubtful(ctx context.Context, u User, id IdentificationID) (Settled, error) {
	if err := allow(u, Curator, "settle what may be wrong"); err != nil {
		return Settled{}, err
	}
	x, err := g.standing(ctx, id)
	if err != nil {
		return Settled{}, err
	}
	c, err := g.service.Withdraw(ctx, u, x.Observation, id, Question{Top: 1})
	return Settled{Identification: id, Observation: x.Observation, Seq: c.Seq}, err
}

// RenameDoubtful withdraws an exemplar's identification, whoever taught it, and
// teaches another name for its photo in the curator's own name, in one step.
func (g *Gallery) RenameDoubtful(ctx context.Context, u User, id IdentificationID, a Answer) (Settled, error) {
	if err := allow(u, Curator, "settle what may be wrong"); err != nil {
		return Settled{}, err
	}
	x, err := g.standing(ctx, id)
	if err != nil {
		return Settled{}, err
	}
	s := g.service
	n := NewIdentification{Observation: x.Observation, User: u.ID, FromSuggestion: a.FromSuggestion, At: s.Now()}
	if err := s.answer(ctx, a, &n); err != nil {
		return Settled{}, err
	}
	e, release := s.acquire()
	defer release()
	_, seen, err := e.predictStored(ctx, e.learner.memory(), x.Observation, Question{Top: 1})
	if err != nil {
		return Settled{}, err
	}
	if err := s.embedForAll(ctx, e.encoder, seen); err != nil {
		return Settled{}, err
	}
	now, seq, err := g.store.Rename(ctx, id, n)
	if err != nil {
		return Settled{}, stored(err, "label")
	}
	s.tellLearners()
	_, err = e.learner.learned(ctx, seq)
	return Settled{Identification: id, Observation: x.Observation, Now: now, Seq: seq}, err
}

// standing is an exemplar by its identification.
func (g *Gallery) standing(ctx context.Context, id IdentificationID) (GalleryExemplar, error) {
	list, err := g.store.GalleryExemplars(ctx, []IdentificationID{id})
	if err == nil && len(list) == 0 {
		err = Errorf(Conflict, "identification", "Identification %d does not stand any more: somebody has seen to it.", id)
	}
	if err != nil {
		return GalleryExemplar{}, err
	}
	return list[0], nil
}
