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

// index is what the versions of a memory find near exemplars with. All of them
// share one graph, which only grows, in the background: a version leaves out what
// is newer than itself and what it holds to be withdrawn, and scans what the
// graph has not taken in yet. So the graph depends on the exemplars' order alone,
// not on when it was extended.
type index struct {
	graph *nearest.Graph // nil: always exact
	from  int            // exemplars from which it is extended
}

func newIndex(kind IndexKind, dim int) (*index, error) {
	switch kind {
	case IndexExact:
		return &index{}, nil
	case IndexHNSW:
		return newGraphIndex(dim, graphTail)
	}
	return newGraphIndex(dim, graphFrom)
}

func newGraphIndex(dim, from int) (*index, error) {
	g, err := nearest.NewGraph(dim, nearest.GraphParams{})
	return &index{graph: g, from: from}, err
}

// behind says whether the graph should be extended to m's exemplars.
func (x *index) behind(m *memory) bool {
	return x.graph != nil && m.tree.Len() >= x.from && m.tree.Len()-x.graph.Len() >= graphTail
}

// extend takes a turn's exemplars of m into the graph, fewer if ctx ends.
func (x *index) extend(ctx context.Context, m *memory, workers int) {
	v := m.tree.Vectors()
	to := min(v.Len(), x.graph.Len()+graphTurn)
	for ctx.Err() == nil && x.graph.Extend(v, min(to, x.graph.Len()+graphStep), workers) > 0 {
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

// nearest is the k standing exemplars nearest to v, among those that keep lets
// pass (all, if it is nil).
func (m *memory) nearest(v []float32, k, workers int, keep func(id int) bool) ([]nearest.Neighbour, error) {
	if m.index.graph == nil {
		return m.tree.Nearest(v, k, keep)
	}
	return m.tree.NearestBy(nearest.Hybrid{Vectors: m.tree.Vectors(), Graph: m.index.graph, Workers: workers}, v, k, keep)
}
