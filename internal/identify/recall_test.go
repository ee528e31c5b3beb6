package identify

import (
	"context"
	"sync"
	"testing"
	"time"

	"fieldmark/internal/nearest"
)

// recalls notes what it is told; nothing else is of interest to it.
type recalls struct {
	unmeasured
	mu        sync.Mutex
	found, of []int
	told      chan struct{}
}

func (r *recalls) Recalled(found, of int) {
	r.mu.Lock()
	r.found, r.of = append(r.found, found), append(r.of, of)
	r.mu.Unlock()
	r.told <- struct{}{}
}

// graphed is a memory with a graph that has taken in all it can.
func graphed(t *testing.T, l *logOnly) *memory {
	t.Helper()
	c := logConfig(l, MemoryConfig{Index: IndexHNSW})
	c.Embedder, c.Psi = blind{8}, 500
	m := folding(t, c, startOf(t, c), l.events)
	for m.index.behind(m.tree.Vectors()) {
		m.index.extend(t.Context(), m.tree.Vectors(), 2)
	}
	return m
}

func firstQuery(l *logOnly) []float32 {
	for _, e := range l.events {
		if e.Vector != nil {
			return e.Vector
		}
	}
	return nil
}

// What the exact scan itself found has recall 1; with two of its nine replaced by
// what is farther, 7 of 9.
func TestRecallCountsWhatIsAsNear(t *testing.T) {
	l := someLog(2*graphTail, 8)
	m, query := graphed(t, l), firstQuery(l)
	exact, err := m.tree.NearestBy(nearest.Exact{Vectors: m.tree.Vectors()}, query, 12, nil)
	if err != nil || len(exact) != 12 {
		t.Fatal(exact, err)
	}
	if exact[8].Cos == exact[9].Cos {
		t.Fatal("the log's vectors tie where the test needs them not to")
	}
	if found, of := (recallSample{m, query, exact[:9]}).compare(); found != 9 || of != 9 {
		t.Errorf("the exact nine: %d of %d", found, of)
	}
	worse := append(append([]nearest.Neighbour{}, exact[:7]...), exact[9], exact[10])
	if found, of := (recallSample{m, query, worse}).compare(); found != 7 || of != 9 {
		t.Errorf("seven of the nine: %d of %d", found, of)
	}
}

// One answer in recallEvery is offered; whoever offers does not wait, and an exact
// index has nothing to be compared.
func TestRecallIsSampledSeldom(t *testing.T) {
	l := someLog(2*graphTail, 8)
	m, query := graphed(t, l), firstQuery(l)
	found, err := m.nearest(query, 9, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	meter := &recalls{told: make(chan struct{})}
	r := newRecall()
	for range recallEvery {
		r.offer(m, query, found) // nobody takes it
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); r.run(ctx, time.Hour, meter) }()
	offers := 0
	for told := false; !told; { // until run listens, offers are dropped
		r.offer(m, query, found)
		offers++
		select {
		case <-meter.told:
			told = true
		case <-time.After(time.Millisecond):
		}
	}
	for range 10 * recallEvery {
		r.offer(m, query, found)
	}
	stop()
	<-done
	if len(meter.found) != 1 || meter.of[0] != 9 || meter.found[0] < 8 {
		t.Errorf("after %d offers: %d of %d", offers, meter.found, meter.of)
	}
	c := logConfig(l, MemoryConfig{Index: IndexExact})
	c.Embedder = blind{8}
	if exact := folding(t, c, startOf(t, c), l.events[:100]); exact.index.approximate(exact.tree.Vectors()) {
		t.Error("an exact index is taken for an approximate one")
	}
}
