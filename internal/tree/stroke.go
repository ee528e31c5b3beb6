package tree

import (
	"context"

	"fieldmark/internal/probe"
)

const (
	// strokeWork bounds the iterations of a stroke that fits all of a leaf: so many
	// exemplars × labels × dimensions in all. It is a few milliseconds.
	strokeWork = 1 << 28
	// leastSteps are made whatever they cost, in a leaf that has never been at its
	// optimum and so cannot be stroked.
	leastSteps = 3
)

// Stroke is the tree with the probes of the given leaves brought close to the
// optimum of their present members, at a cost that does not grow with theirs: the
// immediate stroke. A small leaf is fitted, as a rule to its optimum. A large one
// that was at its optimum once learns the lessons since (probe.Overlay), without
// going over the others. Only where neither can be, before its first optimum, a
// large leaf gets a few iterations over all its members.
//
// Leaves that are up to date, or that this version does not have, are passed
// over. A leaf that the stroke does not bring to its optimum stays stale, to be
// fitted by Fit and WithProbe. When ctx ends, Stroke returns the tree as far as
// it came, with ctx's error.
func (t *Tree) Stroke(ctx context.Context, leaves []int, workers int) (*Tree, error) {
	for _, leaf := range leaves {
		l := t.leafAt(leaf)
		if l == nil || !l.stale() {
			continue
		}
		if err := ctx.Err(); err != nil {
			return t, err
		}
		size := l.size(t.Dim())
		if size > strokeSize && l.live.overlay != nil {
			t = t.withLessons(leaf)
			continue
		}
		steps := max(leastSteps, strokeWork/max(1, size))
		f, err := t.Fit(ctx, leaf, probe.Options{MaxIter: steps, Workers: workers})
		if err != nil {
			return t, err
		}
		t, _ = t.WithProbe(f)
	}
	return t, nil
}

// withLessons is the tree with a leaf's overlay brought up to date.
func (t *Tree) withLessons(leaf int) *Tree {
	e := t.Edit()
	e.change(leaf, func(n *node) { t.learn(n.leaf) })
	e.t.lin = t.lin // it depends on the exemplars alone
	return &e.t
}
