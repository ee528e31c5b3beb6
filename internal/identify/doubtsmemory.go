package identify

import (
	"context"
	"slices"

	"fieldmark/internal/doubt"
	"fieldmark/internal/nearest"
	"fieldmark/internal/probe"
)

// judged is a version of a memory as package doubt looks at it.
type judged struct {
	*memory
	photos map[[32]byte][]int       // standing exemplars of each photo that has several
	kin    map[int32]map[int32]bool // labels that agree, both ways
	rest   func() error             // between two searches
	failed error                    // of rest
}

var _ doubt.Memory = (*judged)(nil)

func newJudged(ctx context.Context, m *memory, taxa *taxonomy, l *learner) *judged {
	p := &breather{learner: l}
	return &judged{memory: m, photos: m.shared(), kin: m.kin(taxa), rest: func() error { return p.rest(ctx) }}
}

// standing are the numbers of the exemplars that are not withdrawn, ascending.
func (m *memory) standing() []int {
	out := make([]int, 0, m.tree.Live())
	for id := range m.tree.Len() {
		if m.tree.Has(id) {
			out = append(out, id)
		}
	}
	return out
}

// shared are the photos that several exemplars are of: more than one person named
// them, or the same file came twice.
func (m *memory) shared() map[[32]byte][]int {
	of := map[[32]byte][]int{}
	for _, id := range m.standing() {
		if photo := m.exemplars.at(id).photo; photo != [32]byte{} {
			of[photo] = append(of[photo], id)
		}
	}
	for photo, ids := range of {
		if len(ids) == 1 {
			delete(of, photo)
		}
	}
	return of
}

// kin are the pairs of labels one of which includes the other.
func (m *memory) kin(taxa *taxonomy) map[int32]map[int32]bool {
	out := map[int32]map[int32]bool{}
	note := func(a, b int32) {
		if out[a] == nil {
			out[a] = map[int32]bool{}
		}
		out[a][b] = true
	}
	for _, x := range m.tree.Labels() {
		for _, up := range taxa.ancestors(m.taught[x.Label]) {
			if l, known := m.labels[up.ID]; known {
				note(x.Label, l)
				note(l, x.Label)
			}
		}
	}
	return out
}

// Label implements doubt.Memory, and so do those below.
func (j *judged) Label(id int) int32 { return j.tree.Label(id) }

func (j *judged) Count(label int32) int { return j.tree.Count(label) }

func (j *judged) SamePhoto(a, b int) bool {
	photo := j.exemplars.at(a).photo
	return photo != [32]byte{} && photo == j.exemplars.at(b).photo
}

func (j *judged) OfPhoto(id int) []int {
	if ids := j.photos[j.exemplars.at(id).photo]; ids != nil {
		return ids
	}
	return []int{id}
}

func (j *judged) Agree(a, b int32) bool { return a == b || j.kin[a][b] }

// Nearest rests before it searches. Where that fails it finds nothing, and failed
// says why.
func (j *judged) Nearest(id, k int, keep func(id int) bool) []nearest.Neighbour {
	if j.failed != nil {
		return nil
	}
	var found []nearest.Neighbour
	if j.failed = j.rest(); j.failed == nil {
		found, j.failed = j.nearest(j.tree.Vectors().Row(id, nil), k, 1, keep)
	}
	return found
}

func (j *judged) Leaf(id int) (probe.Distribution, error) {
	if err := j.rest(); err != nil {
		return probe.Distribution{}, err
	}
	p, err := j.tree.PredictFrom(j.tree.Vectors().Row(id, nil), []nearest.Neighbour{{ID: id, Cos: 1}})
	return p.Exemplar, err
}

// sample is at most n of the numbers, evenly spread.
func sample(ids []int, n int) []int {
	if len(ids) <= n {
		return ids
	}
	out := make([]int, n)
	for i := range out {
		out[i] = ids[i*len(ids)/n]
	}
	return slices.Clip(out)
}
