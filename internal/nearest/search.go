package nearest

import "slices"

// hit is a node that a search has come upon.
type hit struct {
	key float32 // grows with the cosine to what is sought
	id  int32
}

// before says whether a is nearer than b, or as near and earlier.
func (a hit) before(b hit) bool { return a.key > b.key || a.key == b.key && a.id < b.id }

func compareHits(a, b hit) int {
	switch {
	case a.before(b):
		return -1
	case b.before(a):
		return 1
	}
	return 0
}

// searcher is the room that a search needs.
type searcher struct {
	view
	code    []int8   // of what is sought
	visited []uint64 // bit set of the nodes seen on the present level
	seen    []int32  // the same as a list
	open    hitHeap  // seen and to be followed, nearest on top
	found   hitHeap  // the nearest accepted so far, farthest on top
	fresh   []int32
	keys    []float32
	sorted  []hit
}

func (g *Graph) searcher(v view) *searcher {
	s := g.searchers.Get().(*searcher)
	s.view = v
	if words := (int(v.n) + 63) / 64; len(s.visited) < words {
		s.visited = make([]uint64, words+words/4)
	}
	if len(s.code) < g.dim {
		s.code = make([]int8, g.dim)
	}
	s.open.nearestOnTop = true
	return s
}

func (s *searcher) release() {
	g := s.g
	s.view = view{}
	g.searchers.Put(s)
}

// visit marks a node as seen, and says whether it was not before.
func (s *searcher) visit(id int32) bool {
	word, bit := id>>6, uint64(1)<<(id&63)
	if s.visited[word]&bit != 0 {
		return false
	}
	s.visited[word] |= bit
	s.seen = append(s.seen, id)
	return true
}

func (s *searcher) forget() {
	for _, id := range s.seen {
		s.visited[id>>6] = 0
	}
	s.seen = s.seen[:0]
}

// key is the cosine of a node to what is sought, but for a factor that is the
// same for all nodes.
func (s *searcher) key(id int32) float32 {
	code, scale := s.view.code(id)
	return similarity(s.code, 1, code, scale)
}

// beam is the paper's SEARCH-LAYER: from the nodes in from, whose keys are
// known, it follows on one level the links of the nearest node that it knows,
// until the width nearest it has accepted are nearer than all that is left to
// follow. It returns them, the nearest first; the slice is s's own. accept, if
// not nil, says which nodes may be returned; the others are only ways. It gives
// up, and says so, once it has seen budget nodes.
func (s *searcher) beam(from []hit, level, width int, accept func(id int32) bool, budget int) (found []hit, complete bool) {
	s.open.reset()
	s.found.reset()
	for _, h := range from {
		if s.visit(h.id) {
			s.take(h, width, accept)
		}
	}
	for len(s.open.hits) > 0 {
		next := s.open.pop()
		if len(s.found.hits) == width && s.found.top().before(next) {
			break
		}
		if len(s.seen) > budget {
			s.forget()
			return nil, false
		}
		s.follow(next.id, level)
		for i, id := range s.fresh {
			h := hit{s.keys[i], id}
			if len(s.found.hits) < width || h.before(s.found.top()) {
				s.take(h, width, accept)
			}
		}
	}
	s.forget()
	s.sorted = append(s.sorted[:0], s.found.hits...)
	slices.SortFunc(s.sorted, compareHits)
	return s.sorted, true
}

// take notes a node that is near enough to matter.
func (s *searcher) take(h hit, width int, accept func(id int32) bool) {
	s.open.push(h)
	if accept != nil && !accept(h.id) {
		return
	}
	if len(s.found.hits) < width {
		s.found.push(h)
	} else if h.before(s.found.top()) {
		s.found.replaceTop(h)
	}
}

// follow gathers the nodes that id links to and that were not seen before, with
// their keys. All keys are computed before any is looked at, so that the processor
// can fetch many codes from memory at the same time.
func (s *searcher) follow(id int32, level int) {
	s.fresh, s.keys = s.fresh[:0], s.keys[:0]
	list := s.links(id, level)
	for i := range list {
		l := link(list[i].Load())
		if l == 0 {
			break
		}
		if to := l.id(); to < s.n && s.visit(to) {
			s.fresh = append(s.fresh, to)
		}
	}
	for _, to := range s.fresh {
		s.keys = append(s.keys, s.key(to))
	}
}

// descend goes from the entry to the level below which the search proper begins,
// by beams of the given width, and returns where it has arrived, the nearest
// first. The graph must not be empty.
func (s *searcher) descend(to, width int) []hit {
	at := []hit{{s.key(s.entry), s.entry}}
	for level := s.g.level(s.entry); level > to; level-- {
		near, _ := s.beam(at, level, width, nil, int(s.n))
		at = append(at[:0], near...)
	}
	return at
}
