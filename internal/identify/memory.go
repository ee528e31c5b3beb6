package identify

import (
	"maps"
	"sync"

	"fieldmark/internal/probe"
	"fieldmark/internal/tree"
)

// memory is one immutable version of what was taught: the fold of the log up
// to seq. Readers take the current one and keep it for a whole answer.
type memory struct {
	seq         Seq
	tree        *tree.Tree
	exemplars   []exemplar      // by exemplar number in tree; only appended to
	exemplarsOf map[TaxonID]int // standing exemplars of each taxon, none zero
	taught      []TaxonID       // every taxon ever taught, in order of the first time; only appended to
	pending     int             // events whose consolidating stroke is still to come
	next        chan struct{}   // closed when a newer version is published

	whole func() (*probe.Model, error) // LinProbe over all exemplars, fitted when first asked for
}

// exemplar is what people want to know of one; its vector is in the tree.
type exemplar struct {
	observation ObservationID
	photo       PhotoHash
	taxon       TaxonID
	taughtBy    string
}

// draft is the next version of a memory while events are folded into it.
type draft struct {
	memory
	edit             *tree.Edit
	byIdentification map[IdentificationID]int // exemplar number, -1 where it has no vector
	skipped          []error
}

// draft begins the next version. byIdentification belongs to the learner and
// is changed in place.
func (m *memory) draft(byIdentification map[IdentificationID]int) *draft {
	d := &draft{memory: *m, edit: m.tree.Edit(), byIdentification: byIdentification}
	d.exemplarsOf = maps.Clone(m.exemplarsOf)
	return d
}

// apply folds one event. An exemplar whose vector is missing or unusable is
// left out, and said so; it must not stop those after it.
func (d *draft) apply(e Event) {
	switch e.Kind {
	case Taught:
		d.teach(e)
	case Withdrawn:
		d.withdraw(e)
	}
	d.seq = e.Seq
	d.pending++
}

func (d *draft) teach(e Event) {
	d.byIdentification[e.Identification] = -1
	if e.Vector == nil {
		d.skipped = append(d.skipped, Errorf(NotFound, "", "event %d: no embedding of its photo under this encoder", e.Seq))
		return
	}
	id, err := d.edit.Insert(label(e.Taxon), e.Vector)
	if err != nil {
		d.skipped = append(d.skipped, &Error{Kind: Invalid, Message: "an embedding cannot be learned", Err: err})
		return
	}
	d.byIdentification[e.Identification] = id
	d.exemplars = append(d.exemplars, exemplar{observation: e.Observation, photo: e.Photo, taxon: e.Taxon, taughtBy: e.UserName})
	if d.exemplarsOf[e.Taxon] == 0 {
		d.taught = append(d.taught, e.Taxon)
	}
	d.exemplarsOf[e.Taxon]++
}

func (d *draft) withdraw(e Event) {
	id, taught := d.byIdentification[e.Identification]
	if !taught || id < 0 {
		return
	}
	if err := d.edit.Withdraw(id); err != nil {
		d.skipped = append(d.skipped, err)
		return
	}
	taxon := d.exemplars[id].taxon
	if d.exemplarsOf[taxon]--; d.exemplarsOf[taxon] == 0 {
		delete(d.exemplarsOf, taxon)
	}
}

// done returns the new version, not yet fitted.
func (d *draft) done() *memory {
	m := d.memory
	m.tree = d.edit.Tree()
	return &m
}

// with returns the same memory with another state of its tree's probes.
func (m memory) with(t *tree.Tree) *memory {
	m.tree = t
	return &m
}

// publishable readies a version for readers.
func (m *memory) publishable(c Config) *memory {
	if len(m.tree.Stale()) == 0 {
		m.pending = 0
	}
	m.next = make(chan struct{})
	t := m.tree
	m.whole = sync.OnceValues(func() (*probe.Model, error) { return fitWhole(t, c.Workers) })
	return m
}

// live counts the exemplars that stand.
func (m *memory) live() int {
	n := 0
	for _, count := range m.exemplarsOf {
		n += count
	}
	return n
}

// label is a taxon as the tree knows it. Ids stay far below 2³¹: local ones
// count up from a million.
func label(id TaxonID) int32 { return int32(id) }
