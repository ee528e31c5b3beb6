package nearest

import (
	"cmp"
	"slices"
	"sync"

	"fieldmark/internal/vec"
)

// Neighbour is a vector that was found near to another.
type Neighbour struct {
	ID  int     // its number in Vectors
	Cos float64 // cosine of the angle between the two, −1 to 1
}

// Index finds neighbours. Implementations are safe for concurrent use.
type Index interface {
	// Search returns the k vectors of greatest cosine to query among those for
	// which keep is true (all, if keep is nil), the greatest first and, where
	// cosines tie, the earlier vector first; fewer only if fewer are kept. keep
	// must be a pure function that may be called from several goroutines.
	Search(query []float32, k int, keep func(id int) bool) []Neighbour
}

// Exact is the Index that compares the query with every vector.
//
// It scans in single precision and compares again, in double precision, all
// those that the first pass's rounding (vec.DotError) could have misplaced. So
// its answer is the one that double precision gives.
type Exact struct {
	Vectors *Vectors
	Workers int // goroutines that share a scan; below 2, the caller's alone
}

// minShare is the number of vectors below which another goroutine costs more
// than it saves.
const minShare = 8 * chunkRows

// Search implements Index. A query without direction (all zero) has cosine 0 to
// everything.
func (e Exact) Search(query []float32, k int, keep func(id int) bool) []Neighbour {
	n := e.Vectors.Len()
	if k <= 0 || n == 0 {
		return nil
	}
	unit := slices.Clone(query)
	norm := vec.Normalize(unit)
	workers := max(1, min(e.Workers, n/minShare))
	if workers == 1 {
		return e.scan(query, unit, norm, k, keep, 0, n)
	}

	parts := make([][]Neighbour, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			parts[w] = e.scan(query, unit, norm, k, keep, w*n/workers, (w+1)*n/workers)
		})
	}
	wg.Wait()
	return first(slices.Concat(parts...), k)
}

// Among is Search among the vectors of the given numbers, by the caller's goroutine
// alone.
func (e Exact) Among(query []float32, k int, ids []int) []Neighbour {
	if k <= 0 || len(ids) == 0 {
		return nil
	}
	unit := slices.Clone(query)
	norm := vec.Normalize(unit)
	found := newShortlist(k, cosSlack(e.Vectors.dim))
	for _, id := range ids {
		found.consider(e.Vectors, unit, id)
	}
	return found.exact(e.Vectors, query, norm)
}

// scan is Search among the vectors numbered from ≤ id < to.
func (e Exact) scan(query, unit []float32, norm float64, k int, keep func(int) bool, from, to int) []Neighbour {
	found := newShortlist(k, cosSlack(e.Vectors.dim))
	for id := from; id < to; id++ {
		cos := e.Vectors.chunks[id>>chunkBits].cos(id&chunkMask, unit)
		if found.wants(cos) && (keep == nil || keep(id)) {
			found.add(id, cos)
		}
	}

	return found.exact(e.Vectors, query, norm)
}

// first sorts ns by cosine, then by number, and keeps k.
func first(ns []Neighbour, k int) []Neighbour {
	slices.SortFunc(ns, func(a, b Neighbour) int {
		return cmp.Or(cmp.Compare(b.Cos, a.Cos), cmp.Compare(a.ID, b.ID))
	})
	return slices.Clip(ns[:min(k, len(ns))])
}
