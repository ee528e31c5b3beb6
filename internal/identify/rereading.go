package identify

import (
	"context"
	"sync/atomic"
	"time"
)

const (
	// rereadTurn is how many readings are stored at a time.
	rereadTurn = 64
	// rereadFor is how long after someone looked at the queue its readings are
	// still renewed.
	rereadFor = 2 * time.Minute
)

// readAll reads photos by their embeddings with one memory, all by the default
// question.
func (e *engine) readAll(ctx context.Context, m *memory, list []WaitingVector) ([]ObservationReading, error) {
	q := Question{}
	if err := e.settle(&q); err != nil {
		return nil, err
	}
	c, err := e.candidates(ctx, m, q)
	if err != nil {
		return nil, err
	}
	out := make([]ObservationReading, 0, len(list))
	for _, w := range list {
		r, err := e.readShort(ctx, m, w.Vector, q, c)
		if err != nil {
			return nil, err
		}
		out = append(out, ObservationReading{w.Observation, r})
	}
	return out, nil
}

// readShort is predict in short.
func (e *engine) readShort(ctx context.Context, m *memory, vector []float32, q Question, c candidateSet) (Reading, error) {
	a, err := e.ask(ctx, m, vector, q, c)
	if err != nil {
		return Reading{}, err
	}
	first, second := -1, 0.0
	for y, p := range a.result.P {
		switch {
		case first < 0 || p > a.result.P[first]:
			if first >= 0 {
				second = a.result.P[first]
			}
			first = y
		case p > second:
			second = p
		}
	}
	return Reading{Taxon: c.taxa[first].ID, Label: c.labels[first], Chance: a.result.P[first], Second: second, Seq: m.seq, From: e.sureFrom()}, nil
}

// rereading renews, in the background, the readings that the queue is ordered by,
// while there is someone who looks at it.
type rereading struct {
	wake  chan struct{}
	until atomic.Int64 // microseconds since 1970
}

func newRereading() *rereading { return &rereading{wake: make(chan struct{}, 1)} }

// renewReadings lets the background look whether readings are out of date.
func (s *Service) renewReadings() {
	s.rereads.until.Store(time.Now().Add(rereadFor).UnixMicro())
	select {
	case s.rereads.wake <- struct{}{}:
	default:
	}
}

// rereadBehind renews readings until ctx ends. A failure is told and leaves the
// queue in the order that it has.
func (s *Service) rereadBehind(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.rereads.wake:
		}
		for more := true; more && ctx.Err() == nil && time.Now().UnixMicro() < s.rereads.until.Load(); {
			var err error
			if more, err = s.rereadSome(ctx); err != nil && ctx.Err() == nil {
				s.Log.Warn("the review queue keeps older readings", "error", err)
				more = false
			}
		}
	}
}

// rereadSome renews a turn's readings with the present memory, and reports whether
// there may be others. It rests as long as it works, so that it takes at most half
// of one processor.
func (s *Service) rereadSome(ctx context.Context) (more bool, err error) {
	e, release := s.acquire()
	defer release()
	m := e.learner.memory()
	start := time.Now() // of a piece of work: to find what is stale takes its time too
	list, err := s.Store.StaleReadings(ctx, e.info.Digest, m.seq, rereadTurn)
	if err != nil || len(list) == 0 {
		return false, err
	}
	var done []ObservationReading
	for len(list) > 0 {
		n := min(4, len(list))
		some, err := e.readAll(ctx, m, list[:n])
		if err != nil {
			return false, err
		}
		done, list = append(done, some...), list[n:]
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(time.Since(start)):
		}
		start = time.Now()
	}
	return true, s.Store.SaveReadings(ctx, e.info.Digest, done)
}
