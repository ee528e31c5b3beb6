package tree

import (
	"errors"
	"fmt"

	"fieldmark/internal/nearest"
	"fieldmark/internal/probe"
	"fieldmark/internal/vec"
)

// DefaultPsi is the paper's ψ.
const DefaultPsi = 50_000

// ErrUnknown is the error about an exemplar that is not, or no longer, in the
// tree.
var ErrUnknown = errors.New("no such exemplar")

// Params are what, beside the exemplars, the tree depends on. Zero fields stand
// for the paper's values.
type Params struct {
	Psi     int     // ψ: exemplars a leaf may hold before it is split; 0 is DefaultPsi
	C       float64 // of the probes' objective; 0 is probe.DefaultC
	Workers int     // goroutines that share a search or a split; changes no result
	// Format is how embeddings are kept. What is kept is what the tree works with:
	// nearest.Half is another memory than nearest.Float32, if one hardly different.
	Format nearest.Format
	// Batches is for a memory that is taught in batches and fitted after each, as the
	// paper's is: fits do not find out how their leaves curve, and Stroke fits a leaf
	// briefly whatever its size.
	Batches bool
}

// Tree is one version of the memory. It never changes.
type Tree struct {
	params    Params
	vectors   *nearest.Vectors
	exemplars array[exemplar]
	nodes     array[*node] // 0 is the root
	labels    array[int32] // by label, the number of its exemplars
	lin       *lin
	live      int // exemplars not withdrawn
	known     int // labels that have an exemplar
	leaves    int
	stale     int // leaves whose probe is not the optimum of their members
	stuck     int // leaves that could not be split
}

// exemplar is what the tree keeps of an exemplar beside its vector.
type exemplar struct {
	label int32
	leaf  int32 // number of the node that it lives in; nowhere once withdrawn
}

const nowhere = -1

// New is the empty memory of embeddings with dim elements.
func New(dim int, params Params) (*Tree, error) {
	if params.Psi == 0 {
		params.Psi = DefaultPsi
	}
	if params.C == 0 {
		params.C = probe.DefaultC
	}
	if dim < 1 || params.Psi < 1 || !(params.C > 0) {
		return nil, fmt.Errorf("tree: dimension %d, ψ = %d, C = %v: want all positive", dim, params.Psi, params.C)
	}
	t := &Tree{params: params, vectors: nearest.NewVectors(dim, params.Format), lin: newLin(nil), leaves: 1}
	t.nodes.set(0, &node{leaf: &leaf{sum: make([]float64, dim), done: true}}, new(owner))
	return t, nil
}

// Dim is the number of elements of an embedding.
func (t *Tree) Dim() int { return t.vectors.Dim() }

// Len is the number of exemplars ever inserted, the withdrawn ones included: the
// number that the next one gets.
func (t *Tree) Len() int { return t.vectors.Len() }

// Live is the number of exemplars that are not withdrawn.
func (t *Tree) Live() int { return t.live }

// Vectors are the embeddings of all exemplars by number, the withdrawn ones
// included.
func (t *Tree) Vectors() *nearest.Vectors { return t.vectors }

// Has says whether exemplar id is in the tree and not withdrawn.
func (t *Tree) Has(id int) bool {
	return id >= 0 && id < t.Len() && t.exemplars.get(id).leaf != nowhere
}

// Label is the label of exemplar id, which may be withdrawn.
func (t *Tree) Label(id int) int32 { return t.exemplars.get(id).label }

// LeafOf is the number of the leaf that exemplar id lives in; −1 if it is
// withdrawn.
func (t *Tree) LeafOf(id int) int { return int(t.exemplars.get(id).leaf) }

// Count is the number of exemplars that label has.
func (t *Tree) Count(label int32) int {
	if label < 0 || int(label) >= t.labels.len() {
		return 0
	}
	return int(t.labels.get(int(label)))
}

// Known is the number of labels that have at least one exemplar (|Y_e|), in O(1).
func (t *Tree) Known() int { return t.known }

// LabelCount is a label and the number of its exemplars.
type LabelCount struct {
	Label int32
	Count int
}

// Labels are the labels that have at least one exemplar (Y_e), ascending. It
// costs O(greatest label).
func (t *Tree) Labels() []LabelCount {
	out := make([]LabelCount, 0, t.known)
	for label := range t.labels.len() {
		if n := t.labels.get(label); n > 0 {
			out = append(out, LabelCount{int32(label), int(n)})
		}
	}
	return out
}

// Insert is the tree with one more exemplar, which is numbered id = t.Len(). The
// embedding is raw, as the encoder gave it, and copied. label is a number ≥ 0;
// the memory it takes grows with the greatest, so that labels are best numbered
// from 0 in the order in which they are first taught. One leaf is stale
// afterwards, or two if a leaf was split.
func (t *Tree) Insert(label int32, embedding []float32) (next *Tree, id int, err error) {
	e := t.Edit()
	if id, err = e.Insert(label, embedding); err != nil {
		return nil, 0, err
	}
	return e.Tree(), id, nil
}

// Withdraw is the tree without exemplar id, which from then on is neither found
// nor votes nor trains. Its leaf is stale afterwards; once that is fitted,
// predictions are what they were before the exemplar was inserted. (A split that
// it led to remains.)
func (t *Tree) Withdraw(id int) (*Tree, error) {
	e := t.Edit()
	if err := e.Withdraw(id); err != nil {
		return nil, err
	}
	return e.Tree(), nil
}

// Restore is the tree with exemplar id, which was withdrawn, back under its number:
// once its leaf is fitted, predictions are what they were before it was withdrawn.
// It is placed as if it were inserted now.
func (t *Tree) Restore(id int) (*Tree, error) {
	e := t.Edit()
	if err := e.Restore(id); err != nil {
		return nil, err
	}
	return e.Tree(), nil
}

// Relabel is the tree with another label for exemplar id, which may be withdrawn: it
// stays where it is, since places follow from embeddings alone. Once its leaf is
// fitted, predictions are what they would be had it been inserted with that label.
// A label that no exemplar has any more is gone, from its leaf at once.
func (t *Tree) Relabel(id int, label int32) (*Tree, error) {
	e := t.Edit()
	if err := e.Relabel(id, label); err != nil {
		return nil, err
	}
	return e.Tree(), nil
}

// descend is the number of the leaf that v belongs to: from the root, always to
// the child whose centroid is nearer, the left one on a tie.
func (t *Tree) descend(v []float32) int {
	at := 0
	for {
		n := t.nodes.get(at)
		if n.leaf != nil {
			return at
		}
		at = n.left
		l, r := t.nodes.get(n.left), t.nodes.get(n.right)
		if vec.SquaredDistance(v, r.centroid) < vec.SquaredDistance(v, l.centroid) {
			at = n.right
		}
	}
}

// leafAt is the leaf numbered id; nil if there is none (it was split).
func (t *Tree) leafAt(id int) *leaf {
	if id < 0 || id >= t.nodes.len() {
		return nil
	}
	return t.nodes.get(id).leaf
}
