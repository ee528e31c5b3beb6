package tree

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"
)

// Stats describe a tree.
type Stats struct {
	Exemplars int // not withdrawn
	Withdrawn int // exemplars
	Labels    int // that have an exemplar
	Leaves    int // of the clustering tree
	Stale     int // leaves whose probe is not the optimum of their members
	Unsplit   int // leaves that could not be split, all members being equal, and grow instead
	Depth     int // of the deepest leaf; a tree of one leaf has 0
}

// Stats walks the tree: O(leaves).
func (t *Tree) Stats() Stats {
	s := Stats{
		Exemplars: t.live, Withdrawn: t.Len() - t.live, Labels: t.known,
		Leaves: t.leaves, Stale: t.stale, Unsplit: t.stuck,
	}
	type visit struct{ at, depth int }
	for todo := []visit{{0, 0}}; len(todo) > 0; {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		n := t.nodes.get(v.at)
		if n.leaf == nil {
			todo = append(todo, visit{n.right, v.depth + 1}, visit{n.left, v.depth + 1})
			continue
		}
		s.Depth = max(s.Depth, v.depth)
	}
	return s
}

// Pending is the number of stale leaves, in O(1).
func (t *Tree) Pending() int { return t.stale }

// Digest is a SHA-256 over all that the log decides: parameters, embeddings,
// labels, withdrawals, the shape of the tree, its centroids and the members of its
// leaves, bit for bit. Two folds of one log have the same digest. The probes are
// not part of it: see probe.Evaluate.
func (t *Tree) Digest() [sha256.Size]byte {
	d := digest{hash: sha256.New()}
	d.number(t.params.Psi)
	d.float(t.params.C)
	d.number(t.Dim())
	d.number(t.Len())
	var row []float32
	for id := range t.Len() {
		x := t.exemplars.get(id)
		d.number(int(x.label))
		d.number(int(x.leaf))
		row = t.vectors.Row(id, row)
		for _, v := range row {
			d.float(float64(v))
		}
	}
	d.number(t.nodes.len())
	for at := range t.nodes.len() {
		n := t.nodes.get(at)
		d.number(n.left)
		d.number(n.right)
		for _, v := range n.centroid {
			d.float(v)
		}
		if n.leaf != nil {
			d.number(n.leaf.members.n)
			for _, id := range n.leaf.members.list() {
				d.number(int(id))
			}
		}
	}
	d.flush()
	return [sha256.Size]byte(d.hash.Sum(nil))
}

// digest feeds numbers to a hash, many at once.
type digest struct {
	hash hash.Hash
	buf  []byte
}

func (d *digest) number(n int) {
	d.buf = binary.LittleEndian.AppendUint64(d.buf, uint64(n))
	if len(d.buf) >= 1<<15 {
		d.flush()
	}
}

func (d *digest) float(v float64) { d.number(int(math.Float64bits(v))) }

func (d *digest) flush() {
	d.hash.Write(d.buf)
	d.buf = d.buf[:0]
}
