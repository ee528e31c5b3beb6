package tree

import (
	"context"
	"fmt"

	"fieldmark/internal/probe"
)

const (
	// fitSize is the number of exemplars × labels × dimensions up to which a stroke
	// fits all of a leaf that has no base to follow lessons from: a second or so, once.
	fitSize = 1 << 30
	// strokeWork bounds the iterations of such a fit: so many times all of them.
	strokeWork = 1 << 28
	// leastSteps are made in any case.
	leastSteps = 3
	// newest is the number of exemplars that are left out of a beginning, to be
	// learnt as lessons: among them is what somebody waits for.
	newest = 8
)

// Stroke is the tree with the probes of the given leaves brought close to the
// optimum of their present members, at a cost that does not grow with theirs: the
// immediate stroke. A small leaf is fitted, as a rule to its optimum. A large one
// learns the lessons since its last fit (probe.Overlay), without going over the
// others. Only the first stroke of a large leaf reads all its members, and one
// after many of them went at once: for a few iterations, or, if these would take
// more than a second or so, for a mere beginning (probe.Begin). (With Params.Batches
// every stroke is a few iterations over all.)
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
		next, err := t, ctx.Err()
		switch size := l.size(t.Dim()); {
		case err != nil:
		case size > strokeSize && l.live.overlay != nil && !l.live.shaken(l.members.n):
			next = t.withLessons(leaf)
		case t.begins(l):
			next, err = t.begin(ctx, leaf, workers)
		default:
			next, err = t.fitBriefly(ctx, leaf, max(leastSteps, strokeWork/max(1, size)), workers)
		}
		if err != nil {
			return t, err
		}
		t = next
	}
	return t, nil
}

// begins says whether a leaf that has no base gets a beginning for one, in place of a
// few steps of a fit. Nothing of a memory that is taught in batches follows lessons
// from a base, and a Fit, which has no curvature then, could not take its place.
func (t *Tree) begins(l *leaf) bool { return !t.params.Batches && l.size(t.Dim()) > fitSize }

// fitBriefly is the tree with a leaf's probe after a few steps of a fit.
func (t *Tree) fitBriefly(ctx context.Context, leaf, steps, workers int) (*Tree, error) {
	f, err := t.Fit(ctx, leaf, probe.Options{MaxIter: steps, Workers: workers})
	if err != nil {
		return t, err
	}
	next, _ := t.WithProbe(f)
	return next, nil
}

// begin is the tree with a beginning for a leaf's probe, and its newest members
// learnt from there.
func (t *Tree) begin(ctx context.Context, leaf, workers int) (*Tree, error) {
	l := t.leafAt(leaf)
	ids := l.members.list()
	first := len(ids) - min(newest, len(ids)/2)
	model, curve, err := probe.Begin(ctx, members{t, ids[:first]}, probe.Options{C: t.params.C, Workers: workers, Warm: l.model})
	if err != nil {
		return t, fmt.Errorf("tree: begin leaf %d: %w", leaf, err)
	}
	upTo := int(ids[first])
	e := t.Edit()
	e.change(leaf, func(n *node) {
		n.leaf.live = live{overlay: probe.NewOverlay(model, curve), upTo: upTo, learnt: upTo, heard: l.revision, begun: true}
		t.learn(n.leaf)
	})
	e.t.lin = t.lin // it depends on the exemplars alone
	return &e.t, nil
}

// withLessons is the tree with a leaf's overlay brought up to date.
func (t *Tree) withLessons(leaf int) *Tree {
	e := t.Edit()
	e.change(leaf, func(n *node) { t.learn(n.leaf) })
	e.t.lin = t.lin // it depends on the exemplars alone
	return &e.t
}
