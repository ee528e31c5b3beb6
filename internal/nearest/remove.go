package nearest

import "slices"

// Remove tells the graph that vector id is no longer asked for, and says whether
// that was news: false if it was removed before or not taken in yet. Nodes that
// have it as a neighbour choose again among their other neighbours and its own, so
// that in time few links lead to what is removed; it stays as a way to others. A
// search's keep decides what is found, and so must be false for id: a reader of a
// version in which id is still there may find it as before.
func (g *Graph) Remove(id int) bool {
	g.writer.Lock()
	defer g.writer.Unlock()
	v := g.view()
	if id < 0 || id >= int(v.n) || v.gone(int32(id)) {
		return false
	}
	v.blocks[id>>blockBits].gone[id&blockMask>>6].Or(1 << (id & 63))
	g.removed.Add(1)
	for level := range g.level(int32(id)) + 1 {
		links := read(v.links(int32(id), level), nil)
		for _, l := range links {
			v.replace(l.id(), int32(id), links, level)
		}
	}
	return true
}

// replace lets node from, if it links to the removed node, choose again among its
// links and others.
func (v *view) replace(from, removed int32, others []link, level int) {
	list := v.links(from, level)
	links := read(list, nil)
	at := slices.IndexFunc(links, func(l link) bool { return l.id() == removed })
	if at < 0 || links[at].isKin() {
		return
	}
	links = slices.Delete(links, at, at+1)
	for _, l := range others {
		id := l.id()
		known := slices.ContainsFunc(links, func(k link) bool { return k.id() == id })
		if !known && id != from && !v.gone(id) {
			links = append(links, linkTo(id))
		}
	}
	if len(links) > len(list) {
		links = v.prune(from, links, len(list)-len(list)/slack)
	}
	write(list, links)
}
