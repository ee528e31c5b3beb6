package identify

import (
	"context"
	"io"

	"fieldmark/internal/nearest"
)

const (
	// graphFrom is the number of exemplars from which IndexAuto keeps a graph.
	// Below it an exact scan takes a millisecond or two.
	graphFrom = 50_000
	// graphTail is how many exemplars may wait to be taken into the graph. Until
	// then they are compared with one by one: some ten microseconds for all.
	graphTail = 2048
	// graphTurn is how many the graph takes in before other work gets its turn.
	graphTurn = 16 * 1024
	// graphStep is how many it takes in between two looks at whether to stop.
	graphStep = 512
)

// index is what the versions of a memory find near exemplars with, by their wholes
// or by their views. All of them share one graph, which only grows, in the
// background: a version leaves out what is newer than itself and what it holds to be
// withdrawn, and scans what the graph has not taken in yet. So the graph depends on
// the vectors' order alone, not on when it was extended.
type index struct {
	graph *nearest.Graph // nil: exact, or other
	other OtherIndex     // nil: the graph, or exact
	from  int            // vectors from which it is extended
}

func newIndex(c MemoryConfig, dim int) (*index, error) {
	switch {
	case c.Other != nil:
		return &index{other: c.Other()}, nil
	case c.Index == IndexExact:
		return &index{}, nil
	}
	x := &index{from: graphFrom}
	if c.Index == IndexHNSW {
		x.from = 0
	}
	var err error
	x.graph, err = nearest.NewGraph(dim, nearest.GraphParams{})
	return x, err
}

// len is how many vectors have been taken in.
func (x *index) len() int {
	if x.other != nil {
		return x.other.Len()
	}
	return x.graph.Len()
}

// behind says whether the index should be extended to all of v.
func (x *index) behind(v *nearest.Vectors) bool {
	approximate := x.graph != nil || x.other != nil
	return approximate && v.Len() >= x.from && v.Len()-x.len() >= graphTail
}

// extend takes a turn's vectors of v into the index, fewer if ctx ends.
func (x *index) extend(ctx context.Context, v *nearest.Vectors, workers int) {
	for to := min(v.Len(), x.len()+graphTurn); ctx.Err() == nil; {
		before := x.len()
		if next := min(to, before+graphStep); x.other != nil {
			x.other.Extend(v, next)
		} else {
			x.graph.Extend(v, next, workers)
		}
		if x.len() == before {
			return
		}
	}
}

// read takes the graph of v's first vectors from a snapshot, or passes it over if
// this index is exact.
func (x *index) read(r io.Reader, v *nearest.Vectors, workers int) (err error) {
	if x.graph == nil {
		_, err = io.Copy(io.Discard, r)
		return err
	}
	x.graph, err = nearest.ReadGraph(r, v, workers)
	return err
}

// of is the index as it finds v's vectors, which it was extended by, or a version of
// those.
func (x *index) of(v *nearest.Vectors, workers int) nearest.Index {
	switch {
	case x.other != nil:
		return x.other.Of(v)
	case x.graph != nil:
		return nearest.Hybrid{Vectors: v, Graph: x.graph, Workers: workers}
	}
	return nearest.Exact{Vectors: v, Workers: workers}
}

// nearest is the k standing exemplars nearest to v by their wholes, among those that
// keep lets pass (all, if it is nil).
func (m *memory) nearest(v []float32, k, workers int, keep func(id int) bool) ([]nearest.Neighbour, error) {
	return m.tree.NearestBy(m.index.of(m.tree.Vectors(), workers), v, k, keep)
}

// extendIndexes takes a turn's exemplars into the indexes that are behind.
func (m *memory) extendIndexes(ctx context.Context, workers int) {
	if v := m.tree.Vectors(); m.index.behind(v) {
		m.index.extend(ctx, v, workers)
	}
	if v := m.views.vectors; m.views.index.behind(v) {
		m.views.index.extend(ctx, v, workers)
	}
}
