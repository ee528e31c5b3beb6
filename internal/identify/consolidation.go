package identify

import (
	"context"
	"errors"

	"fieldmark/internal/probe"
	"fieldmark/internal/tree"
)

// take puts the result of a consolidation that has ended into the current
// memory. One that came to its own end short of the optimum would do so again:
// its leaf is left as it is until its members change.
func (l *learner) take(c *consolidation) {
	if c.err != nil && !errors.Is(c.err, context.Canceled) {
		l.config.Log.Error("a leaf could not be consolidated", "leaf", c.leaf, "error", c.err)
	}
	if c.running == nil || errors.Is(c.err, context.Canceled) && c.fitted.Model == nil {
		return
	}
	m := l.memory()
	if !errors.Is(c.err, context.Canceled) && !c.fitted.Report.Converged {
		l.ended[c.leaf] = m.tree.Revision(c.leaf)
		l.config.Log.Warn("a leaf did not reach its optimum", "leaf", c.leaf, "gradient", c.fitted.Report.GradNorm)
	}
	if t, ok := m.tree.WithProbe(c.fitted); ok {
		l.publish(m.with(t))
	}
}

// consolidation is one leaf being fitted to its optimum in the background.
type consolidation struct {
	leaf    int
	cancel  context.CancelFunc
	running chan struct{} // closed when it has ended; nil if there was nothing to do
	fitted  tree.Fitted   // read after that, as is err
	err     error
}

// consolidate begins with the first stale leaf that it is of use for.
func (l *learner) consolidate(ctx context.Context) *consolidation {
	t := l.memory().tree
	leaf := -1
	for _, stale := range t.Stale() {
		if l.ended[stale] != t.Revision(stale) {
			leaf = stale
			break
		}
	}
	if leaf < 0 {
		return &consolidation{cancel: func() {}}
	}
	ctx, cancel := context.WithCancel(ctx)
	c := &consolidation{leaf: leaf, cancel: cancel, running: make(chan struct{})}
	go func() {
		defer close(c.running)
		c.fitted, c.err = t.Fit(ctx, leaf, probe.Options{Workers: l.config.Workers})
	}()
	return c
}

// stop ends it, if it has not ended, and waits for that.
func (c *consolidation) stop() {
	c.cancel()
	if c.running != nil {
		<-c.running
	}
}
