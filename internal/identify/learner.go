package identify

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"fieldmark/internal/probe"
)

// learner folds the log into the memory. One goroutine owns the next version;
// readers take the current one and never wait. A leaf is fitted in two
// strokes: a short one before the version that has its new exemplars is
// published, and one to the optimum in the background.
type learner struct {
	config  Config
	encoder string
	current atomic.Pointer[memory]
	failure atomic.Pointer[error]

	kick   chan struct{} // there are new events
	cancel context.CancelFunc
	done   sync.WaitGroup

	folded *folded        // of the folding goroutine
	ended  map[int]uint64 // of the folding goroutine: leaves whose fit ended short of the optimum, and at which revision
}

const (
	// batch is how many events are read at once, and at most merged into one
	// published version.
	batch = 512
	// immediate is the number of solver iterations of the first stroke, from
	// the leaf's present weights.
	immediate = 12
)

// startLearner folds the whole log, publishes the memory and goes on learning
// until stop.
func startLearner(ctx context.Context, c Config) (*learner, error) {
	l := &learner{config: c, encoder: c.Embedder.Info().Digest, kick: make(chan struct{}, 1),
		folded: newFolded(), ended: map[int]uint64{}}
	m, err := emptyMemory(c)
	if err != nil {
		return nil, err
	}
	for more := true; more; {
		if m, more, err = l.read(ctx, m); err != nil {
			return nil, err
		}
	}
	if m, err = l.stroke(ctx, m, m.tree.Stale()); err != nil {
		return nil, err
	}
	l.current.Store(m)
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l.cancel = cancel
	l.done.Go(func() { l.run(background) })
	return l, nil
}

// stop ends the background work and waits for it.
func (l *learner) stop() {
	l.cancel()
	l.done.Wait()
}

// memory returns the current version.
func (l *learner) memory() *memory { return l.current.Load() }

func (l *learner) err() error {
	if p := l.failure.Load(); p != nil {
		return *p
	}
	return nil
}

// learned waits until the event is in the published memory and returns that.
// The event is durable already: an error means only that the answer could not
// be made with it yet.
func (l *learner) learned(ctx context.Context, seq Seq) (*memory, error) {
	select {
	case l.kick <- struct{}{}:
	default:
	}
	for {
		m := l.memory()
		if m.seq >= seq {
			return m, nil
		}
		if err := l.err(); err != nil {
			return nil, err
		}
		select {
		case <-m.next:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (l *learner) run(ctx context.Context) {
	c := l.consolidate(ctx)
	for {
		var stopped error
		select {
		case <-ctx.Done():
			stopped = ctx.Err()
		case <-c.running:
		case <-l.kick:
		}
		c.stop()
		l.take(c) // what an interrupted fit has achieved is kept
		for more := true; more && stopped == nil; {
			more, stopped = l.fold(ctx)
		}
		if stopped != nil {
			l.fail(stopped)
			return
		}
		c = l.consolidate(ctx)
	}
}

// fold reads a batch of new events, folds them, gives the leaves that they
// changed their first stroke and publishes the result; more says that there may
// be other events.
func (l *learner) fold(ctx context.Context) (more bool, err error) {
	m := l.memory()
	next, more, err := l.read(ctx, m)
	if err != nil || next == m {
		return false, err
	}
	if next, err = l.stroke(ctx, next, next.changed(m)); err != nil {
		return false, err
	}
	l.publish(next)
	return more, nil
}

// read folds a batch of events into the version after m; m itself if there are
// none.
func (l *learner) read(ctx context.Context, m *memory) (next *memory, more bool, err error) {
	events, err := l.config.Store.Events(ctx, l.encoder, m.seq, batch)
	if err != nil || len(events) == 0 {
		return m, false, err
	}
	d := m.draft(l.folded)
	for _, e := range events {
		d.apply(e)
	}
	if n := len(d.skipped); n > 0 {
		l.config.Log.Error("some lessons are not in the memory", "lessons", n, "of_events", len(events), "the_first", d.skipped[0])
	}
	return d.done(), len(events) == batch, nil
}

// stroke fits each of the leaves a little, from where it stands.
func (l *learner) stroke(ctx context.Context, m *memory, leaves []int) (*memory, error) {
	for _, leaf := range leaves {
		f, err := m.tree.Fit(ctx, leaf, probe.Options{MaxIter: immediate, Workers: l.config.Workers})
		if err != nil {
			return m, fmt.Errorf("fitting leaf %d: %w", leaf, err)
		}
		if t, ok := m.tree.WithProbe(f); ok {
			m = m.with(t)
		}
	}
	return m, nil
}

// publish makes m what everyone reads from now on.
func (l *learner) publish(m *memory) { close(l.current.Swap(m).next) }

// fail ends learning for good: the log cannot be read, or a leaf not be
// fitted. Whoever waits is told.
func (l *learner) fail(err error) {
	if errors.Is(err, context.Canceled) {
		err = Errorf(NotReady, "", "Fieldmark is shutting down. What was taught is kept and learned at the next start.")
	} else {
		l.config.Log.Error("learning has stopped", "error", err)
		err = &Error{Kind: NotReady, Err: err,
			Message: "What was taught is kept, but learning has stopped because of a fault. Restart Fieldmark; its log says why."}
	}
	l.failure.Store(&err)
	close(l.memory().next)
}
