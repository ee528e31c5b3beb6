package identify

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"fieldmark/internal/nearest"
)

const (
	// recallEvery is how many answers there are to one that is offered as a sample.
	recallEvery = 16
	// recallPause is how long at least lies between two exact scans: a million
	// exemplars take one thread a tenth of a second or so, a share of 1/600.
	recallPause = time.Minute
)

// recallSample is an answer of the index.
type recallSample struct {
	memory *memory
	query  []float32 // raw embedding [D]
	found  []nearest.Neighbour
}

// recall compares, now and then, what the index found nearest with what an exact
// scan finds. The graph of retrieval.md is measured on data that its makers chose;
// this is its recall on the photos that are really asked about.
type recall struct {
	answers atomic.Uint64
	samples chan recallSample // without room: whoever offers never waits
}

func newRecall() *recall { return &recall{samples: make(chan recallSample)} }

// offer gives an answer to be compared, if it is one's turn, it was found by an
// approximate index, and no other is being compared or was just now.
func (r *recall) offer(m *memory, query []float32, found []nearest.Neighbour) {
	if len(found) == 0 || !m.index.approximate(m.tree.Vectors()) || r.answers.Add(1)%recallEvery != 1 {
		return
	}
	select {
	case r.samples <- recallSample{m, slices.Clone(query), found}:
	default:
	}
}

// run compares samples, one at a time with a pause after each, until ctx ends.
func (r *recall) run(ctx context.Context, pause time.Duration, meter Meter) {
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-r.samples:
			meter.Recalled(s.compare())
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// compare counts how many of the exactly nearest the sample has. One that is as
// near as the last of them is as good: ties have no right order.
func (s recallSample) compare() (found, of int) {
	exact, err := s.memory.tree.NearestBy(nearest.Exact{Vectors: s.memory.tree.Vectors()}, s.query, len(s.found), nil)
	if err != nil || len(exact) == 0 {
		return 0, 0 // the query is not one that this memory can be asked; the answer said so
	}
	last := exact[len(exact)-1].Cos
	for _, n := range s.found {
		if n.Cos >= last {
			found++
		}
	}
	return min(found, len(exact)), len(exact)
}

// approximate reports whether a search of v may miss what is near.
func (x *index) approximate(v *nearest.Vectors) bool {
	return x.other != nil || x.graph != nil && x.graph.Len() > 0 && v.Len() > 0
}
