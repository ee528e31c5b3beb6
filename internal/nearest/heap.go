package nearest

// hitHeap is a binary heap of hits, the farthest on top, or the nearest.
type hitHeap struct {
	hits         []hit
	nearestOnTop bool
}

func (h *hitHeap) reset()   { h.hits = h.hits[:0] }
func (h *hitHeap) top() hit { return h.hits[0] }

// above says whether a belongs nearer to the top than b.
func (h *hitHeap) above(a, b hit) bool {
	if h.nearestOnTop {
		return a.before(b)
	}
	return b.before(a)
}

func (h *hitHeap) push(x hit) {
	h.hits = append(h.hits, x)
	i := len(h.hits) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !h.above(x, h.hits[parent]) {
			break
		}
		h.hits[i] = h.hits[parent]
		i = parent
	}
	h.hits[i] = x
}

func (h *hitHeap) pop() hit {
	out := h.hits[0]
	last := h.hits[len(h.hits)-1]
	h.hits = h.hits[:len(h.hits)-1]
	if len(h.hits) > 0 {
		h.replaceTop(last)
	}
	return out
}

// replaceTop is pop followed by push.
func (h *hitHeap) replaceTop(x hit) {
	n := len(h.hits)
	i := 0
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && h.above(h.hits[child+1], h.hits[child]) {
			child++
		}
		if !h.above(h.hits[child], x) {
			break
		}
		h.hits[i] = h.hits[child]
		i = child
	}
	h.hits[i] = x
}
