package identify

import (
	"context"
	"errors"
	"slices"
)

// Compared is a photo as one encoder and its memory read it.
type Compared struct {
	Encoder    EncoderState
	Prediction Prediction
	Exemplars  int // that its memory holds
}

// CompareObservation reads the photo of an observation with several encoders.
// It takes a curator: an encoder that has no memory at hand is opened, and takes
// the place of the one that served before.
func (s *Service) CompareObservation(ctx context.Context, u User, id ObservationID, models []string, q Question) ([]Compared, error) {
	return s.compare(ctx, u, models, func(e *engine) (Prediction, error) {
		p, _, err := e.predictStored(ctx, e.learner.memory(), id, q)
		return p, err
	})
}

// ComparePhoto is CompareObservation for a photo that is not kept.
func (s *Service) ComparePhoto(ctx context.Context, u User, photo []byte, models []string, q Question) ([]Compared, error) {
	return s.compare(ctx, u, models, func(e *engine) (Prediction, error) { return e.classify(ctx, photo, q) })
}

func (s *Service) compare(ctx context.Context, u User, models []string, read func(*engine) (Prediction, error)) ([]Compared, error) {
	states, err := s.EncoderStates(ctx, u)
	if err != nil {
		return nil, err
	}
	var list []Compared
	for _, model := range models {
		if _, err := s.encoderOf(model); err != nil {
			return nil, err
		}
		x, err := s.compareWith(ctx, model, read)
		if err != nil {
			return nil, err
		}
		for _, state := range states {
			if state.Model == model {
				x.Encoder = state
			}
		}
		list = append(list, x)
	}
	return list, nil
}

func (s *Service) compareWith(ctx context.Context, model string, read func(*engine) (Prediction, error)) (Compared, error) {
	e, release := s.acquireModel(model)
	if e == nil {
		if err := s.standBy(ctx, model); err != nil {
			return Compared{}, err
		}
		if e, release = s.acquireModel(model); e == nil {
			return Compared{}, Errorf(Overloaded, "encoder", "Others are comparing encoders at this moment. Try again.")
		}
	}
	defer release()
	p, err := read(e)
	return Compared{Prediction: p, Exemplars: e.learner.memory().tree.Live()}, err
}

// standBy gives an encoder a memory of what is embedded under it so far.
func (s *Service) standBy(ctx context.Context, model string) error {
	s.change.Lock()
	defer s.change.Unlock()
	if s.lineup.Load().engine(model) != nil {
		return nil // someone else has just done it
	}
	x, err := s.open(ctx, model)
	if err != nil {
		return err
	}
	e, err := newEngine(ctx, s.shared, x)
	if err != nil {
		if !slices.Contains(s.lineup.Load().encoders(), x) {
			err = errors.Join(err, x.close())
		}
		return err
	}
	next := *s.lineup.Load()
	next.standby = e
	s.lineUp(next)
	return nil
}
