package tree

import (
	"bufio"
	"fmt"

	"fieldmark/internal/nearest"
	"fieldmark/internal/probe"
)

// Read reads a tree that Write wrote, which must be of the given dimension and
// parameters (errors.Is ErrForeign if not; Workers does not matter). It believes
// nothing that it has not checked, except that the numbers are those that were
// written: the shape of the tree, the members of its leaves and all counts are
// put together anew. Whatever r gives, Read does not panic, and takes little more
// memory than r has bytes. It reads nothing behind the tree.
func Read(r *bufio.Reader, dim int, params Params) (*Tree, error) {
	t, err := New(dim, params)
	if err != nil {
		return nil, err
	}
	d := &decoder{r: r}
	if v := d.length("as version"); d.err == nil && v != snapshotVersion {
		return nil, fmt.Errorf("tree: form %d, want %d: %w", v, snapshotVersion, ErrForeign)
	}
	gotDim, got := d.length("elements"), Params{Psi: d.length("exemplars a leaf"), C: d.float(), Format: nearest.Format(d.length("as format"))}
	want := Params{Psi: t.params.Psi, C: t.params.C, Format: t.params.Format}
	if d.err == nil && (gotDim != dim || got != want) {
		return nil, fmt.Errorf("tree: dimension %d, parameters %+v: want %d, %+v: %w", gotDim, got, dim, want, ErrForeign)
	}
	e := &Edit{t: *t, by: new(owner)}
	e.t.nodes = array[*node]{}
	d.exemplars(e)
	d.nodes(e)
	if d.err == nil {
		d.err = e.assemble()
	}
	if d.err != nil {
		return nil, d.err
	}
	return e.Tree(), nil
}

// exemplars reads labels, leaves and vectors.
func (d *decoder) exemplars(e *Edit) {
	n := d.length("exemplars")
	for id := 0; id < n && d.err == nil; id++ {
		x := exemplar{label: d.int32(), leaf: d.int32()}
		if x.label < 0 || x.leaf < nowhere {
			d.fail("exemplar %d has label %d and leaf %d", id, x.label, x.leaf)
			return
		}
		e.t.exemplars.set(id, x, e.by)
	}
	for id := 0; id < n && d.err == nil; id++ {
		vectors, err := e.t.vectors.AppendEncoded(d.take(e.t.vectors.EncodedLen()))
		if d.err == nil && err != nil {
			d.fail("exemplar %d: %w", id, err)
		}
		if d.err == nil {
			e.t.vectors = vectors
		}
	}
}

// nodes reads the nodes. A split makes two leaves that are next in number to one
// another, after their parent: so every node but the first must be the child of
// one before it, and of one only.
func (d *decoder) nodes(e *Edit) {
	n := d.length("nodes")
	if d.err == nil && n == 0 {
		d.fail("no root")
	}
	child := make(map[int]bool) // the numbers that are one's child
	for at := 0; at < n && d.err == nil; at++ {
		if at > 0 && !child[at] {
			d.fail("node %d has no parent", at)
			return
		}
		node := d.node(e, at)
		e.t.nodes.set(at, node, e.by)
		if node.leaf != nil {
			continue
		}
		l, r := node.left, node.right
		if l <= at || r != l+1 || r >= n || child[l] || child[r] {
			d.fail("node %d has the children %d and %d of %d", at, l, r, n)
			return
		}
		child[l], child[r] = true, true
	}
}

func (d *decoder) node(e *Edit, at int) *node {
	n := &node{owner: e.by}
	if d.bool() {
		n.centroid = d.floats(e.t.Dim())
	} else if at > 0 {
		d.fail("node %d has no centroid", at)
	}
	if !d.bool() {
		n.left, n.right = int(d.int32()), int(d.int32())
		return n
	}
	n.leaf = &leaf{sum: d.floats(e.t.Dim()), revision: d.uint64(), stuck: d.bool(),
		fitted: d.uint64(), done: d.bool(), f: d.float()}
	if n.leaf.fitted > n.leaf.revision {
		d.fail("leaf %d was fitted on revision %d of %d", at, n.leaf.fitted, n.leaf.revision)
	}
	n.leaf.model = d.model(e.t.Dim())
	n.leaf.live = d.live(e.t.Dim())
	return n
}

func (d *decoder) model(dim int) *probe.Model {
	var classes []int32
	var w []float32
	var b []float64
	row := make([]float32, dim)
	for k := d.length("classes"); len(classes) < k && d.err == nil; {
		classes, b = append(classes, d.int32()), append(b, d.float())
		d.row(row)
		w = append(w, row...)
	}
	if d.err != nil || len(classes) == 0 {
		return nil
	}
	m, err := probe.Restore(dim, classes, w, b)
	if err != nil {
		d.fail("%w", err)
	}
	return m
}

// assemble makes of the exemplars' leaves the leaves' members, and counts, and
// lets the leaves learn what they have to learn again.
func (e *Edit) assemble() error {
	e.t.leaves = 0
	for id := range e.t.Len() {
		x := e.t.exemplars.get(id)
		if x.leaf == nowhere {
			continue
		}
		l := e.t.leafAt(int(x.leaf))
		if l == nil {
			return fmt.Errorf("tree: snapshot: exemplar %d lives in %d, which is no leaf", id, x.leaf)
		}
		l.members.add(int32(id))
		l.count(x.label, 1)
		e.t.live++
		e.count(x.label, 1)
	}
	for at := range e.t.nodes.len() {
		n := e.t.nodes.get(at)
		if n.leaf == nil {
			continue
		}
		if n.centroid == nil && n.leaf.members.n > 0 {
			return fmt.Errorf("tree: snapshot: leaf %d has members but no centroid", at)
		}
		if n.leaf.stuck && n.leaf.members.n == 0 {
			return fmt.Errorf("tree: snapshot: leaf %d is empty, and yet too full to be split", at)
		}
		if err := e.relearn(n.leaf); err != nil {
			return fmt.Errorf("tree: snapshot: leaf %d: %w", at, err)
		}
		e.t.leaves++
		e.t.stale += btoi(n.leaf.stale())
		e.t.stuck += btoi(n.leaf.stuck)
	}
	return nil
}
