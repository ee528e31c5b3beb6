package tree

import (
	"context"

	"fieldmark/internal/probe"
)

// shortFit is the number of solver iterations of an immediate stroke that goes
// over all of a leaf.
const shortFit = 12

// Stroke is the tree with the probes of the given leaves brought close to the
// optimum of their present members, at a bounded cost: the immediate stroke.
// Leaves that are up to date, or that this version does not have, are passed
// over. A leaf that the stroke does not bring to its optimum stays stale, to be
// fitted by Fit and WithProbe. When ctx ends, Stroke returns the tree as far as
// it came, with ctx's error.
func (t *Tree) Stroke(ctx context.Context, leaves []int, workers int) (*Tree, error) {
	for _, leaf := range leaves {
		if l := t.leafAt(leaf); l == nil || !l.stale() {
			continue
		}
		f, err := t.Fit(ctx, leaf, probe.Options{MaxIter: shortFit, Workers: workers})
		if err != nil {
			return t, err
		}
		t, _ = t.WithProbe(f)
	}
	return t, nil
}
