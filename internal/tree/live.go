package tree

import (
	"slices"

	"fieldmark/internal/probe"
)

// strokeSize is the number of exemplars × labels × dimensions above which a leaf
// is stroked: below, a fit to the optimum is as quick.
const strokeSize = 1 << 22

// live is how the model of a large leaf follows single lessons: from a base, which
// is where its last fit ended, as a rule the optimum, or before the first a mere
// beginning. The zero live does not: the leaf is small, or has just become large.
type live struct {
	overlay *probe.Overlay // of the base, and what it has learnt since
	upTo    int            // exemplars from this number on came after the base
	learnt  int            // exemplars from this number on are still to be learnt
	heard   uint64         // withdrawals after this revision are still to be learnt
	gone    []departure    // since the base; only appended to
	halfway *probe.Model   // what a fit came to that was cut short
	begun   bool           // the base is a beginning, of no use to a fit
}

// departure is an exemplar's withdrawal from a leaf, the label that it had there (it
// may be given another one while it is away), and the revision after it.
type departure struct {
	id       int
	label    int32
	revision uint64
}

// lose notes a withdrawal.
func (v *live) lose(id int, label int32, revision uint64) {
	if v.overlay != nil {
		v.gone = append(slices.Clip(v.gone), departure{id, label, revision})
	}
}

// shaken reports whether so many have gone since the base that it says little of
// the members who are left: a withdrawal is one Newton step from there, which is
// near the optimum for a few and nowhere for a third of them.
func (v *live) shaken(members int) bool {
	gone := 0
	for _, d := range v.gone {
		if d.id < v.upTo {
			gone++
		}
	}
	return gone > members/20
}

// rebase starts anew from where the fit f ended, or from nowhere if the leaf is not
// large. What came and went since the fit is still to be learnt.
func (v *live) rebase(f Fitted) {
	if f.curvature == nil {
		*v = live{}
		return
	}
	*v = live{
		overlay: probe.NewOverlay(f.Model, f.curvature),
		upTo:    f.upTo,
		learnt:  f.upTo,
		heard:   f.Revision,
		gone:    slices.DeleteFunc(slices.Clone(v.gone), func(d departure) bool { return d.revision <= f.Revision }),
	}
}

// inherit is what a leaf made by a split has of its parent's: the curvature, and
// the lessons of its own members. (What was withdrawn and not yet learnt stays
// until the leaf is fitted.)
func (v live) inherit(l *leaf) live {
	if v.overlay == nil {
		return live{}
	}
	return live{overlay: v.overlay.Forget(l.members.has), upTo: v.upTo, learnt: v.learnt, heard: l.revision, begun: v.begun}
}

// curvature is that where the last fit ended; nil if it is not known.
func (v *live) curvature() *probe.Curvature {
	if v.overlay == nil || v.begun {
		return nil
	}
	return v.overlay.Curvature()
}

// warm is where a fit best starts; nil is a cold start.
func (l *leaf) warm() *probe.Model {
	switch {
	case l.live.halfway != nil:
		return l.live.halfway
	case l.live.begun:
		return nil
	}
	return l.model
}

// size is what the cost of a fit grows with.
func (l *leaf) size(dim int) int { return l.members.n * len(l.counts) * dim }

// learn lets the overlay of a leaf, if it has one, learn what its members have
// changed by since it did so last; false if it has none. l is the caller's own.
func (t *Tree) learn(l *leaf) bool {
	v := &l.live
	if v.overlay == nil {
		return false
	}
	var added, gone []probe.Exemplar
	for _, id := range l.members.from(int32(v.learnt)) {
		added = append(added, t.exemplar(int(id)))
	}
	for _, d := range v.gone {
		if d.revision > v.heard && d.id < v.learnt {
			gone = append(gone, t.departed(d))
		}
	}
	v.overlay = v.overlay.Learn(added, gone, l.labels(), t.params.Workers)
	v.learnt, v.heard = t.Len(), l.revision
	l.model = v.overlay.Model()
	return true
}

// exemplar is a member for an overlay.
func (t *Tree) exemplar(id int) probe.Exemplar {
	return probe.Exemplar{ID: id, X: t.vectors.Row(id, nil), Label: t.Label(id)}
}

// departed is an exemplar as it was when it left.
func (t *Tree) departed(d departure) probe.Exemplar {
	return probe.Exemplar{ID: d.id, X: t.vectors.Row(d.id, nil), Label: d.label}
}
