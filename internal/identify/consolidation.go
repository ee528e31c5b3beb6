package identify

import (
	"context"
	"errors"
	"time"

	"fieldmark/internal/probe"
	"fieldmark/internal/tree"
)

// staleLeaf is the leaf to be consolidated next, −1 if none is to be: the first
// one behind the last in number, so that a leaf that is taught to all the time
// does not keep the others from their turn. One whose fit ended short of the
// optimum would end there again: it is left as it is until its members change.
func (l *learner) staleLeaf(m *memory) int {
	first := -1
	for _, leaf := range m.tree.Stale() {
		if l.ended[leaf] == m.tree.Revision(leaf) {
			continue
		}
		if leaf > l.leaf {
			return leaf
		}
		if first < 0 {
			first = leaf
		}
	}
	return first
}

// consolidate begins to bring a leaf to its optimum. What is taught meanwhile
// does not interrupt it: the result is put into whatever version is the newest
// then, and newer members are fitted from there. Only if the leaf is split is it
// given up.
func (l *learner) consolidate(ctx context.Context, leaf int) *task {
	l.leaf = leaf
	t := l.memory().tree
	var fitted tree.Fitted
	var err error
	work := start(ctx, func(ctx context.Context) {
		began := time.Now()
		if fitted, err = t.Fit(ctx, leaf, probe.Options{Workers: l.spare()}); err == nil {
			l.config.Meter.Consolidated(time.Since(began))
		}
	})
	work.finish = func() { l.take(leaf, fitted, err) }
	work.stale = func() bool { return l.memory().tree.Revision(leaf) == 0 }
	return work
}

// take puts the result of a consolidation into the current memory.
func (l *learner) take(leaf int, f tree.Fitted, err error) {
	cancelled := errors.Is(err, context.Canceled)
	switch {
	case err != nil && !cancelled:
		l.config.Log.Error("a leaf could not be consolidated", "leaf", leaf, "error", err)
		l.ended[leaf] = l.memory().tree.Revision(leaf)
	case !cancelled && !f.Report.Converged:
		l.ended[leaf] = f.Revision
		l.config.Log.Warn("a leaf did not reach its optimum", "leaf", leaf, "gradient", f.Report.GradNorm)
	}
	m := l.memory()
	if t, ok := m.tree.WithProbe(f); ok {
		l.publish(m.with(t))
	}
}
