package nearest

import (
	"slices"

	"fieldmark/internal/vec"
)

// shortlist gathers, from a stream of approximate cosines, every item that may
// belong to the k greatest if each cosine may be wrong by slack/2.
type shortlist struct {
	k     int
	slack float32
	best  hitHeap // the k of greatest cosine so far, the least of them on top
	items []hit   // by cosine
	limit int     // length of items at which those that fell behind are dropped
}

// cosSlack is the slack for cosines by chunk.cos.
func cosSlack(dim int) float32 {
	// Besides Dot's error, the unit query and the quotient are rounded once each.
	return float32(2 * (vec.DotError(dim) + 0x1p-22))
}

func newShortlist(k int, slack float32) *shortlist {
	return &shortlist{k: k, slack: slack, limit: 4*k + 256}
}

// wants says whether an item of this cosine may belong to the k greatest.
func (s *shortlist) wants(cos float32) bool {
	return len(s.best.hits) < s.k || cos >= s.best.top().key-s.slack
}

// add takes in an item that wants has let pass.
func (s *shortlist) add(id int, cos float32) {
	h := hit{cos, int32(id)}
	s.items = append(s.items, h)
	if len(s.best.hits) < s.k {
		s.best.push(h)
	} else if cos > s.best.top().key {
		s.best.replaceTop(h)
	}
	if len(s.items) >= s.limit {
		s.items = slices.DeleteFunc(s.items, func(h hit) bool { return !s.wants(h.key) })
		s.limit = max(s.limit, 2*len(s.items)) // many ties must not be sifted again and again
	}
}

// scan takes in the vectors numbered from ≤ id < to for which keep is true. It
// asks keep first, so that a filter that leaves few costs no more than itself.
func (s *shortlist) scan(v *Vectors, unit []float32, from, to int, keep func(int) bool) {
	for id := from; id < to; id++ {
		if keep == nil || keep(id) {
			s.consider(v, unit, id)
		}
	}
}

// consider takes in vector id if it may belong to the k nearest to unit.
func (s *shortlist) consider(v *Vectors, unit []float32, id int) {
	if cos := v.chunks[id>>chunkBits].cos(id&chunkMask, unit); s.wants(cos) {
		s.add(id, cos)
	}
}

// exact compares those that remain with the query, of length norm, in double
// precision, and returns the k nearest.
func (s *shortlist) exact(v *Vectors, query []float32, norm float64) []Neighbour {
	out := make([]Neighbour, 0, len(s.items))
	var row []float32
	for _, h := range s.items {
		if !s.wants(h.key) {
			continue
		}
		id, cos := int(h.id), 0.0
		if norm > 0 {
			row = v.Row(id, row)
			cos = vec.DotWide(query, row) / (norm * v.Norm(id))
		}
		out = append(out, Neighbour{ID: id, Cos: max(-1, min(1, cos))})
	}
	return first(out, s.k)
}
