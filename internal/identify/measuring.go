package identify

import "time"

// Meter is told how long learning takes and how good retrieval is. Its methods are
// called from many goroutines and must return at once.
type Meter interface {
	// Learned is told how long a correction waited for the memory that has it,
	// from its event being durable.
	Learned(took time.Duration)
	// Folded is told of events that were read from the log and put into the tree,
	// before their leaves are fitted.
	Folded(events int, took time.Duration)
	// Stroked is told of the first stroke of the leaves that changed.
	Stroked(took time.Duration)
	// Consolidated is told of a leaf that the background brought to its optimum.
	Consolidated(took time.Duration)
	// Recalled is told of a sample: of the exemplars that an exact scan finds
	// nearest, how many the index had found.
	Recalled(found, of int)
}

// unmeasured is the Meter of a service that has none.
type unmeasured struct{}

func (unmeasured) Learned(time.Duration)      {}
func (unmeasured) Folded(int, time.Duration)  {}
func (unmeasured) Stroked(time.Duration)      {}
func (unmeasured) Consolidated(time.Duration) {}
func (unmeasured) Recalled(int, int)          {}

// Load is what a service holds, and what waits for it, at one moment.
type Load struct {
	Encoder   EncoderInfo
	Seq       Seq // of the last event in the memory
	Exemplars int // that stand
	Labels    int
	Leaves    int
	Pending   int // events whose consolidating stroke is still to come
	Stale     int // leaves that are not at their optimum
	Unindexed int // exemplars that the graph has not taken in; 0 where the scan is exact
	Waiting   int // corrections that wait to be learned
	Decoding  int // photos whose pixels are in memory
	Reading   int // photos that are being read for someone who waits
	Failed    bool
}

// Load takes no query and no lock that is held for long: it may be asked often.
func (s *Service) Load() Load {
	e := s.serving()
	l := e.learner
	m := l.memory()
	load := Load{Encoder: e.info, Seq: m.seq, Exemplars: m.tree.Live(), Labels: m.tree.Known(), Leaves: m.tree.Stats().Leaves,
		Pending: m.pending, Stale: m.tree.Pending(), Waiting: l.waiters.count(),
		Decoding: s.gate.inside(), Reading: int(s.waiting.Load()), Failed: l.err() != nil}
	if m.index.approximate(m.tree.Vectors()) {
		load.Unindexed = m.tree.Vectors().Len() - m.index.len()
	}
	return load
}
