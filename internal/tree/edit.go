package tree

import (
	"fmt"
	"slices"

	"fieldmark/internal/vec"
)

// Edit prepares the next version of a tree by any number of changes, and copies
// what it must at most once. It gives the same tree, bit for bit, as the same
// changes made one by one. It is not safe for concurrent use.
type Edit struct {
	t  Tree
	by *owner
}

// Edit starts from t, which does not change.
func (t *Tree) Edit() *Edit { return &Edit{t: *t, by: new(owner)} }

// Tree is the version made so far. The edit may go on from there.
func (e *Edit) Tree() *Tree {
	e.by = new(owner)
	t := e.t
	t.lin = newLin(e.t.lin)
	return &t
}

// Has is Tree.Has of the version made so far.
func (e *Edit) Has(id int) bool { return e.t.Has(id) }

// Insert is Tree.Insert. After an error nothing has changed.
func (e *Edit) Insert(label int32, embedding []float32) (id int, err error) {
	if label < 0 {
		return 0, fmt.Errorf("tree: label %d: want a number ≥ 0", label)
	}
	vectors, err := e.t.vectors.Append(embedding)
	if err != nil {
		return 0, fmt.Errorf("tree: %w", err)
	}
	id = e.t.vectors.Len()
	e.t.vectors = vectors
	embedding = vectors.Row(id, nil) // as it is kept, so that a split finds what was placed
	e.place(e.room(embedding), id, label, embedding)
	e.t.live++
	e.count(label, 1)
	return id, nil
}

// room is the leaf that an embedding belongs to, once those that were full have
// been split.
func (e *Edit) room(embedding []float32) int {
	at := e.t.descend(embedding)
	for e.full(at) && e.split(at) {
		at = e.t.descend(embedding)
	}
	return at
}

// Restore is Tree.Restore. After an error nothing has changed.
func (e *Edit) Restore(id int) error {
	if id < 0 || id >= e.t.Len() || e.t.Has(id) {
		return fmt.Errorf("tree: restore exemplar %d of %d, which is not withdrawn: %w", id, e.t.Len(), ErrUnknown)
	}
	label, embedding := e.t.Label(id), e.t.vectors.Row(id, nil)
	at := e.room(embedding)
	e.place(at, id, label, embedding)
	// Overlays, and fits under way, tell what is new by its number, and this number
	// is not. The leaf follows lessons from its next fit.
	e.change(at, func(n *node) { n.leaf.live, n.leaf.returned = live{}, n.leaf.revision })
	e.t.live++
	e.count(label, 1)
	return nil
}

// Withdraw is Tree.Withdraw. After an error nothing has changed.
func (e *Edit) Withdraw(id int) error {
	if !e.t.Has(id) {
		return fmt.Errorf("tree: withdraw exemplar %d of %d: %w", id, e.t.Len(), ErrUnknown)
	}
	x := e.t.exemplars.get(id)
	e.change(int(x.leaf), func(n *node) {
		l := n.leaf
		l.members.remove(int32(id))
		l.live.lose(id, x.label, l.revision+1)
		if l.count(x.label, -1) == 0 {
			l.model = l.model.Without(x.label)
		}
		if l.members.n == 0 {
			clear(l.sum) // and the centroid stays, to route by
			l.stuck = false
		} else {
			vec.Axpy(-1, e.t.vectors.Row(id, nil), l.sum)
			n.centroid = centroidOf(l.sum, l.members.n)
		}
		l.changed(e.t.Dim())
	})
	e.t.exemplars.set(id, exemplar{label: x.label, leaf: nowhere}, e.by)
	e.t.live--
	e.count(x.label, -1)
	return nil
}

// Relabel is Tree.Relabel. After an error nothing has changed.
func (e *Edit) Relabel(id int, label int32) error {
	if id < 0 || id >= e.t.Len() {
		return fmt.Errorf("tree: relabel exemplar %d of %d: %w", id, e.t.Len(), ErrUnknown)
	}
	if label < 0 {
		return fmt.Errorf("tree: label %d: want a number ≥ 0", label)
	}
	x := e.t.exemplars.get(id)
	if x.label == label {
		return nil
	}
	if x.leaf != nowhere {
		e.change(int(x.leaf), func(n *node) {
			l := n.leaf
			if l.count(x.label, -1) == 0 {
				l.model = l.model.Without(x.label)
			}
			l.count(label, 1)
			l.changed(e.t.Dim())
			// As after Restore: what changed has an old number, by which neither an overlay
			// nor a fit under way can tell that it did.
			l.live, l.returned = live{}, l.revision
		})
		e.count(x.label, -1)
		e.count(label, 1)
	}
	e.t.exemplars.set(id, exemplar{label: label, leaf: x.leaf}, e.by)
	return nil
}

// full says whether the leaf must be split before it takes another exemplar.
func (e *Edit) full(at int) bool {
	l := e.t.nodes.get(at).leaf
	return l.members.n >= e.t.params.Psi && !l.stuck
}

// place puts an exemplar into a leaf.
func (e *Edit) place(at, id int, label int32, embedding []float32) {
	e.change(at, func(n *node) {
		l := n.leaf
		if l.stuck && !slices.Equal(embedding, e.t.vectors.Row(int(l.members.first()), nil)) {
			l.stuck = false // no longer all equal
		}
		l.members.insert(int32(id))
		vec.Axpy(1, embedding, l.sum)
		n.centroid = centroidOf(l.sum, l.members.n)
		l.count(label, 1)
		l.changed(e.t.Dim())
	})
	e.t.exemplars.set(id, exemplar{label: label, leaf: int32(at)}, e.by)
}

// split divides a leaf's members by 2-means between two new leaves, which
// predict as it did until they are fitted; false, and the leaf is marked, if all
// would go to one side.
func (e *Edit) split(at int) bool {
	parent := e.t.nodes.get(at)
	members := parent.leaf.members.list()
	far := twoMeans(e.t.vectors, members, e.t.params.Workers)
	if !slices.Contains(far, true) || !slices.Contains(far, false) {
		e.change(at, func(n *node) { n.leaf.stuck = true })
		return false
	}
	left := e.t.nodes.len()
	e.grow(left, parent.leaf, members, far, false)
	e.grow(left+1, parent.leaf, members, far, true)
	if parent.leaf.stale() {
		e.t.stale--
	}
	e.t.leaves--
	e.t.nodes.set(at, &node{owner: e.by, centroid: parent.centroid, left: left, right: left + 1}, e.by)
	return true
}

// grow makes the leaf numbered at of those members that are on one side.
func (e *Edit) grow(at int, parent *leaf, members []int32, far []bool, side bool) {
	l := &leaf{model: parent.model}
	var mine []int32
	for i, id := range members {
		if far[i] == side {
			label := e.t.exemplars.get(int(id)).label
			l.members.add(id)
			mine = append(mine, id)
			l.count(label, 1)
			e.t.exemplars.set(int(id), exemplar{label: label, leaf: int32(at)}, e.by)
		}
	}
	l.sum = sumOf(e.t.vectors, mine)
	l.changed(e.t.Dim())
	l.live = parent.live.inherit(l)
	e.t.nodes.set(at, &node{owner: e.by, centroid: centroidOf(l.sum, l.members.n), leaf: l}, e.by)
	e.t.leaves++
	if l.stale() {
		e.t.stale++
	}
}

// change lets f change a leaf's node, a copy of it unless this edit made it, and
// keeps the counts of leaves up to date.
func (e *Edit) change(at int, f func(n *node)) {
	n := e.t.nodes.get(at)
	before := *n.leaf
	if n.owner != e.by {
		n = &node{owner: e.by, centroid: n.centroid, leaf: n.leaf.clone()}
	}
	f(n)
	e.t.nodes.set(at, n, e.by)
	e.t.stale += difference(before.stale(), n.leaf.stale())
	e.t.stuck += difference(before.stuck, n.leaf.stuck)
}

func difference(before, after bool) int {
	switch {
	case after && !before:
		return 1
	case before && !after:
		return -1
	}
	return 0
}

// count adds d to the number of exemplars of a label.
func (e *Edit) count(label, d int32) {
	var n int32
	if int(label) < e.t.labels.len() {
		n = e.t.labels.get(int(label))
	}
	e.t.labels.set(int(label), n+d, e.by)
	switch {
	case n == 0 && d > 0:
		e.t.known++
	case n+d == 0:
		e.t.known--
	}
}
