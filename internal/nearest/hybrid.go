package nearest

import (
	"slices"

	"fieldmark/internal/vec"
)

// Hybrid is the Index that asks a Graph about the vectors that it has taken in,
// and scans the rest exactly, so that what was just appended is found at once. It
// is Exact where the graph is small, and where a filter leaves few vectors: there
// a graph would have to be walked through almost wholly.
//
// What it finds by the graph is compared with the query as Exact compares it. So
// its neighbours' cosines and order are exact, but now and then one is missing.
type Hybrid struct {
	Vectors *Vectors
	Graph   *Graph // of these vectors, or of fewer, or more; nil is none
	Width   int    // candidates that a search keeps (ef); 0 is DefaultWidth
	Workers int    // goroutines that share an exact scan
}

const (
	// DefaultWidth is a Hybrid's search width unless it says otherwise.
	DefaultWidth = 96

	// graphPays is the number of vectors below which a scan is as fast as a graph,
	// so that Hybrid makes no use of one.
	graphPays = 4096

	probes = 256 // vectors by which Hybrid finds out whether a filter leaves few
)

// Search implements Index.
func (h Hybrid) Search(query []float32, k int, keep func(id int) bool) []Neighbour {
	if h.Graph != nil && k > 0 && min(h.Graph.Len(), h.Vectors.Len()) >= graphPays && keepsSome(keep, h.Vectors.Len()) {
		if found, ok := h.walk(query, k, keep); ok {
			return found
		}
	}
	return Exact{Vectors: h.Vectors, Workers: h.Workers}.Search(query, k, keep)
}

// keepsSome says whether keep is true for any of some vectors spread over all n.
func keepsSome(keep func(id int) bool, n int) bool {
	for i := range probes {
		if keep == nil || keep(i*n/probes) {
			return true
		}
	}
	return false
}

// walk is Search by the graph. It gives up where a scan would have come to an end
// sooner, or where there is nothing to follow because the query has no direction.
func (h Hybrid) walk(query []float32, k int, keep func(id int) bool) (found []Neighbour, ok bool) {
	unit := slices.Clone(query)
	norm := vec.Normalize(unit)
	now := h.Graph.view()
	if norm == 0 || now.n == 0 {
		return nil, false
	}
	n, width := h.Vectors.Len(), h.Width
	if width == 0 {
		width = DefaultWidth
	}
	width = max(width, k)
	s := h.Graph.searcher(now)
	defer s.release()
	encode(s.code, unit, 1)
	accept := func(id int32) bool {
		return int(id) < n && (keep == nil || keep(int(id)))
	}
	near, ok := s.beam(s.descend(0, upperWidth), 0, width, accept, 16*width+int(s.n)/8)
	if !ok {
		return nil, false
	}
	list := newShortlist(k, cosSlack(h.Vectors.dim))
	for _, hit := range near {
		list.consider(h.Vectors, unit, int(hit.id))
	}
	list.scan(h.Vectors, unit, int(now.n), n, keep)
	return list.exact(h.Vectors, query, norm), true
}
