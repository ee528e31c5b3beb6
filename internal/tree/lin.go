package tree

import (
	"context"
	"fmt"
	"sync/atomic"

	"fieldmark/internal/probe"
)

// lin holds the LinProbe of one version: fitted when first asked for, and kept.
type lin struct {
	turn   chan struct{}                // of capacity 1: whoever fills it may use model and done
	model  *probe.Model                 // the optimum
	done   bool                         // model is there
	latest *atomic.Pointer[probe.Model] // what any version came to last: where to start from
}

// newLin is the LinProbe, not fitted yet, of a version made from that of before.
func newLin(before *lin) *lin {
	l := &lin{turn: make(chan struct{}, 1), latest: new(atomic.Pointer[probe.Model])}
	if before != nil {
		l.latest = before.latest
	}
	return l
}

// LinProbe is the one probe over all exemplars of this version (Sec. 3.2), nil
// if there are none. Whoever asks first fits it, on as many as workers
// goroutines, starting from where the last fit of any version ended; it is then
// kept with the version. Others wait for it, each for as long as its own ctx
// allows. What a cancelled fit has achieved serves the next.
func (t *Tree) LinProbe(ctx context.Context, workers int) (*probe.Model, error) {
	l := t.lin
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return nil, fmt.Errorf("tree: LinProbe: %w", ctx.Err())
	}
	if l.done {
		return l.model, nil
	}
	opts := probe.Options{C: t.params.C, Workers: workers, Warm: l.latest.Load()}
	m, report, err := probe.Fit(ctx, t.Members(-1), opts)
	if m != nil {
		l.latest.Store(m)
	}
	if err != nil {
		return nil, fmt.Errorf("tree: LinProbe: %w", err)
	}
	if !report.Converged {
		return nil, fmt.Errorf("tree: LinProbe: not converged after %d steps: |∇f| = %.2g", report.Iterations, report.GradNorm)
	}
	l.model, l.done = m, true
	return m, nil
}
