package identify

import (
	"cmp"
	"context"
	"slices"
	"time"

	"fieldmark/internal/tree"
)

// LeafState says how far the classifier of a leaf follows what the leaf holds.
type LeafState = tree.LeafState

// The states of a leaf.
const (
	LeafFitted   = tree.Optimal  // it is the optimum
	LeafLearning = tree.Learning // it has learned what is new, and is to be retrained
	LeafUnfitted = tree.Unfitted // there is none yet
)

// GalleryLeaf is a leaf of the clustering tree.
type GalleryLeaf struct {
	Leaf      int
	Size      int
	Labels    []TaxonCount // of its exemplars, the most frequent first
	State     LeafState
	Unsplit   bool              // all of it is one and the same embedding
	Retrained *time.Time        // when it last came to its optimum since the program began; nil unknown
	Typical   []GalleryExemplar // those nearest to its middle
	Members   []GalleryExemplar // a page of them
	Next      int               // where the next page begins; 0 if there is none
}

const (
	leafPage    = 48
	typicalOnes = 6
)

// Leaves describes the leaves, the largest first, without their members.
func (g *Gallery) Leaves(ctx context.Context) ([]GalleryLeaf, error) {
	e := g.service.serving()
	m := e.learner.memory()
	var out []GalleryLeaf
	for _, x := range m.tree.Leaves() {
		out = append(out, g.leaf(e, m, x))
	}
	slices.SortStableFunc(out, func(a, b GalleryLeaf) int { return cmp.Compare(b.Size, a.Size) })
	return out, ctx.Err()
}

func (g *Gallery) leaf(e *engine, m *memory, x tree.LeafInfo) GalleryLeaf {
	l := GalleryLeaf{Leaf: x.Leaf, Size: x.Size, State: x.State, Unsplit: x.Unsplit, Retrained: e.learner.retrainedAt(x.Leaf)}
	for _, c := range x.Labels {
		l.Labels = append(l.Labels, TaxonCount{Taxon: m.taught[c.Label], Count: c.Count})
	}
	l.Labels = g.named(g.together(l.Labels))
	return l
}

// Leaf describes one leaf with its most typical exemplars and, from the member
// `from` on, a page of all.
func (g *Gallery) Leaf(ctx context.Context, leaf, from int) (GalleryLeaf, error) {
	e := g.service.serving()
	m := e.learner.memory()
	info, there := m.tree.LeafInfo(leaf)
	if !there {
		return GalleryLeaf{}, Errorf(NotFound, "leaf", "There is no leaf %d: it may have been split since. Start again from all leaves.", leaf)
	}
	l := g.leaf(e, m, info)
	var typical []int
	for _, n := range m.tree.Typical(leaf, typicalOnes) {
		typical = append(typical, n.ID)
	}
	var err error
	if l.Typical, err = g.exemplars(ctx, m, typical); err != nil {
		return l, err
	}
	members := m.tree.MembersOf(leaf)
	from = max(0, min(from, len(members)))
	to := min(from+leafPage, len(members))
	if to < len(members) {
		l.Next = to
	}
	l.Members, err = g.exemplars(ctx, m, members[from:to])
	return l, err
}

// exemplars describes exemplars by their numbers in a memory.
func (g *Gallery) exemplars(ctx context.Context, m *memory, numbers []int) ([]GalleryExemplar, error) {
	ids := make([]IdentificationID, len(numbers))
	for i, n := range numbers {
		ids[i] = m.exemplars.at(n).identification
	}
	return g.store.GalleryExemplars(ctx, ids)
}
