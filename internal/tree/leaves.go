package tree

import (
	"cmp"
	"slices"

	"fieldmark/internal/nearest"
)

// LeafState says how far the probe of a leaf follows its members.
type LeafState int

// The states of a leaf.
const (
	Optimal  LeafState = iota // the probe is the optimum of the members
	Learning                  // members have changed since; a consolidating fit is still to come
	Unfitted                  // it has members of several labels and no probe yet
)

// LeafInfo describes a leaf to people. Labels are those of its exemplars, the most
// frequent first and, where they tie, the smaller label.
type LeafInfo struct {
	Leaf    int // number of the leaf, as LeafOf gives it
	Size    int // exemplars
	Labels  []LabelCount
	State   LeafState
	Unsplit bool // it could not be split, all members being equal
}

// Leaves describes all leaves by number. It costs O(nodes + labels of leaves).
func (t *Tree) Leaves() []LeafInfo {
	out := make([]LeafInfo, 0, t.leaves)
	for at := range t.nodes.len() {
		if l := t.nodes.get(at).leaf; l != nil {
			out = append(out, l.info(at))
		}
	}
	return out
}

// LeafInfo describes one leaf; false if there is none of that number.
func (t *Tree) LeafInfo(leaf int) (LeafInfo, bool) {
	l := t.leafAt(leaf)
	if l == nil {
		return LeafInfo{}, false
	}
	return l.info(leaf), true
}

func (l *leaf) info(at int) LeafInfo {
	x := LeafInfo{Leaf: at, Size: l.members.n, Unsplit: l.stuck, Labels: make([]LabelCount, len(l.counts))}
	for i, c := range l.counts {
		x.Labels[i] = LabelCount{c.label, int(c.n)}
	}
	slices.SortStableFunc(x.Labels, func(a, b LabelCount) int { return cmp.Compare(b.Count, a.Count) })
	switch {
	case !l.stale():
		x.State = Optimal
	case l.model != nil:
		x.State = Learning
	default:
		x.State = Unfitted
	}
	return x
}

// MembersOf are the numbers of a leaf's exemplars, ascending; none where there is
// no such leaf.
func (t *Tree) MembersOf(leaf int) []int {
	l := t.leafAt(leaf)
	if l == nil {
		return nil
	}
	out := make([]int, 0, l.members.n)
	for _, id := range l.members.list() {
		out = append(out, int(id))
	}
	return out
}

// Typical is the k exemplars of a leaf that are nearest by cosine to the mean of
// its members, nearest first. It costs O(members · dim).
func (t *Tree) Typical(leaf, k int) []nearest.Neighbour {
	l := t.leafAt(leaf)
	if l == nil || l.members.n == 0 {
		return nil
	}
	mean := make([]float32, t.Dim())
	for d, s := range l.sum {
		mean[d] = float32(s / float64(l.members.n))
	}
	return nearest.Exact{Vectors: t.vectors}.Among(mean, k, t.MembersOf(leaf))
}

// EachRetrained calls visit for the leaves whose probe is the optimum of their
// members, and was not yet, or of others, in an earlier version. It costs O(nodes).
func (t *Tree) EachRetrained(since *Tree, visit func(leaf int)) {
	for at := range t.nodes.len() {
		l := t.nodes.get(at).leaf
		if l == nil || l.stale() {
			continue
		}
		if was := since.leafAt(at); was == nil || was.stale() || was.revision != l.revision {
			visit(at)
		}
	}
}
