package identify

import (
	"context"
	"errors"
	"slices"
)

// EncoderState is an encoder with how far its memory is.
type EncoderState struct {
	InstalledEncoder
	Serving bool
	Ready   bool // has a memory at hand: to let it serve, if nothing is missing, takes no time
	Wanted  bool // is to serve once its memory is ready
	Counts  EmbeddingCounts
}

// EncoderWork is what is being done in the background for an encoder; nil if
// nothing is. It is cheap to ask.
func (s *Service) EncoderWork() *EncoderWork { return s.work.Load() }

// EncoderStates lists the encoders that are installed, and the one that serves.
// It takes a curator.
func (s *Service) EncoderStates(ctx context.Context, u User) ([]EncoderState, error) {
	if err := allow(u, Curator, "look at the encoders"); err != nil {
		return nil, err
	}
	list, err := s.installed()
	if err != nil {
		return nil, err
	}
	l, work := s.lineup.Load(), s.work.Load()
	states := make([]EncoderState, len(list))
	for i, x := range list {
		states[i] = EncoderState{InstalledEncoder: x, Serving: x.Model == l.serving.model, Ready: l.engine(x.Model) != nil,
			Wanted: work != nil && work.Switch && work.Model == x.Model}
		if x.Fault.Format != "" {
			continue
		}
		if states[i].Counts, err = s.Store.EmbeddingCounts(ctx, x.Digest); err != nil {
			return nil, err
		}
	}
	return states, nil
}

// installed lists the encoders, and the one that serves if it is elsewhere.
func (s *Service) installed() ([]InstalledEncoder, error) {
	var list []InstalledEncoder
	if s.Installed != nil {
		var err error
		if list, err = s.Installed.Installed(); err != nil {
			return nil, err
		}
	}
	e := s.serving()
	if !slices.ContainsFunc(list, func(x InstalledEncoder) bool { return x.Model == e.model }) {
		list = append(list, InstalledEncoder{Model: e.model, Title: e.info.Name, Digest: e.info.Digest, Dim: e.info.Dim})
	}
	return list, nil
}

// encoderOf describes one of the installed encoders.
func (s *Service) encoderOf(model string) (InstalledEncoder, error) {
	list, err := s.installed()
	if err != nil {
		return InstalledEncoder{}, err
	}
	i := slices.IndexFunc(list, func(x InstalledEncoder) bool { return x.Model == model })
	if i < 0 {
		return InstalledEncoder{}, Errorf(NotFound, "encoder", "There is no encoder %q here. `webapp models list` shows what there is.", model)
	}
	if list[i].Fault.Format != "" {
		return list[i], Errorf(Invalid, "encoder", "The encoder %s cannot be used: %s", model, list[i].Fault)
	}
	return list[i], nil
}

// LostLessons lists up to limit lessons that an encoder's memory lacks because
// their photo cannot be read; total counts them all. They are in the log, and
// in the memory of an encoder that has read the photo. It takes a curator.
func (s *Service) LostLessons(ctx context.Context, u User, model string, limit int) (list []LostLesson, total int, err error) {
	if err := allow(u, Curator, "look at the encoders"); err != nil {
		return nil, 0, err
	}
	x, err := s.encoderOf(model)
	if err != nil {
		return nil, 0, err
	}
	return s.Store.LostLessons(ctx, x.Digest, limit)
}

// UseEncoder asks for an encoder to serve. At once if it has served lately;
// otherwise the photos are embedded under it in the background, and the one that
// serves goes on meanwhile. It takes an admin.
func (s *Service) UseEncoder(ctx context.Context, u User, model string) error {
	if err := allow(u, Admin, "choose the encoder"); err != nil {
		return err
	}
	if _, err := s.encoderOf(model); err != nil {
		return err
	}
	return s.choose(func() error { _, err := s.Store.WantEncoder(ctx, model); return err })
}

// CancelEncoder takes the wish for another encoder back. What was embedded for
// it stays. It takes an admin.
func (s *Service) CancelEncoder(ctx context.Context, u User) error {
	if err := allow(u, Admin, "choose the encoder"); err != nil {
		return err
	}
	return s.choose(func() error { _, err := s.Store.WantEncoder(ctx, ""); return err })
}

// PauseEncoder pauses or resumes the work in the background. It takes an admin.
func (s *Service) PauseEncoder(ctx context.Context, u User, paused bool) error {
	if err := allow(u, Admin, "pause or resume the work for an encoder"); err != nil {
		return err
	}
	return s.choose(func() error { return s.Store.PauseEmbedding(ctx, paused) })
}

// RetryPhotos lets an encoder be shown the photos again that it could not be
// shown. It takes an admin.
func (s *Service) RetryPhotos(ctx context.Context, u User, model string) error {
	if err := allow(u, Admin, "have photos read again"); err != nil {
		return err
	}
	x, err := s.encoderOf(model)
	if err != nil {
		return err
	}
	return s.choose(func() error {
		if err := s.Store.ForgetEmbeddingFailures(ctx, x.Digest); err != nil {
			return err
		}
		return s.Store.Reconsider(ctx)
	})
}

// choose changes the choice and lets the changer look at it.
func (s *Service) choose(change func() error) error {
	if err := change(); err != nil {
		return err
	}
	s.lookAgain()
	return nil
}

// lookAgain lets the changer look for something to do.
func (s *Service) lookAgain() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// open returns an encoder by name, opened if it is not. The caller holds
// s.change.
func (s *Service) open(ctx context.Context, model string) (*encoder, error) {
	for _, e := range append(s.lineup.Load().encoders(), s.first) {
		if e.model == model {
			return e, nil
		}
	}
	if s.Installed == nil {
		return nil, Errorf(NotFound, "encoder", "There is no other encoder here.")
	}
	o, err := s.Installed.Open(ctx, model)
	if err != nil {
		return nil, err
	}
	e := openedEncoder(model, o, o)
	if err := s.Store.RegisterEncoder(ctx, e.info); err != nil {
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}
