package identify

import (
	"sync"
	"time"

	"fieldmark/internal/tree"
)

// optima remembers when leaves came to their optimum since the program began. The
// log does not say: it is no part of the memory.
type optima struct {
	mu sync.Mutex
	at map[int]time.Time // by leaf
}

// note remembers which leaves a new version has retrained.
func (o *optima) note(before, now *tree.Tree, at time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.at == nil {
		o.at = map[int]time.Time{}
	}
	now.EachRetrained(before, func(leaf int) { o.at[leaf] = at })
}

// retrainedAt is when a leaf last came to its optimum; nil if that was before the
// program began.
func (l *learner) retrainedAt(leaf int) *time.Time {
	l.optima.mu.Lock()
	defer l.optima.mu.Unlock()
	if at, known := l.optima.at[leaf]; known {
		return &at
	}
	return nil
}
