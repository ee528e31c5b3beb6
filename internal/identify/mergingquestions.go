package identify

import (
	"cmp"
	"context"
	"slices"

	"fieldmark/internal/bundle"
)

// ask proposes what a taxon could be, and settles what was decided about it.
func (m *mergedTaxa) ask(ctx context.Context, t bundle.Taxon, d TaxonDecision) error {
	q := &TaxonQuestion{ID: t.ID, Taxon: t}
	above, _ := m.above(t)
	q.Below = above.Label()
	exact, err := m.similar(ctx, t, q)
	if err != nil {
		return err
	}
	q.Proposed = TaxonDecision{Create: true}
	if exact {
		q.Proposed = TaxonDecision{Taxon: q.Similar[0].ID}
	}
	if q.Decision = d; d == (TaxonDecision{}) {
		q.Decision = q.Proposed
	}
	if err := m.choose(ctx, q); err != nil {
		return err
	}
	if q.Decision.Create {
		if m.create[t.ID], err = m.made(t); err != nil {
			return err
		}
	}
	m.doubts[t.ID] = q
	return nil
}

// choose finds the taxon of ours that was decided on.
func (m *mergedTaxa) choose(ctx context.Context, q *TaxonQuestion) error {
	if q.Decision.Name != "" {
		x, err := m.named(ctx, q.Decision.Name)
		if err != nil {
			return err
		}
		q.Decision = TaxonDecision{Taxon: x.ID}
	}
	if q.Decision.Taxon == 0 {
		return nil
	}
	x, is := m.own.taxon(q.Decision.Taxon)
	if !is {
		return Errorf(Invalid, "taxa", "There is no taxon with the id %d. Search for its name.", q.Decision.Taxon)
	}
	if !slices.ContainsFunc(q.Similar, func(y Taxon) bool { return y.ID == x.ID }) {
		q.Similar = append(q.Similar, x)
	}
	return nil
}

// named is the taxon of ours that has just that name.
func (m *mergedTaxa) named(ctx context.Context, name string) (Taxon, error) {
	x, err := m.store.TaxonByName(ctx, name)
	if KindOf(err) != NotFound {
		return x, err
	}
	if near := alike(m.all, name); len(near) > 0 {
		return x, Errorf(Invalid, "taxa", "No taxon is called just %q. The nearest name is %s: write it in full.", name, near[0].Name())
	}
	return x, Errorf(Invalid, "taxa", "No taxon is called %q. Look it up on the page Names.", name)
}

// similar lists the taxa that one of a bundle could be; exact says that the first
// has one of its names.
func (m *mergedTaxa) similar(ctx context.Context, t bundle.Taxon, q *TaxonQuestion) (exact bool, err error) {
	add := func(x Taxon) {
		if !slices.ContainsFunc(q.Similar, func(y Taxon) bool { return y.ID == x.ID }) {
			q.Similar = append(q.Similar, x)
		}
	}
	for _, name := range append([]string{t.ScientificName, t.EnglishName}, t.Synonyms...) {
		if name == "" {
			continue
		}
		switch x, err := m.store.TaxonByName(ctx, name); {
		case err == nil:
			add(x)
		case KindOf(err) != NotFound:
			return false, err
		}
	}
	exact = len(q.Similar) > 0
	if len(m.doubts) < suggestedFor {
		for _, name := range []string{t.ScientificName, t.EnglishName} {
			for _, x := range alike(m.all, name) {
				add(x)
			}
		}
	}
	q.Similar = q.Similar[:min(len(q.Similar), maxSimilar)]
	return exact, nil
}

// maxSimilar is how many taxa are offered for one that is not known.
const maxSimilar = 5

// maxQuestions is how many taxa are asked about one by one.
const maxQuestions = 500

// questions lists the taxa to be asked about that rows have, the most frequent
// first, and says how many more there are.
func (m *mergedTaxa) questions() (list []TaxonQuestion, more int) {
	for _, q := range m.doubts {
		if q.Rows > 0 {
			list = append(list, *q)
		}
	}
	slices.SortFunc(list, func(a, b TaxonQuestion) int { return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.ID, b.ID)) })
	more = max(0, len(list)-maxQuestions)
	return slices.Clone(list[:len(list)-more]), more
}
