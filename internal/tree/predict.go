package tree

import (
	"fmt"
	"math"
	"slices"

	"fieldmark/internal/nearest"
	"fieldmark/internal/probe"
	"fieldmark/internal/vec"
)

// Neighbour is an exemplar near to the vector asked about.
type Neighbour struct {
	ID        int
	Label     int32   // what it was taught as
	Cos       float64 // cosine between its embedding and the vector
	Leaf      int     // the leaf that it lives in
	Predicted int32   // the likeliest label for the vector by that leaf's probe (ŷ_j)
}

// Prediction is what the exemplars have to say about a vector.
type Prediction struct {
	Neighbours []Neighbour // nearest first
	// Exemplar is p_e = (1/k) Σ_j p_leaf(j)(·|v) over the k neighbours: a leaf
	// counts as often as it was retrieved. Without neighbours it is empty.
	Exemplar probe.Distribution
}

// Nearest is the k exemplars of greatest cosine to v, the greatest first, and
// the earlier first on a tie; all, if there are fewer. Withdrawn ones are left
// out, and those for which keep (if not nil) is false.
func (t *Tree) Nearest(v []float32, k int, keep func(id int) bool) ([]nearest.Neighbour, error) {
	return t.NearestBy(nearest.Exact{Vectors: t.vectors, Workers: t.params.Workers}, v, k, keep)
}

// NearestBy is Nearest by another index of Vectors(), which may know exemplars
// that were withdrawn since.
func (t *Tree) NearestBy(index nearest.Index, v []float32, k int, keep func(id int) bool) ([]nearest.Neighbour, error) {
	if err := t.checkQuery(v); err != nil {
		return nil, err
	}
	allowed := keep
	if t.live < t.Len() {
		allowed = func(id int) bool { return t.Has(id) && (keep == nil || keep(id)) }
	}
	return index.Search(v, k, allowed), nil
}

// Predict asks the leaves of the k nearest exemplars about v (Alg. 2).
func (t *Tree) Predict(v []float32, k int) (Prediction, error) {
	neighbours, err := t.Nearest(v, k, nil)
	if err != nil {
		return Prediction{}, err
	}
	return t.PredictFrom(v, neighbours)
}

// PredictFrom is Predict with neighbours found in another way: by another index,
// or among fewer exemplars. They must be in the tree and not withdrawn.
func (t *Tree) PredictFrom(v []float32, neighbours []nearest.Neighbour) (Prediction, error) {
	if err := t.checkQuery(v); err != nil {
		return Prediction{}, err
	}
	votes := make(map[int]*vote)
	var order []*vote
	p := Prediction{Neighbours: make([]Neighbour, len(neighbours))}
	for i, n := range neighbours {
		if !t.Has(n.ID) {
			return Prediction{}, fmt.Errorf("tree: predict from exemplar %d of %d: %w", n.ID, t.Len(), ErrUnknown)
		}
		at := t.LeafOf(n.ID)
		if votes[at] == nil {
			d := t.ask(at, v)
			best, _ := d.Best() // there is one: the leaf has a member
			votes[at] = &vote{d: d, best: best}
			order = append(order, votes[at])
		}
		votes[at].n++
		p.Neighbours[i] = Neighbour{ID: n.ID, Label: t.Label(n.ID), Cos: n.Cos, Leaf: at, Predicted: votes[at].best}
	}
	p.Exemplar = mean(order, len(neighbours))
	return p, nil
}

// PredictLeaf asks only the leaf that v itself would be inserted into: TreeProbe
// without its ensemble, for the ablation. The distribution is empty if that leaf
// has lost all its members.
func (t *Tree) PredictLeaf(v []float32) (leaf int, d probe.Distribution, err error) {
	if err := t.checkQuery(v); err != nil {
		return 0, d, err
	}
	leaf = t.descend(v)
	return leaf, t.ask(leaf, v), nil
}

func (t *Tree) checkQuery(v []float32) error {
	if len(v) != t.Dim() {
		return fmt.Errorf("tree: vector has %d elements, want %d: %w", len(v), t.Dim(), nearest.ErrDimension)
	}
	if !vec.Finite(v) {
		return fmt.Errorf("tree: vector: %w", nearest.ErrNotFinite)
	}
	return nil
}

// ask is what a leaf says about v. A stale probe may still know a label whose
// last exemplar was withdrawn elsewhere: such a label gets no say. If it knows no
// other, the leaf speaks as if it had no probe. The distribution is empty only if
// the leaf has no members.
func (t *Tree) ask(at int, v []float32) probe.Distribution {
	l := t.nodes.get(at).leaf
	d := l.predict(v)
	gone := func(label int32) bool { return t.Count(label) == 0 }
	if !l.stale() || !slices.ContainsFunc(d.Labels, gone) {
		return d
	}
	var rest probe.Distribution
	for i, label := range d.Labels {
		if !gone(label) {
			rest.Labels, rest.LogP = append(rest.Labels, label), append(rest.LogP, d.LogP[i])
		}
	}
	if len(rest.Labels) == 0 {
		return l.frequencies()
	}
	vec.LogSoftmax(rest.LogP)
	return rest
}

// vote is what one leaf says, for n of the neighbours.
type vote struct {
	d    probe.Distribution
	best int32
	n    int
}

// mean is the mean of k votes, by logarithms, so that what is unlikely does not
// become impossible.
func mean(votes []*vote, k int) probe.Distribution {
	var out probe.Distribution
	for _, v := range votes {
		out.Labels = append(out.Labels, v.d.Labels...)
	}
	slices.Sort(out.Labels)
	out.Labels = slices.Compact(out.Labels)
	out.LogP = make([]float64, len(out.Labels))
	for i := range out.LogP {
		out.LogP[i] = math.Inf(-1)
	}
	for _, v := range votes {
		share := math.Log(float64(v.n) / float64(k))
		at := 0
		for i, label := range v.d.Labels {
			for out.Labels[at] != label { // both ascend
				at++
			}
			out.LogP[at] = logAdd(out.LogP[at], share+v.d.LogP[i])
		}
	}
	return out
}

// logAdd is log(exp a + exp b).
func logAdd(a, b float64) float64 {
	a, b = max(a, b), min(a, b)
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}
