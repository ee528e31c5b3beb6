package identify

import (
	"context"
	"errors"
	"sync"
	"time"
)

// survey is something that is worked out about a whole memory in the background,
// when somebody asks for it and the memory has changed, and kept until then.
type survey[T any] struct {
	gallery *Gallery
	ctx     context.Context // ends when the gallery closes
	// work makes the state of a version out of that of an earlier one of the same
	// engine; the zero T if there is none.
	work func(ctx context.Context, g *Gallery, e *engine, m *memory, before T) (T, error)
	done sync.WaitGroup

	mu      sync.Mutex
	latest  surveyed[T]
	running chan struct{} // closed when the work under way ends; nil if there is none
}

// surveyed is a result with what it is of.
type surveyed[T any] struct {
	state  T
	engine *engine // nil: there is no result yet
	seq    Seq
	at     time.Time
	err    error // why the latest try came to nothing
}

// newest is the newest memory that numbers its exemplars as the result does.
func (r surveyed[T]) newest(g *Gallery) *memory {
	if r.engine != nil {
		return r.engine.learner.memory()
	}
	return g.service.serving().learner.memory()
}

func newSurvey[T any](ctx context.Context, g *Gallery, work func(context.Context, *Gallery, *engine, *memory, T) (T, error)) *survey[T] {
	return &survey[T]{gallery: g, ctx: ctx, work: work}
}

// ask returns the latest result about the engine that serves. If it is not of the
// newest memory it waits for that: patience if there is no result at all, soon if
// there is one. working says that a newer one is on its way.
func (s *survey[T]) ask(ctx context.Context, patience, soon time.Duration) (r surveyed[T], working bool) {
	e := s.gallery.service.serving()
	if done, some := s.begin(e); done != nil {
		if some {
			patience = soon
		}
		late := time.NewTimer(patience)
		defer late.Stop()
		select {
		case <-done:
		case <-late.C:
		case <-ctx.Done():
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r = s.latest; r.engine != e {
		r = surveyed[T]{err: r.err}
	}
	return r, s.running != nil
}

// begin starts the work if it is needed and nobody does it; nil if there is none to
// wait for. some says that there is a result of an earlier memory.
func (s *survey[T]) begin(e *engine) (running <-chan struct{}, some bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := e.learner.memory()
	if s.running == nil && s.ctx.Err() == nil && (s.latest.engine != e || s.latest.seq != m.seq) {
		done := make(chan struct{})
		s.running = done
		before := s.latest
		if before.engine != e {
			before = surveyed[T]{}
		}
		s.done.Go(func() { s.run(e, m, before, done) })
	}
	return s.running, s.latest.engine == e
}

func (s *survey[T]) run(e *engine, m *memory, before surveyed[T], done chan struct{}) {
	s.gallery.working.Lock()
	state, err := s.work(s.ctx, s.gallery, e, m, before.state)
	s.gallery.working.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.latest = surveyed[T]{state: state, engine: e, seq: m.seq, at: s.gallery.service.Now()}
	} else {
		s.latest.err = err
		if !errors.Is(err, context.Canceled) {
			s.gallery.service.Log.Error("the memory could not be surveyed", "error", err)
		}
	}
	s.running = nil
	close(done)
}

// breather lets background work rest as long as it worked while the learner is behind,
// so that whoever waits for a lesson finds a processor free.
type breather struct {
	learner *learner
	began   time.Time
}

// turn is how long the work goes on between two looks at the learner.
const breatherTurn = 5 * time.Millisecond

func (p *breather) rest(ctx context.Context) error {
	if p.began.IsZero() {
		p.began = time.Now()
	}
	worked := time.Since(p.began)
	if worked < breatherTurn {
		return ctx.Err()
	}
	if p.learner.memory().pending > 0 {
		select {
		case <-time.After(worked):
		case <-ctx.Done():
		}
	}
	p.began = time.Now()
	return ctx.Err()
}
