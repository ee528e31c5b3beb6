package tree

import (
	"bufio"
	"errors"
	"io"

	"fieldmark/internal/probe"
)

// snapshotVersion names the form in which Write writes.
const snapshotVersion = 3

// ErrForeign is the error of Read about a tree of another dimension, of other
// parameters, or written in a form that this program does not know.
var ErrForeign = errors.New("the snapshot is of another kind of tree")

// Write writes the tree, its probes included, so that Read makes the same one of
// it: the same Digest, the same answers, and the same trees after the same
// changes. It detects no damage to what it wrote: that is left to the writer.
func (t *Tree) Write(w io.Writer) error {
	e := &encoder{w: bufio.NewWriterSize(w, 1<<16)}
	e.length(snapshotVersion)
	e.length(t.Dim())
	e.length(t.params.Psi)
	e.float(t.params.C)
	e.length(int(t.params.Format))
	e.length(t.Len())
	for id := range t.Len() {
		x := t.exemplars.get(id)
		e.int32(x.label)
		e.int32(x.leaf)
	}
	for id := range t.Len() {
		e.put(t.vectors.Encoded(id, e.buf))
	}
	e.length(t.nodes.len())
	for at := range t.nodes.len() {
		e.node(t.nodes.get(at))
	}
	if e.err == nil {
		e.err = e.w.Flush()
	}
	return e.err
}

func (e *encoder) node(n *node) {
	e.bool(n.centroid != nil)
	e.floats(n.centroid)
	e.bool(n.leaf != nil)
	if n.leaf == nil {
		e.int32(int32(n.left))
		e.int32(int32(n.right))
		return
	}
	l := n.leaf
	e.floats(l.sum)
	e.uint64(l.revision)
	e.bool(l.stuck)
	e.uint64(l.fitted)
	e.bool(l.done)
	e.float(l.f)
	e.model(l.model)
	e.live(&l.live)
}

func (e *encoder) model(m *probe.Model) {
	e.length(len(m.Classes()))
	for i, label := range m.Classes() {
		w, b := m.Weights(i)
		e.int32(label)
		e.float(b)
		e.row(w)
	}
}
