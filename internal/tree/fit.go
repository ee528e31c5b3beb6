package tree

import (
	"context"
	"fmt"

	"fieldmark/internal/probe"
)

// Fitted is the probe of a leaf, fitted outside the tree, for WithProbe.
type Fitted struct {
	Leaf     int
	Model    *probe.Model // nil if the fit was cancelled before it had one
	Report   probe.Report
	Revision uint64 // of the leaf's members that Model was fitted on

	curvature *probe.Curvature // at Model, if the fit of a large leaf came to its end
	upTo      int              // exemplars from this number on are later than the fit
}

// Stale lists the leaves whose probe is not the optimum of their members,
// ascending. It costs O(leaves).
func (t *Tree) Stale() []int {
	out := make([]int, 0, t.stale)
	for at := range t.nodes.len() {
		if l := t.nodes.get(at).leaf; l != nil && l.stale() {
			out = append(out, at)
		}
	}
	return out
}

// Revision numbers the states of a leaf's members: it grows whenever they change.
// It is 0 for what is no leaf, and for one that never had a member. No later leaf
// gets the number of one that was split.
func (t *Tree) Revision(leaf int) uint64 {
	if l := t.leafAt(leaf); l != nil {
		return l.revision
	}
	return 0
}

// Fit fits the probe of a leaf on the members that it has in this version,
// starting from opts.Warm, or from the leaf's present probe if that is nil. C is
// the tree's. When ctx ends, Fit returns what it has by then beside the error,
// which WithProbe takes if it is of any use.
//
// A fit may end, by MaxIter or by rounding, without an error and without having
// converged. Its leaf stays stale. Whoever fits stale leaves in turn should pass
// that one over for as long as the leaf's Revision is the result's, or would fit
// it for ever.
func (t *Tree) Fit(ctx context.Context, leaf int, opts probe.Options) (Fitted, error) {
	l := t.leafAt(leaf)
	if l == nil {
		return Fitted{}, fmt.Errorf("tree: fit: no leaf %d", leaf)
	}
	opts.C = t.params.C
	if opts.Warm == nil {
		opts.Warm = l.warm()
	}
	opts.Curvature = l.live.curvature()
	f := Fitted{Leaf: leaf, Revision: l.revision, upTo: t.Len()}
	data := members{t, l.members.list()}
	var err error
	f.Model, f.Report, err = probe.Fit(ctx, data, opts)
	if err == nil && !t.params.Batches && l.size(t.Dim()) > strokeSize {
		f.curvature, err = probe.Curve(ctx, f.Model, data, opts)
		f.Report.Converged = f.Report.Converged && err == nil // or it could not be stroked
	}
	if err != nil {
		err = fmt.Errorf("tree: fit leaf %d: %w", leaf, err)
	}
	return f, err
}

// WithProbe is the tree with a leaf's probe replaced by one that Fit made on
// this version or an earlier one. What was taught and withdrawn since is not lost:
// where the leaf is stroked, its lessons since the fit are gone through again.
// false, and the same tree, if the probe is of no use any more: the leaf has been
// split, or its present probe was fitted on newer members or is the optimum
// already, or a member has come back since, or has another label (Restore,
// Relabel). (Fit it once more then, with Options.Warm = f.Model.) The leaf is no
// longer stale if f converged and no member has changed since.
func (t *Tree) WithProbe(f Fitted) (*Tree, bool) {
	l := t.leafAt(f.Leaf)
	if l == nil || !l.wants(f) {
		return t, false
	}
	e := t.Edit()
	e.change(f.Leaf, func(n *node) {
		l := n.leaf
		if f.curvature == nil && l.live.overlay != nil && l.size(t.Dim()) > strokeSize {
			l.live.halfway = f.Model // the lessons are on top of the former base
			return
		}
		l.model, l.fitted, l.done, l.f = f.Model, f.Revision, f.Report.Converged, f.Report.Objective
		l.live.rebase(f)
		if f.Revision != l.revision {
			t.learn(l)
			for _, label := range l.model.Classes() {
				if !l.has(label) {
					l.model = l.model.Without(label)
				}
			}
		}
	})
	e.t.lin = t.lin // it depends on the exemplars alone
	return &e.t, true
}

// wants says whether f is newer, or better, than what the leaf has.
func (l *leaf) wants(f Fitted) bool {
	if f.Model == nil || f.Revision > l.revision || f.Revision < l.returned {
		return false
	}
	if f.Revision == l.fitted {
		return !l.done && (f.Report.Converged || f.Report.Objective < l.f)
	}
	return f.Revision > l.fitted
}

// Members are the exemplars of a leaf, or of all the tree if leaf is −1, as data
// for a probe. A number that is not a leaf's gives none.
func (t *Tree) Members(leaf int) probe.Data {
	if leaf < 0 {
		ids := make([]int32, 0, t.live)
		for id := range t.Len() {
			if t.Has(id) {
				ids = append(ids, int32(id))
			}
		}
		return members{t, ids}
	}
	if l := t.leafAt(leaf); l != nil {
		return members{t, l.members.list()}
	}
	return members{t, nil}
}

// Probe is the present probe of a leaf; nil if it has none.
func (t *Tree) Probe(leaf int) *probe.Model {
	if l := t.leafAt(leaf); l != nil {
		return l.model
	}
	return nil
}

// members is probe.Data of some of a tree's exemplars.
type members struct {
	t   *Tree
	ids []int32
}

func (m members) Len() int            { return len(m.ids) }
func (m members) Row(i int) []float32 { return m.t.vectors.Row(int(m.ids[i]), nil) }
func (m members) Label(i int) int32   { return m.t.Label(int(m.ids[i])) }
