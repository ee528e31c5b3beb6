package identify

import (
	"context"
	"errors"
	"slices"
)

// lineup is which encoders are open and which of them have a memory. One pointer
// to it is swapped when anything of that changes.
type lineup struct {
	serving *engine
	standby *engine  // served before, or is compared with; nil if there is none
	target  *encoder // is being given its embeddings, to serve then; nil if none is
}

// engines are those that learn.
func (l *lineup) engines() []*engine {
	if l.standby == nil {
		return []*engine{l.serving}
	}
	return []*engine{l.serving, l.standby}
}

// encoders are those that are open, each once.
func (l *lineup) encoders() []*encoder {
	var list []*encoder
	for _, e := range l.engines() {
		list = append(list, e.encoder)
	}
	if l.target != nil && !slices.Contains(list, l.target) {
		list = append(list, l.target)
	}
	return list
}

// reads reports whether a memory is of the embeddings of that digest.
func (l *lineup) reads(digest string) bool {
	return slices.ContainsFunc(l.engines(), func(e *engine) bool { return e.info.Digest == digest })
}

// engine finds an engine by the name of its encoder, nil if there is none.
func (l *lineup) engine(model string) *engine {
	for _, e := range l.engines() {
		if e.model == model {
			return e
		}
	}
	return nil
}

func (s *Service) serving() *engine { return s.lineup.Load().serving }

// acquire returns the engine that serves, which goes on learning until release
// is called.
func (s *Service) acquire() (e *engine, release func()) {
	return s.hold((*lineup).first)
}

func (l *lineup) first() *engine { return l.serving }

// acquireModel is acquire for an encoder by name; nil if it has no memory.
func (s *Service) acquireModel(model string) (e *engine, release func()) {
	return s.hold(func(l *lineup) *engine { return l.engine(model) })
}

func (s *Service) hold(choose func(*lineup) *engine) (*engine, func()) {
	for {
		e := choose(s.lineup.Load())
		if e == nil {
			return nil, nil
		}
		e.use.RLock()
		// One that has left the lineup in between may have retired.
		if slices.Contains(s.lineup.Load().engines(), e) {
			return e, e.use.RUnlock
		}
		e.use.RUnlock()
	}
}

// lineUp puts another lineup up and lets go of what it does not hold any more.
// The caller holds s.change.
func (s *Service) lineUp(next lineup) {
	former := s.lineup.Swap(&next)
	for _, e := range next.engines() {
		e.tell() // of what came into the log while it was folded
	}
	var gone []*engine
	for _, e := range former.engines() {
		if !slices.Contains(next.engines(), e) {
			gone = append(gone, e)
		}
	}
	s.background.Go(func() {
		for _, e := range gone {
			e.learner.superseded.Store(next.reads(e.info.Digest))
			e.retire()
		}
		for _, e := range former.encoders() {
			if slices.Contains(next.encoders(), e) {
				continue
			}
			if err := e.close(); err != nil {
				s.Log.Error("an encoder could not be closed", "encoder", e.model, "error", err)
			}
		}
	})
}

// tellLearners lets every memory take in what was just put into the log.
func (s *Service) tellLearners() {
	for _, e := range s.lineup.Load().engines() {
		e.tell()
		s.recalibrate(e)
	}
}

// embedForAll makes sure that a photo which is about to be taught has an
// embedding, and its views, under every encoder that has, or is being given, a
// memory: a learner that met the lesson without its vector would leave it out. What
// an encoder cannot do keeps nobody from teaching: it is found out and made good in
// the background, and before that the encoder's memory does not begin to serve
// (engine.whole).
func (s *Service) embedForAll(ctx context.Context, serving *encoder, p storedPhoto) error {
	leave, err := s.queue()
	if err != nil {
		return err
	}
	defer leave()
	for _, e := range s.lineup.Load().encoders() {
		err := s.embedLesson(ctx, e, e != serving, p)
		var ofEncoder *encoderError
		if errors.As(err, &ofEncoder) {
			s.Log.Warn("a lesson is not embedded yet", "photo", p.hash, "encoder", e.model, "error", err)
			s.lookAgain()
		} else if err != nil {
			return err
		}
	}
	return nil
}

// embedLesson does so under one encoder; whole says that the embedding of the whole
// may be missing too.
func (s *shared) embedLesson(ctx context.Context, e *encoder, whole bool, p storedPhoto) error {
	if whole {
		if _, err := e.embedding(ctx, s, p.hash); err != nil {
			if err := s.unreadable(ctx, e, p.hash, err); err != nil {
				return err
			}
		}
	}
	if !p.file {
		return nil
	}
	return s.viewed(ctx, e, p.hash)
}

// unreadable notes that an encoder cannot be shown a photo. Errors that are not
// the photo's are returned.
func (s *shared) unreadable(ctx context.Context, e *encoder, hash PhotoHash, cause error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var ofEncoder *encoderError
	if errors.As(cause, &ofEncoder) {
		return cause
	}
	reason := NoticeOf(cause)
	if KindOf(cause) == "" {
		reason = Noticef("The file of this photo cannot be read (%v).", cause)
	}
	s.Log.Warn("a photo cannot be embedded", "photo", hash, "encoder", e.model, "reason", reason.String())
	return s.Store.AddEmbeddingFailure(ctx, e.info.Digest, hash, reason, s.Now())
}
