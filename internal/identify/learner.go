package identify

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// learner folds the log into the memory. One goroutine owns the next version;
// readers take the current one and never wait.
//
// A leaf is fitted in two strokes: a short one before the version that has its
// new exemplars is published, and one to the optimum in the background. The log
// is the queue: however much is taught at once, the learner holds one batch of it
// and strokes the leaves of all that it has read together. In the background
// there is one task at a time (consolidation, task), on one thread less than the
// foreground may use, so that the next lesson finds one free.
type learner struct {
	config  Config
	meet    func(context.Context, TaxonID) (Taxon, error) // makes a taxon known that is new
	encoder string
	current atomic.Pointer[memory]
	failure atomic.Pointer[error]
	waiters waiters
	optima  optima

	kick       chan struct{} // there are new events
	superseded atomic.Bool   // another learner of the same encoder keeps the snapshot
	cancel     context.CancelFunc
	done       sync.WaitGroup

	// What follows belongs to the learning goroutine.
	folded *folded
	ended  map[int]uint64 // leaves whose fit ended short of the optimum, and at which revision
	leaf   int            // consolidated last
	grown  bool           // the task before was to extend the index
	saved  savedState     // what the snapshot on disk has
}

const (
	// batch is how many events are read at once, and at most merged into one
	// published version.
	batch = 512
	// startStroke is how long the start may spend on the first stroke of leaves.
	// What it leaves undone the background does.
	startStroke = 2 * time.Second
)

// startLearner takes the memory from its snapshot, or else folds the log, folds
// what is newer, publishes the memory and goes on learning until stop.
func startLearner(ctx context.Context, c Config, meet func(context.Context, TaxonID) (Taxon, error)) (*learner, error) {
	l := &learner{config: c, meet: meet, encoder: c.Embedder.Info().Digest, kick: make(chan struct{}, 1), ended: map[int]uint64{}}
	start, err := l.begin(ctx)
	if err != nil {
		return nil, err
	}
	l.folded = foldedOf(start)
	m := start
	for more := true; more; {
		if m, more, err = l.read(ctx, m); err != nil {
			return nil, err
		}
	}
	short, done := context.WithTimeout(ctx, startStroke)
	defer done()
	m, err = l.stroke(short, m, start)
	if err != nil && (ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded)) {
		return nil, err
	}
	l.current.Store(m)
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l.cancel = cancel
	l.done.Go(func() { l.run(background) })
	return l, nil
}

// begin is the memory of the snapshot, or the empty one.
func (l *learner) begin(ctx context.Context) (*memory, error) {
	l.saved.on = l.config.Memory.Snapshots != nil
	m, err := restore(ctx, l.config)
	switch {
	case err == nil:
		l.saved = savedAs(m)
		return m, nil
	case ctx.Err() != nil:
		return nil, err
	case !errors.Is(err, errNoSnapshot):
		l.config.Log.Warn("the snapshot of the memory is not used; the log is folded instead", "reason", err)
	}
	return emptyMemory(l.config)
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
	if !l.waiters.enter(seq) {
		return nil, Errorf(NotReady, "", "What was taught is kept. So many are teaching at this moment that it will be learned a little later.")
	}
	defer l.waiters.leave(seq)
	asked := time.Now()
	select {
	case l.kick <- struct{}{}:
	default:
	}
	for {
		m := l.memory()
		if m.seq >= seq {
			l.config.Meter.Learned(time.Since(asked))
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
	var background *task
	for {
		if background == nil {
			background = l.next(ctx)
		}
		var stopped error
		select {
		case <-ctx.Done():
			stopped = ctx.Err()
		case <-background.ended():
			background.finish()
			background = nil
		case <-l.kick:
			stopped = l.drain(ctx)
			background.reconsider()
		}
		if stopped != nil {
			background.stop()
			l.farewell(ctx)
			l.fail(stopped)
			return
		}
	}
}

// drain folds all new events, a batch at a time, and publishes each. Leaves get
// their first stroke when someone waits for what has been folded, and at the end.
func (l *learner) drain(ctx context.Context) error {
	stroked := l.memory()
	for more := true; more; {
		m := l.memory()
		next, further, err := l.read(ctx, m)
		if err != nil || next == m && m == stroked {
			return err
		}
		if more = further; !more || l.waiters.any(next.seq) {
			if next, err = l.stroke(ctx, next, stroked); err != nil {
				return err
			}
			stroked = next
		}
		l.publish(next)
	}
	return nil
}

// read folds a batch of events into the version after m; m itself if there are
// none. more says that there may be others.
func (l *learner) read(ctx context.Context, m *memory) (next *memory, more bool, err error) {
	events, err := l.config.Store.Events(ctx, l.encoder, m.seq, batch)
	if err != nil {
		return m, false, fmt.Errorf("reading the log: %w", err)
	}
	if len(events) == 0 {
		return m, false, nil
	}
	for _, e := range events { // an import, or another process, may have made its taxon
		if _, err := l.meet(ctx, e.Taxon); err != nil {
			return m, false, fmt.Errorf("reading the taxa of the log: %w", err)
		}
	}
	began := time.Now()
	d := m.draft(l.folded)
	for _, e := range events {
		d.apply(e)
	}
	l.config.Meter.Folded(len(events), time.Since(began))
	if n := len(d.skipped); n > 0 {
		l.config.Log.Warn("some lessons are not in the memory", "lessons", n, "of_events", len(events), "the_first", d.skipped[0])
	}
	return d.done(), len(events) == batch, nil
}

// stroke gives their first stroke to the leaves that changed since an earlier
// version.
func (l *learner) stroke(ctx context.Context, m, since *memory) (*memory, error) {
	began := time.Now()
	t, err := m.tree.Stroke(ctx, m.changed(since), l.config.Workers)
	if err != nil {
		err = fmt.Errorf("the first stroke: %w", err)
	}
	l.config.Meter.Stroked(time.Since(began))
	return m.with(t), err
}

// publish makes m what everyone reads from now on.
func (l *learner) publish(m *memory) {
	l.optima.note(l.memory().tree, m.tree, l.config.Now())
	close(l.current.Swap(m).next)
}

// fail ends learning for good: the log cannot be read, or a leaf not be
// fitted. Whoever waits is told.
func (l *learner) fail(err error) {
	if errors.Is(err, context.Canceled) {
		err = Errorf(NotReady, "", "Fieldmark is shutting down. What was taught is kept and learned at the next start.")
	} else {
		l.config.Log.Error("learning has stopped", "error", err)
		err = Errorf(NotReady, "", "What was taught is kept, but learning has stopped because of a fault. Restart Fieldmark; its log says why.").Because(err)
	}
	l.failure.Store(&err)
	close(l.memory().next)
}
