package identify

import (
	"context"
	"errors"
)

// savedState is what the snapshot on disk spares the next start.
type savedState struct {
	on    bool
	seq   Seq
	stale int // leaves that were not at their optimum
	tried Seq // of the last attempt, if that failed
}

const (
	// A snapshot is due when the log has grown by a share of 1/20 and some events
	// since the last, and the background has nothing better to do; it is overdue,
	// and goes before the rest, at a share of 1/4 and many events. So the events
	// that are folded at a start, and the bytes that are written for each lesson,
	// stay within a constant factor of the least.
	dueShare, dueEvents         = 20, 256
	overdueShare, overdueEvents = 4, 4096
	// worthShare is the share of the log that is worth a snapshot at the end.
	worthShare = 100
	// saveRate is how many bytes a second the background writes at most.
	saveRate = 64 << 20
)

// savedAs is the state after m was written, or read.
func savedAs(m *memory) savedState {
	return savedState{on: true, seq: m.seq, stale: m.tree.Pending()}
}

func (s *savedState) grown(m *memory, share, events Seq) bool {
	behind := m.seq - max(s.seq, s.tried)
	return s.on && behind >= events && behind*share >= m.seq
}

func (s *savedState) due(m *memory) bool {
	settled := s.on && m.tree.Pending() == 0 && s.stale > 0 && m.seq > s.tried
	return s.grown(m, dueShare, dueEvents) || settled
}

func (s *savedState) overdue(m *memory) bool { return s.grown(m, overdueShare, overdueEvents) }

func (s *savedState) worthwhile(m *memory) bool { return s.grown(m, worthShare, 1) }

// save begins to write a snapshot of the present memory.
func (l *learner) save(ctx context.Context) *task {
	m := l.memory()
	var err error
	t := start(ctx, func(ctx context.Context) { err = keep(ctx, l.config, m, saveRate) })
	t.finish = func() { l.note(m, err) }
	return t
}

// note remembers how an attempt to write a snapshot of m went. One that failed is
// not repeated until the log has grown by as much again.
func (l *learner) note(m *memory, err error) {
	switch {
	case err == nil:
		l.saved = savedAs(m)
	case !errors.Is(err, context.Canceled):
		l.saved.tried = m.seq
		l.config.Log.Warn("the snapshot of the memory could not be written; nothing is lost, but the next start takes longer", "error", err)
	}
}
