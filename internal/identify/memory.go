package identify

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"fieldmark/internal/tree"
)

// memory is one immutable version of what was taught: the fold of the log up
// to seq. Readers take the current one and keep it for a whole answer.
type memory struct {
	seq        Seq
	tree       *tree.Tree
	index      *index
	views      viewed
	exemplars  sequence[exemplar] // by exemplar number in tree
	people     []UserID           // who has taught, in order of the first time; only appended to
	taught     []TaxonID          // by label in tree: every taxon ever taught, in order of the first time; only appended to
	labels     map[TaxonID]int32  // the inverse of taught; never changed once published
	withdrawn  []int              // exemplar numbers, in order, since the log or a snapshot was read; only appended to
	restored   []int              // likewise, of those that came back
	relabelled []int              // likewise, of those that were given another taxon
	missing    []Seq              // lessons left out for want of an embedding; only appended to
	pending    int                // events whose consolidating stroke is still to come
	next       chan struct{}      // closed when a newer version is published
}

// emptyMemory is what an empty log folds to.
func emptyMemory(c Config) (*memory, error) {
	dim := c.Embedder.Info().Dim
	t, err := tree.New(dim, treeParams(c))
	if err != nil {
		return nil, err
	}
	x, err := newIndex(c.Memory, dim)
	if err != nil {
		return nil, err
	}
	v, err := newViewed(c.Memory, dim)
	return &memory{tree: t, index: x, views: v, labels: map[TaxonID]int32{}, next: make(chan struct{})}, err
}

func treeParams(c Config) tree.Params {
	return tree.Params{Psi: c.Psi, Workers: c.Workers, Format: c.Memory.Format}
}

// changed lists the stale leaves that hold, or held, an exemplar which came, went
// or changed its name since an earlier version.
func (m *memory) changed(since *memory) []int {
	touched := map[int]bool{}
	for id := since.tree.Len(); id < m.tree.Len(); id++ {
		touched[m.tree.LeafOf(id)] = true
	}
	for _, id := range m.withdrawn[len(since.withdrawn):] {
		if id < since.tree.Len() {
			touched[since.tree.LeafOf(id)] = true
		}
	}
	for _, id := range m.restored[len(since.restored):] {
		touched[m.tree.LeafOf(id)] = true
	}
	for _, id := range m.relabelled[len(since.relabelled):] {
		touched[m.tree.LeafOf(id)] = true // −1, no leaf, where it is in quarantine
	}
	return slices.DeleteFunc(m.tree.Stale(), func(leaf int) bool { return !touched[leaf] })
}

// exemplarsOf counts the standing exemplars of a taxon.
func (m *memory) exemplarsOf(id TaxonID) int {
	if l, known := m.labels[id]; known {
		return m.tree.Count(l)
	}
	return 0
}

// draft is the next version of a memory while events are folded into it.
type draft struct {
	memory
	edit    *tree.Edit
	fold    *folded
	shared  bool // labels is still the former version's
	skipped []error
}

// draft begins the next version.
func (m *memory) draft(f *folded) *draft {
	return &draft{memory: *m, edit: m.tree.Edit(), fold: f, shared: true}
}

// apply folds one event. An exemplar whose vector is missing or unusable is
// left out, and said so; it must not stop those after it.
func (d *draft) apply(e Event) {
	switch e.Kind {
	case Taught:
		d.teach(e)
	case Held:
		d.hold(e)
	case Withdrawn, Quarantined:
		d.withdraw(e)
	case Released:
		d.release(e)
	case Relabelled:
		d.relabel(e)
	default:
		d.skipped = append(d.skipped, fmt.Errorf("event %d is of a kind that this program does not know: %q", e.Seq, e.Kind))
	}
	d.seq = e.Seq
	d.pending++
}

// errNotEmbedded is why a lesson is not in a memory yet, or cannot be.
var errNotEmbedded = errors.New("its photo has no embedding under this encoder")

// teach adds an exemplar and returns its number; false if it could not be learned.
func (d *draft) teach(e Event) (id int, learned bool) {
	if e.Vector == nil {
		d.missing = append(d.missing, e.Seq)
		d.skipped = append(d.skipped, fmt.Errorf("event %d: %w", e.Seq, errNotEmbedded))
		return 0, false
	}
	photo, err := parseHash(e.Photo)
	if err != nil {
		d.skipped = append(d.skipped, fmt.Errorf("event %d: %w", e.Seq, err))
		return 0, false
	}
	if id, err = d.edit.Insert(d.label(e.Taxon), e.Vector); err != nil {
		d.skipped = append(d.skipped, fmt.Errorf("event %d: its embedding cannot be learned: %w", e.Seq, err))
		return 0, false
	}
	d.exemplars.append(exemplar{identification: e.Identification, observation: e.Observation, photo: photo, taughtBy: d.person(e)})
	d.fold.note(&d.exemplars, id)
	if err := d.views.add(id, e.Views); err != nil {
		d.skipped = append(d.skipped, fmt.Errorf("event %d: its crops cannot be learned: %w", e.Seq, err))
	}
	return id, true
}

// hold gives an exemplar its number, and its place among those that were taught,
// before it stands.
func (d *draft) hold(e Event) {
	if id, learned := d.teach(e); learned {
		d.takeOut(id)
	}
}

// person is the number of who taught in this memory.
func (d *draft) person(e Event) int32 {
	n, known := d.fold.people[e.User]
	if !known {
		n = int32(len(d.people))
		d.fold.people[e.User], d.people = n, append(d.people, e.User)
	}
	return n
}

// label is a taxon as the tree knows it: labels are small numbers, given in the
// order in which taxa are first taught, so that the log alone decides them.
func (d *draft) label(id TaxonID) int32 {
	if l, known := d.labels[id]; known {
		return l
	}
	if d.shared {
		d.labels, d.shared = maps.Clone(d.labels), false
	}
	l := int32(len(d.taught))
	d.labels[id], d.taught = l, append(d.taught, id)
	return l
}

// withdraw takes an exemplar out. One that is in quarantine is out already.
func (d *draft) withdraw(e Event) {
	if id, learned := d.fold.number(&d.exemplars, e.Identification); learned && d.edit.Has(id) {
		d.takeOut(id)
	}
}

func (d *draft) takeOut(id int) {
	if err := d.edit.Withdraw(id); err != nil {
		d.skipped = append(d.skipped, err)
		return
	}
	d.withdrawn = append(d.withdrawn, id)
}

// release brings an exemplar back.
func (d *draft) release(e Event) {
	id, learned := d.fold.number(&d.exemplars, e.Identification)
	if !learned {
		return
	}
	if err := d.edit.Restore(id); err != nil {
		d.skipped = append(d.skipped, err)
		return
	}
	d.restored = append(d.restored, id)
}

// relabel gives an exemplar another taxon, be it in quarantine.
func (d *draft) relabel(e Event) {
	id, learned := d.fold.number(&d.exemplars, e.Identification)
	if !learned {
		return
	}
	if err := d.edit.Relabel(id, d.label(e.Taxon)); err != nil {
		d.skipped = append(d.skipped, err)
		return
	}
	d.relabelled = append(d.relabelled, id)
}

// done returns the new version, whose changed leaves are not fitted yet.
func (d *draft) done() *memory { return d.with(d.edit.Tree()) }

// with returns the same memory with another state of its tree.
func (m memory) with(t *tree.Tree) *memory {
	m.tree, m.next = t, make(chan struct{})
	if t.Pending() == 0 {
		m.pending = 0
	}
	return &m
}
