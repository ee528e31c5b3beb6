package nearest

import "slices"

// choose is the paper's SELECT-NEIGHBORS-HEURISTIC for cosine: of hits, which
// come nearest first with their keys the cosines to some node, it keeps each that
// is nearer to that node than to any kept before it, so that links lead in
// different directions; places that remain go to the nearest of the rest (the
// paper's keepPrunedConnections). It returns at most limit hits, in kept's room;
// those that come in kept stay and count.
//
// For unit vectors |a−b|² = 2 − 2cos(a, b), so that comparing cosines is
// comparing distances, and the paper's argument holds. (Inner products of vectors
// that are not of unit length would not do.)
func (v *view) choose(kept, hits []hit, limit int) []hit {
	var rest []hit
	for _, h := range hits {
		if len(kept) >= limit {
			return kept
		}
		code, scale := v.code(h.id)
		apart := func(k hit) bool {
			other, otherScale := v.code(k.id)
			return similarity(code, scale, other, otherScale) < h.key
		}
		if slices.ContainsFunc(kept, func(k hit) bool { return !apart(k) }) {
			rest = append(rest, h)
		} else {
			kept = append(kept, h)
		}
	}
	return append(kept, rest[:min(len(rest), limit-len(kept))]...)
}

// similarity is the cosine of two nodes.
func (v *view) similarity(a, b int32) float32 {
	codeA, scaleA := v.code(a)
	codeB, scaleB := v.code(b)
	return similarity(codeA, scaleA, codeB, scaleB)
}
