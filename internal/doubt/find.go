package doubt

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Find lists the exemplars of l, which is up to date with m, that are in doubt, the
// likeliest mistakes first and, where they tie, the later exemplar first.
func Find(ctx context.Context, m Memory, l *Lists) ([]Doubt, error) {
	f := finder{m: m, l: l, own: map[int]float64{}, doubts: map[int]*Doubt{}}
	ids := l.IDs()
	for _, step := range []func(id int) error{f.disagreement, f.twins} {
		for _, id := range ids {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := step(id); err != nil {
				return nil, err
			}
		}
	}
	if err := f.outliers(ctx, ids); err != nil {
		return nil, err
	}
	out := make([]Doubt, 0, len(f.doubts))
	for _, d := range f.doubts {
		out = append(out, *d)
	}
	slices.SortFunc(out, func(a, b Doubt) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.ID, a.ID)) })
	return out, nil
}

type finder struct {
	m      Memory
	l      *Lists
	own    map[int]float64 // p̄ of each exemplar's own name
	doubts map[int]*Doubt
}

func (f *finder) doubt(id int) *Doubt {
	d := f.doubts[id]
	if d == nil {
		d = &Doubt{ID: id}
		f.doubts[id] = d
	}
	return d
}

// disagreement compares an exemplar's name with what the memory says without it.
func (f *finder) disagreement(id int) error {
	leaf, err := f.m.Leaf(id)
	if err != nil {
		return fmt.Errorf("doubt: exemplar %d: %w", id, err)
	}
	both := make(map[int32]float64, len(leaf.Labels))
	for i, label := range leaf.Labels {
		both[label] = math.Exp(leaf.LogP[i])
	}
	label := f.m.Label(id)
	near := f.votes(id)
	if near != nil {
		for y := range both {
			both[y] /= 2
		}
		for y, share := range near {
			both[y] += share / 2
		}
	}
	own, other, against := f.opposed(label, both)
	f.own[id] = own
	score := (1 + against - own) / 2
	if against > own {
		f.doubt(id).add(score, Reason{Kind: Disagreement, Other: other, Own: own, Against: against, Twin: -1})
	} else if own, other, against := f.opposed(label, near); against > own {
		f.doubt(id).add(score, Reason{Kind: Disagreement, NearAlone: true, Other: other, Own: own, Against: against, Twin: -1})
	}
	return nil
}

// votes is p_near; nil where the exemplar is the only one of its name.
func (f *finder) votes(id int) map[int32]float64 {
	others := f.m.Count(f.m.Label(id)) - 1
	list := f.l.Of(id)
	list = list[:min(len(list), 2*others+1)]
	if others < 1 || len(list) == 0 {
		return nil
	}
	p, sum := map[int32]float64{}, 0.0
	for _, n := range list { // the first has the weight 1
		w := math.Exp(f.l.params.Sharpness * (n.Cos - list[0].Cos))
		p[f.m.Label(n.ID)] += w
		sum += w
	}
	for y := range p {
		p[y] /= sum
	}
	return p
}

// opposed is the probability of the names that agree with a label, and the
// likeliest of those that do not, the smaller label where two tie.
func (f *finder) opposed(label int32, p map[int32]float64) (own float64, other int32, against float64) {
	other = -1
	for _, y := range slices.Sorted(maps.Keys(p)) { // sums do not depend on chance
		switch {
		case y == label || f.m.Agree(y, label):
			own += p[y]
		case p[y] > against:
			other, against = y, p[y]
		}
	}
	return own, other, against
}

// twins looks for near-duplicates under other names.
func (f *finder) twins(id int) error {
	for _, other := range f.m.OfPhoto(id) {
		if other != id {
			f.pair(id, other, 1)
		}
	}
	for _, n := range f.l.Of(id) {
		if n.Cos < f.l.params.Twin {
			break
		}
		f.pair(id, n.ID, n.Cos)
	}
	return nil
}

// pair tells a duplicate of id, if id is the one that is believed less, the later
// one on a tie. A twin outside a sample is believed as much as can be.
func (f *finder) pair(id, other int, cos float64) {
	a, b := f.m.Label(id), f.m.Label(other)
	if a == b || f.m.Agree(a, b) {
		return
	}
	believed, sampled := f.own[other]
	if sampled && (f.own[id] > believed || f.own[id] == believed && id < other) {
		return
	}
	d := f.doubt(id)
	if slices.ContainsFunc(d.Reasons, func(r Reason) bool { return r.Kind == Duplicate }) {
		return // one twin is enough to look at
	}
	d.add(max(0.5, 1-f.own[id]), Reason{Kind: Duplicate, Other: b, Twin: other, Cos: cos})
}
