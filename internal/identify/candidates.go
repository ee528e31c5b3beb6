package identify

import (
	"context"
	"strings"
)

// candidate labels of one question: what they are called, their taxa and their
// text embeddings, in one order.
type candidateSet struct {
	labels []string
	taxa   []Taxon     // the zero Taxon for free text that names none
	rows   [][]float32 // unit rows
}

// limits of one question.
const (
	maxLabels = 1000
	maxTop    = 1000
)

// candidates resolves a question's candidate labels: the free texts, each as a
// taxon if it is the name of one; else the label set; else the default ones.
func (e *engine) candidates(ctx context.Context, m *memory, q Question) (candidateSet, error) {
	if len(q.Labels) > 0 {
		return e.typed(ctx, q.Labels)
	}
	var ids []TaxonID
	if q.LabelSet == 0 {
		ids = e.defaultCandidates(m)
	} else {
		set, err := e.Store.LabelSet(ctx, q.LabelSet)
		if err != nil {
			return candidateSet{}, stored(err, "label_set")
		}
		ids = set.Taxa
	}
	c := candidateSet{labels: make([]string, 0, len(ids)), taxa: make([]Taxon, 0, len(ids))}
	for _, id := range ids {
		t, err := e.meet(ctx, id)
		if err != nil {
			return candidateSet{}, err
		}
		c.labels, c.taxa = append(c.labels, t.Label()), append(c.taxa, t)
	}
	if len(c.taxa) == 0 {
		return candidateSet{}, Errorf(Invalid, "label_set", "There is no candidate label yet. Give labels, or choose a label set.")
	}
	var err error
	c.rows, err = e.names.ofTaxa(ctx, c.taxa)
	return c, err
}

// defaultCandidates are the taxa of the default set and those that were taught,
// each once. A taxon that the encoder says it has never learned to see, or that
// was added here, is left out unless it has an exemplar: all of those look alike
// to the encoder, and hundreds of them would share what belongs to the ones that
// it does know.
func (e *engine) defaultCandidates(m *memory) []TaxonID {
	see := e.info.Seen
	in := make(map[TaxonID]bool, len(e.defaults))
	all := make([]TaxonID, 0, len(e.defaults)+len(m.taught))
	add := func(id TaxonID) {
		if !in[id] {
			in[id], all = true, append(all, id)
		}
	}
	for _, id := range e.defaults {
		id = e.taxonomy.accepted(id) // it may have become a synonym since the start
		t, _ := e.taxonomy.taxon(id)
		if see == nil || sees(see, t) || t.Rank == RankNone || m.exemplarsOf(id) > 0 {
			add(id)
		}
	}
	for _, id := range m.taught {
		if m.exemplarsOf(id) > 0 {
			add(e.taxonomy.accepted(id)) // its lessons may be on the way to that
		}
	}
	return all
}

// typed resolves candidate labels given as text. One that is given twice, or
// two that name one taxon, count once.
func (e *engine) typed(ctx context.Context, labels []string) (candidateSet, error) {
	if len(labels) > maxLabels {
		return candidateSet{}, Errorf(Invalid, "label", "At most %d labels can be compared at once; make a label set of more.", maxLabels)
	}
	var c candidateSet
	seenText, seenTaxon := map[string]bool{}, map[TaxonID]bool{}
	for _, label := range labels {
		name, err := cleanName("label", label)
		if err != nil {
			return candidateSet{}, err
		}
		t, err := e.Store.TaxonByName(ctx, name)
		if err != nil && KindOf(err) != NotFound {
			return candidateSet{}, err
		}
		key := strings.ToLower(name)
		if seenText[key] || t.ID != 0 && seenTaxon[t.ID] {
			continue
		}
		seenText[key], seenTaxon[t.ID] = true, true
		c.labels, c.taxa = append(c.labels, name), append(c.taxa, t)
	}
	return c, e.embedTyped(ctx, &c)
}

func (e *engine) embedTyped(ctx context.Context, c *candidateSet) error {
	c.rows = make([][]float32, len(c.labels))
	var taxa []Taxon
	var texts []string
	var ofTaxa, ofTexts []int
	for i, t := range c.taxa {
		if t.ID != 0 {
			taxa, ofTaxa = append(taxa, t), append(ofTaxa, i)
		} else {
			texts, ofTexts = append(texts, c.labels[i]), append(ofTexts, i)
		}
	}
	rows, err := e.names.ofTaxa(ctx, taxa)
	if err != nil {
		return err
	}
	for j, i := range ofTaxa {
		c.rows[i] = rows[j]
	}
	if rows, err = e.names.ofTexts(ctx, texts); err != nil {
		return err
	}
	for j, i := range ofTexts {
		c.rows[i] = rows[j]
	}
	return nil
}
