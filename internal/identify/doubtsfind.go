package identify

import (
	"cmp"
	"context"

	"fieldmark/internal/doubt"
)

// doubtful is what is known of a memory's likely mistakes.
type doubtful struct {
	lists     *doubt.Lists // of the exemplars judged
	found     []found
	judged    int
	exemplars int
}

type found struct {
	doubt.Doubt
	without *WithoutReading
}

// judge finds the likely mistakes of a memory. Lists of neighbours are taken over
// from an earlier version where all its exemplars were judged.
func judge(ctx context.Context, g *Gallery, e *engine, m *memory, before doubtful) (doubtful, error) {
	all := m.standing()
	d := doubtful{lists: before.lists, exemplars: len(all)}
	whole := len(all) <= doubtsExact
	if d.lists == nil {
		d.lists = doubt.NewLists(doubt.Params{})
	}
	ids := sample(all, doubtsExact)
	d.judged = len(ids)
	j := newJudged(ctx, m, g.service.taxonomy, e.learner)
	var list []doubt.Doubt
	err := d.lists.Update(ctx, j, ids, whole)
	if err == nil && j.failed == nil {
		list, err = doubt.Find(ctx, j, d.lists)
	}
	if err = cmp.Or(err, j.failed); err != nil {
		return d, err
	}
	for i, x := range list {
		f := found{Doubt: x}
		if i < readWithout {
			if err := j.rest(); err != nil {
				return d, err
			}
			if f.without, err = g.without(ctx, m, x.ID); err != nil {
				return d, err
			}
		}
		d.found = append(d.found, f)
	}
	return d, nil
}

// without asks the memory about an exemplar's photo as if the exemplar had been
// withdrawn: its leaf learns that by its first stroke, as it would then.
func (g *Gallery) without(ctx context.Context, m *memory, id int) (*WithoutReading, error) {
	leaf, label := m.tree.LeafOf(id), m.tree.Label(id)
	t, err := m.tree.Withdraw(id)
	if err != nil {
		return nil, err
	}
	if t, err = t.Stroke(ctx, []int{leaf}, 1); err != nil {
		return nil, err
	}
	near, err := m.with(t).nearest(t.Vectors().Row(id, nil), g.service.K, 1, nil)
	if err != nil || len(near) == 0 {
		return nil, err
	}
	p, err := t.PredictFrom(t.Vectors().Row(id, nil), near)
	if err != nil {
		return nil, err
	}
	best, _ := p.Exemplar.Best()
	taxon, _ := g.service.taxonomy.taxon(g.service.taxonomy.accepted(m.taught[best]))
	return &WithoutReading{Taxon: taxon, Probability: p.Exemplar.Prob(best), Own: p.Exemplar.Prob(label)}, nil
}
