package identify

import (
	"context"
)

// task is a piece of background work. A nil task is none.
type task struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when work has returned
	finish func()        // called by the learning goroutine after that
	stale  func() bool   // called by the learning goroutine: the result would be of no use; nil if it always is
}

// start runs work in a goroutine of its own.
func start(ctx context.Context, work func(ctx context.Context)) *task {
	ctx, cancel := context.WithCancel(ctx)
	t := &task{cancel: cancel, done: make(chan struct{}), finish: func() {}}
	go func() {
		defer close(t.done)
		defer cancel()
		work(ctx)
	}()
	return t
}

// ended is closed when the task has done its work; of no task, never.
func (t *task) ended() <-chan struct{} {
	if t == nil {
		return nil
	}
	return t.done
}

// reconsider ends a task whose result would be of no use any more.
func (t *task) reconsider() {
	if t != nil && t.stale != nil && t.stale() {
		t.cancel()
	}
}

// stop ends a task and takes what it has achieved.
func (t *task) stop() {
	if t != nil {
		t.cancel()
		<-t.done
		t.finish()
	}
}

// next begins what is to be done in the background: bringing the index up to the
// exemplars and leaves to their optimum, in turn, so that neither waits for all
// of the other; and a snapshot. nil if nothing is.
func (l *learner) next(ctx context.Context) *task {
	m := l.memory()
	grow, leaf := m.index.behind(m.tree.Vectors()) || m.views.index.behind(m.views.vectors), l.staleLeaf(m)
	switch {
	case l.saved.overdue(m):
		return l.save(ctx)
	case grow && !(l.grown && leaf >= 0):
		l.grown = true
		return start(ctx, func(ctx context.Context) { m.extendIndexes(ctx, l.spare()) })
	case leaf >= 0:
		l.grown = false
		return l.consolidate(ctx, leaf)
	case l.saved.due(m):
		return l.save(ctx)
	}
	return nil
}

// spare is how many threads the background may use: one less than there are, so
// that what someone waits for finds one free.
func (l *learner) spare() int { return max(1, l.config.Workers-1) }

// farewell writes the snapshot before the program ends, if what would have to be
// folded at the next start is worth it. It does not pace itself, but does not keep
// the program either.
func (l *learner) farewell(ctx context.Context) {
	if l.superseded.Load() || !l.saved.worthwhile(l.memory()) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.config.Farewell)
	defer cancel()
	l.note(l.memory(), keep(ctx, l.config, l.memory(), 0))
}
