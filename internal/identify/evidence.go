package identify

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"fieldmark/internal/nearest"
	"fieldmark/internal/tree"
)

// labelRows are text rows by label: the candidates first, then the labels
// outside them that exemplars carry, which pull the exemplar embedding.
type labelRows struct {
	texts [][]float32
	of    map[int32]int // by label of the memory
}

func (e *engine) labelRows(ctx context.Context, known labelled, c candidateSet, found tree.Prediction, near []nearest.Neighbour, single int32) (labelRows, error) {
	m := known.memory
	r := labelRows{texts: c.rows[:len(c.rows):len(c.rows)], of: map[int32]int{none: 0}}
	for y, t := range c.taxa {
		for _, l := range known.of(t.ID) {
			r.of[l] = y
		}
	}
	var outside []Taxon
	labels := []int32{single}
	for _, n := range found.Neighbours {
		labels = append(labels, n.Label, n.Predicted)
	}
	for _, n := range near {
		labels = append(labels, m.tree.Label(n.ID))
	}
	for _, l := range labels {
		if _, in := r.of[l]; in {
			continue
		}
		t, err := e.meet(ctx, e.taxonomy.accepted(m.taught[l]))
		if err != nil {
			return r, err
		}
		r.of[l], outside = len(r.texts)+len(outside), append(outside, t)
	}
	rows, err := e.names.ofTaxa(ctx, outside)
	r.texts = append(r.texts, rows...)
	return r, err
}

// candidates puts an answer into words, likeliest first; equal ones stay in
// the order of the question.
func (a asked) candidates(seen map[string]bool) []Candidate {
	out := make([]Candidate, len(a.set.labels))
	for y, t := range a.set.taxa {
		out[y] = Candidate{
			Label: a.set.labels[y], Scientific: t.ScientificName, Taxon: t.ID, Rank: t.Rank, Group: t.Group,
			Local: t.Local, Seen: seen == nil || seen[t.ScientificName], Exemplars: a.labels.exemplars(t.ID),
			Probability: a.result.P[y], ZeroShot: a.result.ZeroShot[y],
		}
		if a.result.Exemplar != nil {
			out[y].Exemplar = a.result.Exemplar[y]
		}
	}
	slices.SortStableFunc(out, func(x, y Candidate) int { return cmp.Compare(y.Probability, x.Probability) })
	return out
}

func (e *engine) neighbours(ctx context.Context, m *memory, found []nearest.Neighbour) ([]Neighbour, error) {
	ids := make([]UserID, len(found))
	for i, n := range found {
		ids[i] = m.people[m.exemplars.at(n.ID).taughtBy]
	}
	names, err := e.Store.UserNames(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]Neighbour, len(found))
	for i, n := range found {
		x := m.exemplars.at(n.ID)
		t, _ := e.taxonomy.taxon(e.taxonomy.accepted(m.taught[m.tree.Label(n.ID)]))
		out[i] = Neighbour{Observation: x.observation, Photo: x.photoHash(), Taxon: t.ID, Label: t.Label(),
			TaughtBy: names[ids[i]], Similarity: n.Cos}
	}
	return out, nil
}

// sentence makes an error's text one: a capital first, a full stop last.
func sentence(err error) string {
	text := err.Error()
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(text[size:], ".") + "."
}
