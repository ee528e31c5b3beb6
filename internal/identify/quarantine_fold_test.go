package identify

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"fieldmark/internal/nearest"
)

// standingLesson is a lesson that stands, and what it reads as.
type standingLesson struct {
	id    IdentificationID
	taxon TaxonID
}

// restlessLog is a log of n events in which four people teach, are quarantined and
// released, and five names are merged and taken apart again; standing says, after each
// event, which lessons an onlooker who knows nothing of memories would say stand.
func restlessLog(n, dim int) (l *logOnly, standing [][]standingLesson) {
	r := rand.New(rand.NewPCG(11, 4))
	l = &logOnly{}
	type lesson struct {
		Event
		gone, waits bool
	}
	var lessons []*lesson
	quarantined := map[UserID]bool{}
	type merge struct {
		from, into TaxonID
		moved      []*lesson
	}
	var merges []*merge
	add := func(e Event) {
		e.Seq = Seq(len(l.events) + 1)
		l.events = append(l.events, e)
		var now []standingLesson
		for _, x := range lessons {
			if !x.gone && !x.waits {
				now = append(now, standingLesson{x.Identification, x.Taxon})
			}
		}
		standing = append(standing, now)
	}
	about := func(x *lesson, kind EventKind) Event {
		e := x.Event
		e.Kind, e.Vector, e.Views = kind, nil, nil
		return e
	}
	for len(l.events) < n {
		switch r.IntN(14) {
		case 3: // a name becomes a synonym of another
			m := &merge{from: TaxonID(1 + r.IntN(5)), into: TaxonID(1 + r.IntN(5))}
			for _, x := range lessons {
				if m.from != m.into && x.Taxon == m.from && !x.gone {
					x.Taxon, m.moved = m.into, append(m.moved, x)
					add(about(x, Relabelled))
				}
			}
			merges = append(merges, m)
		case 4: // and is itself again
			if len(merges) > 0 {
				m := merges[len(merges)-1]
				merges = merges[:len(merges)-1]
				for _, x := range m.moved {
					if x.Taxon == m.into && !x.gone {
						x.Taxon = m.from
						add(about(x, Relabelled))
					}
				}
			}
		case 0: // a source goes into quarantine, or comes out of it
			u := UserID(1 + r.IntN(4))
			quarantined[u] = !quarantined[u]
			kind := map[bool]EventKind{true: Quarantined, false: Released}[quarantined[u]]
			for _, x := range lessons {
				if x.User == u && !x.gone && x.waits != quarantined[u] {
					x.waits = quarantined[u]
					add(about(x, kind))
				}
			}
		case 1, 2: // somebody's lesson is withdrawn, be it in quarantine
			if len(lessons) > 0 {
				if x := lessons[r.IntN(len(lessons))]; !x.gone {
					x.gone = true
					add(about(x, Withdrawn))
				}
			}
		default:
			id := IdentificationID(len(lessons) + 1)
			x := &lesson{Event: Event{Kind: Taught, Identification: id, Observation: ObservationID(id), Photo: PhotoHash(fmt.Sprintf("%064x", id)),
				Taxon: TaxonID(1 + r.IntN(5)), User: UserID(1 + r.IntN(4))}}
			x.UserName = fmt.Sprint("user ", x.User)
			if r.IntN(12) > 0 {
				x.Vector = make([]float32, dim)
				for i := range x.Vector {
					x.Vector[i] = float32(r.NormFloat64() + float64(x.Taxon))
				}
				x.Views = someViews(r, x.Vector)
			}
			if quarantined[x.User] {
				x.Kind, x.waits = Held, true
			}
			lessons = append(lessons, x)
			add(x.Event)
		}
	}
	return l, standing
}

// Whatever was taught, withdrawn, quarantined, released, merged and taken apart: the
// memory holds what stands, and answers as one that was only ever taught that, by the
// names that it has now.
func TestQuarantineAgainstTheOracle(t *testing.T) {
	l, standing := restlessLog(400, 4)
	c := logConfig(l, MemoryConfig{})
	given := map[IdentificationID]Event{}
	for _, e := range l.events {
		if e.Kind.Given() {
			given[e.Identification] = e
		}
	}
	m := startOf(t, c)
	kinds := map[EventKind]int{}
	for i, e := range l.events {
		kinds[e.Kind]++
		m = folding(t, c, m, l.events[i:i+1])
		var want []standingLesson
		for _, x := range standing[i] {
			if given[x.id].Vector != nil {
				want = append(want, x)
			}
		}
		if got := standingIn(m); !slices.Equal(got, want) {
			t.Fatalf("after event %d (%s): %v stand, want %v", e.Seq, e.Kind, got, want)
		}
		if i%40 != 39 {
			continue
		}
		plain := startOf(t, c)
		for n, x := range want {
			e := given[x.id]
			e.Seq, e.Kind, e.Taxon = Seq(n+1), Taught, x.taxon
			plain = folding(t, c, plain, []Event{e})
		}
		sameNeighbours(t, m, plain)
		for taxon := range TaxonID(6) {
			if a, b := m.exemplarsOf(taxon), plain.exemplarsOf(taxon); a != b {
				t.Errorf("after event %d taxon %d has %d exemplars, want %d", e.Seq, taxon, a, b)
			}
		}
	}
	for _, k := range []EventKind{Taught, Held, Withdrawn, Quarantined, Released, Relabelled} {
		if kinds[k] < 5 {
			t.Errorf("the log has %d events %q", kinds[k], k)
		}
	}
}

func standingIn(m *memory) []standingLesson {
	var list []standingLesson
	for id := range m.exemplars.len() {
		if m.tree.Has(id) {
			list = append(list, standingLesson{m.exemplars.at(id).identification, m.taught[m.tree.Label(id)]})
		}
	}
	return list
}

// sameNeighbours compares whom two memories find, by wholes and by views, in order.
func sameNeighbours(t *testing.T, m, plain *memory) {
	t.Helper()
	r := rand.New(rand.NewPCG(2, 2))
	for range 20 {
		v := make([]float32, 4)
		for i := range v {
			v[i] = float32(3 * r.NormFloat64())
		}
		find := func(m *memory) (out []string) {
			wholes, err := m.nearest(v, 9, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range append(wholes, m.nearestByView(v, 9, 1, wholes)...) {
				out = append(out, fmt.Sprintf("%d %d %.9f", m.exemplars.at(n.ID).identification, m.taught[m.tree.Label(n.ID)], n.Cos))
			}
			return out
		}
		if a, b := find(m), find(plain); !slices.Equal(a, b) {
			t.Errorf("after event %d it finds %v; one that was only taught what stands finds %v", m.seq, a, b)
		}
	}
}

// However events come in, and wherever the memory is put down and taken up again,
// in quarantine or out of it, the log folds to the same bits.
func TestQuarantineFoldsToTheSameBits(t *testing.T) {
	for _, format := range []nearest.Format{nearest.Float32, nearest.Half} {
		l, _ := restlessLog(300, 4)
		c := logConfig(l, MemoryConfig{Format: format})
		want := folding(t, c, startOf(t, c), l.events)
		for _, size := range []int{1, 3, 64} {
			m := startOf(t, c)
			for batch := range slices.Chunk(l.events, size) {
				m = folding(t, c, m, batch)
			}
			if m.tree.Digest() != want.tree.Digest() || !m.sameRecords(want) || !m.views.same(&want.views) {
				t.Errorf("%d events at a time: another memory", size)
			}
		}
		for at := 0; at <= len(l.events); at += 13 {
			before := folding(t, c, startOf(t, c), l.events[:at])
			m, err := readMemory(t.Context(), c, bufio.NewReader(bytes.NewReader(snapshotOf(t, c, before))))
			if err != nil {
				t.Fatalf("at %d: %v", at, err)
			}
			if got := folding(t, c, m, l.events[at:]); got.tree.Digest() != want.tree.Digest() || !got.sameRecords(want) || !got.views.same(&want.views) {
				t.Errorf("from a snapshot at %d: another memory", at)
			}
		}
	}
}

// An event of a kind that only a later Fieldmark knows is told, not passed over.
func TestAnEventOfAnotherKind(t *testing.T) {
	c := logConfig(&logOnly{}, MemoryConfig{})
	d := startOf(t, c).draft(foldedOf(startOf(t, c)))
	d.apply(Event{Seq: 1, Kind: "praised"})
	if len(d.skipped) != 1 {
		t.Errorf("told %v", d.skipped)
	}
}
