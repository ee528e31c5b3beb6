package nearest

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// Extend takes in the vectors of v from number Len() up to, but not including,
// number to, as far as these make full batches, and returns how many it took. The
// first Len() vectors of v must be those that the graph was made of. workers
// goroutines share the work; they change nothing of the result, nor does the
// number of calls: whoever builds in the background takes a portion at a time.
func (g *Graph) Extend(v *Vectors, to, workers int) int {
	g.writer.Lock()
	defer g.writer.Unlock()
	from := g.Len()
	for at := from; at+batchNodes <= min(to, v.Len()); at += batchNodes {
		b := &batch{g: g, first: int32(at), workers: max(1, workers)}
		b.place(v)
		b.seek()
		b.adopt()
		b.link()
		g.publish(int32(at + batchNodes))
	}
	return g.Len() - from
}

// batch is the taking in of batchNodes vectors.
type batch struct {
	g       *Graph
	first   int32
	workers int
	old     view                // the graph before the batch, also for nodes of the batch
	wanted  [batchNodes][][]hit // by node and level, the links that it seeks
	edges   []edge
}

// edge is a link that node from is to get.
type edge struct {
	level int
	from  int32
	to    int32
	kin   bool
}

// parallel calls do for 0 ≤ i < n.
func (b *batch) parallel(n int, do func(s *searcher, i int)) {
	var next atomic.Int32
	var wg sync.WaitGroup
	for range min(b.workers, n) {
		wg.Go(func() {
			s := b.g.searcher(b.old)
			defer s.release()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(s, i)
			}
		})
	}
	wg.Wait()
}

// place gives the vectors room and codes.
func (b *batch) place(v *Vectors) {
	for i := range int32(batchNodes) {
		b.g.grow(b.first + i)
	}
	b.old = b.g.view()
	var row []float32
	for i := range int32(batchNodes) {
		row = b.old.encode(v, b.first+i, row)
	}
}

// seek finds the links that each node is to have.
func (b *batch) seek() {
	b.parallel(batchNodes, func(s *searcher, i int) {
		id := b.first + int32(i)
		code, scale := s.view.code(id)
		copy(s.code, code)
		top := b.g.level(id)
		b.wanted[i] = make([][]hit, top+1)
		var at []hit
		if s.n > 0 {
			at = s.descend(top, upperWidth)
		}
		for level := top; level >= 0; level-- {
			var near []hit
			if len(at) > 0 && level <= b.g.level(s.entry) {
				near, _ = s.beam(at, level, b.g.params.Width, nil, int(s.n))
				at = append(at[:0], near...)
			}
			near = b.fellows(s, near, id, level)
			for j := range near {
				near[j].key *= scale // now the cosine
			}
			b.wanted[i][level] = s.choose(make([]hit, 0, b.g.params.M), near, b.g.params.M)
		}
	})
}

// fellows adds to near the earlier nodes of the batch.
func (b *batch) fellows(s *searcher, near []hit, id int32, level int) []hit {
	for other := b.first; other < id; other++ {
		if b.g.level(other) >= level {
			near = append(near, hit{s.key(other), other})
		}
	}
	slices.SortFunc(near, compareHits)
	return near[:min(len(near), b.g.params.Width)]
}

// adopt gives every node a parent: the nearest of those that it seeks that has few
// enough children yet, or else the node before it, which has none.
func (b *batch) adopt() {
	children := make(map[int32]int)
	most := b.g.params.M / 2
	for i := range b.wanted {
		id := b.first + int32(i)
		if id == 0 {
			continue
		}
		at := slices.IndexFunc(b.wanted[i][0], func(h hit) bool {
			return b.childrenOf(h.id)+children[h.id] < most
		})
		if at < 0 {
			b.wanted[i][0] = append(b.wanted[i][0][:min(len(b.wanted[i][0]), b.g.params.M-1)], hit{b.old.similarity(id, id-1), id - 1})
			at = len(b.wanted[i][0]) - 1
		}
		parent := b.wanted[i][0][at].id
		children[parent]++
		for level, near := range b.wanted[i] {
			for j, h := range near {
				isKin := level == 0 && j == at
				b.edges = append(b.edges, edge{level, id, h.id, isKin}, edge{level, h.id, id, isKin})
			}
		}
	}
}

// childrenOf is the number of children that a node had before the batch.
func (b *batch) childrenOf(id int32) int {
	n := 0
	list := b.old.links(id, 0)
	for i := range list {
		if l := link(list[i].Load()); l.isKin() && l.id() > id {
			n++
		}
	}
	return n
}

// link writes the links, each list once.
func (b *batch) link() {
	slices.SortFunc(b.edges, func(x, y edge) int {
		return cmp.Or(cmp.Compare(x.level, y.level), cmp.Compare(x.from, y.from), cmp.Compare(x.to, y.to))
	})
	var starts []int
	for i, e := range b.edges {
		if i == 0 || e.level != b.edges[i-1].level || e.from != b.edges[i-1].from {
			starts = append(starts, i)
		}
	}
	starts = append(starts, len(b.edges))
	b.parallel(len(starts)-1, func(s *searcher, i int) {
		b.join(s, b.edges[starts[i]:starts[i+1]])
	})
}

// join adds links to one list. If they are too many, all but those between parent
// and child are chosen anew, a few less than there is room for, so that the next
// ones do not at once lead to another choice.
func (b *batch) join(s *searcher, edges []edge) {
	from, level := edges[0].from, edges[0].level
	list := s.links(from, level)
	links := read(list, nil)
	for _, e := range edges {
		l := linkTo(e.to)
		if e.kin {
			l |= kin
		}
		if at := slices.IndexFunc(links, func(k link) bool { return k.id() == e.to }); at >= 0 {
			links[at] |= l // both chose the other
		} else {
			links = append(links, l)
		}
	}
	if len(links) > len(list) {
		links = s.prune(from, links, len(list)-len(list)/slack)
	}
	write(list, links)
}

// prune chooses, of the links of a node, at most limit and all between parent and
// child.
func (v *view) prune(from int32, links []link, limit int) []link {
	var kept, rest []hit
	family := make([]link, 0, len(links))
	for _, l := range links {
		h := hit{v.similarity(from, l.id()), l.id()}
		if l.isKin() {
			kept, family = append(kept, h), append(family, l)
		} else {
			rest = append(rest, h)
		}
	}
	slices.SortFunc(rest, compareHits)
	kept = v.choose(kept, rest, max(limit, len(kept)))
	for _, h := range kept[len(family):] {
		family = append(family, linkTo(h.id))
	}
	return family
}
