package identify

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"image"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/nearest"
)

// logOnly is a Store that has nothing but a log in memory.
type logOnly struct {
	Store
	events []Event
}

func (l *logOnly) Events(_ context.Context, _ string, after Seq, limit int) ([]Event, error) {
	from := min(int(after), len(l.events))
	return l.events[from:min(from+limit, len(l.events))], nil
}

func (l *logOnly) ViewedLessons(_ context.Context, _ string, seq Seq) (n int, _ error) {
	for _, e := range l.events {
		if e.Seq <= seq && e.Kind.Given() && e.Vector != nil && len(e.Views) > 0 {
			n++
		}
	}
	return n, nil
}

// blind is an Embedder that only says what it would be.
type blind struct{ dim int }

func (b blind) Info() EncoderInfo {
	return EncoderInfo{Name: "blind", Digest: strings.Repeat("b", 64), Dim: b.dim}
}

func (blind) EmbedImage(context.Context, image.Image) ([]float32, error) { return nil, nil }

func (blind) EmbedNames(context.Context, [][]string) ([][]float32, error) { return nil, nil }

// someLog is a log of n events; one in four withdraws an earlier lesson, one in
// nine has no embedding, half of the others have one to three views.
func someLog(n, dim int) *logOnly {
	r, ofViews := rand.New(rand.NewPCG(5, 5)), rand.New(rand.NewPCG(6, 6))
	l := &logOnly{}
	var standing []Event
	for seq := Seq(1); int(seq) <= n; seq++ {
		e := Event{Seq: seq, Kind: Taught, Identification: IdentificationID(seq), Observation: ObservationID(10 * seq),
			Photo: PhotoHash(fmt.Sprintf("%064x", seq)), Taxon: TaxonID(1 + r.IntN(7)), User: UserID(1 + r.IntN(3)), At: time.Unix(int64(seq), 0)}
		e.UserName = fmt.Sprint("user ", e.User)
		if len(standing) > 0 && r.IntN(4) == 0 {
			at := r.IntN(len(standing))
			e.Kind, e.Identification = Withdrawn, standing[at].Identification
			standing = slices.Delete(standing, at, at+1)
		} else {
			standing = append(standing, e)
			if r.IntN(9) > 0 {
				e.Vector = make([]float32, dim)
				for i := range e.Vector {
					e.Vector[i] = float32(r.NormFloat64() + float64(e.Taxon))
				}
				e.Views = someViews(ofViews, e.Vector)
			}
		}
		l.events = append(l.events, e)
	}
	return l
}

func someViews(r *rand.Rand, whole []float32) [][]float32 {
	views := make([][]float32, max(0, r.IntN(7)-3))
	for i := range views {
		views[i] = slices.Clone(whole)
		views[i][r.IntN(len(whole))] += float32(r.NormFloat64())
	}
	return views
}

func logConfig(l *logOnly, memory MemoryConfig) Config {
	return Config{Store: l, Embedder: blind{4}, Psi: 12, Memory: memory, Log: slog.New(slog.DiscardHandler)}.withDefaults()
}

// folding folds events into a memory.
func folding(t testing.TB, c Config, m *memory, events []Event) *memory {
	t.Helper()
	d := m.draft(foldedOf(m))
	for _, e := range events {
		d.apply(e)
	}
	return d.done()
}

func startOf(t testing.TB, c Config) *memory {
	t.Helper()
	m, err := emptyMemory(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func snapshotOf(t testing.TB, c Config, m *memory) []byte {
	t.Helper()
	sample, err := logSample(t.Context(), c, m.seq)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	if err := m.write(w, m.head(c, sample)); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Wherever a memory is put down and taken up again, the rest of the log folds to
// what it folds to without.
func TestAMemoryPutDownAndTakenUp(t *testing.T) {
	for _, format := range []nearest.Format{nearest.Float32, nearest.Half} {
		l := someLog(150, 4)
		c := logConfig(l, MemoryConfig{Format: format})
		want := folding(t, c, startOf(t, c), l.events)
		for _, at := range []int{0, 1, 7, 64, 149, 150} {
			before := folding(t, c, startOf(t, c), l.events[:at])
			m, err := readMemory(t.Context(), c, bufio.NewReader(bytes.NewReader(snapshotOf(t, c, before))))
			if err != nil {
				t.Fatalf("at %d: %v", at, err)
			}
			if m.seq != before.seq || m.pending != before.pending || !slices.Equal(m.missing, before.missing) {
				t.Errorf("at %d: event %d, %d pending, missing %v; want %d, %d, %v", at, m.seq, m.pending, m.missing, before.seq, before.pending, before.missing)
			}
			got := folding(t, c, m, l.events[at:])
			if got.seq != want.seq || got.tree.Digest() != want.tree.Digest() || !got.sameRecords(want) || !got.views.same(&want.views) || got.views.photos != want.views.photos {
				t.Errorf("at %d: another memory", at)
			}
		}
	}
}

// A snapshot is refused if its log is not the one that there is, in any event
// that was sampled, or if an embedding has turned up since.
func TestASnapshotOfAnotherLog(t *testing.T) {
	l := someLog(60, 4) // fewer than are sampled: every event counts
	c := logConfig(l, MemoryConfig{})
	b := snapshotOf(t, c, folding(t, c, startOf(t, c), l.events))
	read := func() error {
		_, err := readMemory(t.Context(), c, bufio.NewReader(bytes.NewReader(b)))
		return err
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}
	original := slices.Clone(l.events)
	for at := range original {
		for name, change := range map[string]func(e *Event){
			"taxon":     func(e *Event) { e.Taxon++ },
			"kind":      func(e *Event) { e.Kind = "taken back" },
			"photo":     func(e *Event) { e.Photo = PhotoHash(strings.Repeat("0", 64)) },
			"time":      func(e *Event) { e.At = e.At.Add(time.Second) },
			"embedding": func(e *Event) { e.Vector = []float32{1, 2, 3, 4} },
		} {
			l.events = slices.Clone(original)
			change(&l.events[at])
			if err := read(); err == nil {
				t.Errorf("the %s of event %d makes no difference", name, at+1)
			}
		}
	}
	l.events = original[:59]
	if err := read(); err == nil {
		t.Error("a log that ends before the snapshot makes no difference")
	}
	late := someLog(1000, 4)
	c = logConfig(late, MemoryConfig{})
	m := folding(t, c, startOf(t, c), late.events)
	b = snapshotOf(t, c, m)
	if err := read(); err != nil {
		t.Fatal(err)
	}
	for _, seq := range m.missing {
		late.events[seq-1].Vector = []float32{1, 2, 3, 4}
		if err := read(); err == nil {
			t.Errorf("the embedding of event %d turned up unnoticed", seq)
		}
		late.events[seq-1].Vector = nil
	}
	for at := range late.events {
		if e := &late.events[at]; e.Vector != nil && len(e.Views) == 0 {
			e.Views = [][]float32{{1, 2, 3, 4}}
			if err := read(); err == nil {
				t.Errorf("the views of event %d turned up unnoticed", e.Seq)
			}
			break
		}
	}
}

// Identifications that do not ascend along the log are found all the same.
func TestLessonsOutOfOrder(t *testing.T) {
	l := someLog(0, 4)
	for i, id := range []IdentificationID{3, 4, 9, 5, 6, 1, 12} {
		v := []float32{float32(i), 1, 0, 0}
		l.events = append(l.events, Event{Seq: Seq(i + 1), Kind: Taught, Identification: id, Taxon: TaxonID(id), Vector: v})
	}
	c := logConfig(l, MemoryConfig{})
	m := folding(t, c, startOf(t, c), l.events)
	f := foldedOf(m)
	for i, e := range l.events {
		if id, ok := f.number(&m.exemplars, e.Identification); !ok || id != i {
			t.Errorf("identification %d is exemplar %d, %v; want %d", e.Identification, id, ok, i)
		}
	}
	for _, id := range []IdentificationID{0, 2, 7, 13} {
		if n, ok := f.number(&m.exemplars, id); ok {
			t.Errorf("identification %d, which there is not, is exemplar %d", id, n)
		}
	}
}

func TestSequenceVersions(t *testing.T) {
	var now sequence[int]
	var kept []sequence[int]
	for i := range 3*pieceLen + 5 {
		kept = append(kept, now)
		now.append(i)
	}
	for n, s := range append(kept, now) {
		if s.len() != n || n > 0 && (*s.at(0) != 0 || *s.at(n - 1) != n-1) {
			t.Fatalf("the version of %d has %d, the last %d", n, s.len(), *s.at(n - 1))
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a version shows what was appended after it")
		}
	}()
	kept[5].at(5)
}

func TestWaiters(t *testing.T) {
	var w waiters
	for range maxWaiting - 1 {
		w.enter(7)
	}
	if !w.enter(5) || w.enter(1) {
		t.Error("want one more to be let in, and then no more")
	}
	if w.any(4) || !w.any(5) {
		t.Error("want the first to wait for event 5")
	}
	w.leave(5)
	if w.any(6) || !w.any(7) {
		t.Error("want the first to wait for event 7")
	}
}

// Whatever bytes there are: an error, or a memory that can be used.
func FuzzReadMemory(f *testing.F) {
	l := someLog(40, 4)
	c := logConfig(l, MemoryConfig{})
	f.Add(snapshotOf(f, c, startOf(f, c)))
	f.Add(snapshotOf(f, c, folding(f, c, startOf(f, c), l.events[:30])))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := readMemory(t.Context(), c, bufio.NewReader(bytes.NewReader(b)))
		if err != nil {
			return
		}
		if _, err := m.nearest([]float32{1, 2, 3, 4}, 9, 1, nil); err != nil {
			t.Error(err)
		}
		m.nearestByView([]float32{1, 2, 3, 4}, 9, 1, nil)
		for id := range m.tree.Len() {
			_ = m.people[m.exemplars.at(id).taughtBy]
			_ = m.taught[m.tree.Label(id)]
		}
		folding(t, c, m, l.events)
	})
}

// A graph finds what an exact scan finds, of a version of the memory that is
// older or newer than it, without what was withdrawn; so does another index.
func TestAnIndexBesideItsMemory(t *testing.T) {
	const n = 6 * graphTail
	l := someLog(n, 8)
	exact := logConfig(l, MemoryConfig{Index: IndexExact})
	exact.Embedder, exact.Psi = blind{8}, 500
	for name, how := range map[string]MemoryConfig{
		"graph": {Index: IndexHNSW},
		"other": {Other: func() OtherIndex { return new(scan) }},
	} {
		c := exact
		c.Memory = how
		half := folding(t, c, startOf(t, c), l.events[:n/2])
		for half.index.behind(half.tree.Vectors()) {
			half.index.extend(t.Context(), half.tree.Vectors(), 2)
		}
		if got := half.index.len(); got == 0 || got < half.tree.Len()-graphTail {
			t.Fatalf("%s: %d of %d taken in", name, got, half.tree.Len())
		}
		whole := folding(t, c, half, l.events[n/2:])
		right, asked := 0, 0
		for i, m := range []*memory{half, whole} {
			want := folding(t, exact, startOf(t, exact), l.events[:[]int{n / 2, n}[i]])
			for _, e := range l.events[:200] {
				if e.Vector == nil {
					continue
				}
				got, err := m.nearest(e.Vector, 9, 1, nil)
				if err != nil {
					t.Fatal(err)
				}
				w, err := want.nearest(e.Vector, 9, 1, nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, x := range got {
					if !m.tree.Has(x.ID) {
						t.Fatalf("%s: exemplar %d is withdrawn", name, x.ID)
					}
					right += b2i(slices.Contains(w, x))
				}
				asked += len(w)
			}
		}
		if right < asked*98/100 {
			t.Errorf("%s: %d of %d neighbours found", name, right, asked)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// scan is an OtherIndex that compares with everything.
type scan struct{ n int }

func (s *scan) Len() int                            { return s.n }
func (s *scan) Extend(v *nearest.Vectors, to int)   { s.n = min(to, v.Len()) }
func (s *scan) Of(v *nearest.Vectors) nearest.Index { return nearest.Exact{Vectors: v} }

// Leaves take turns in being consolidated, so that one which is taught to all the
// time does not keep the others from it.
func TestLeavesTakeTurns(t *testing.T) {
	l := someLog(300, 4)
	c := logConfig(l, MemoryConfig{})
	m := folding(t, c, startOf(t, c), l.events)
	stale := m.tree.Stale()
	if len(stale) < 3 {
		t.Fatalf("%d stale leaves, want some", len(stale))
	}
	learn := &learner{config: c, ended: map[int]uint64{}}
	for range 2 {
		for _, want := range stale {
			if learn.leaf = learn.staleLeaf(m); learn.leaf != want {
				t.Fatalf("leaf %d has its turn, want %d of %v", learn.leaf, want, stale)
			}
		}
	}
	for _, leaf := range stale {
		learn.ended[leaf] = m.tree.Revision(leaf)
	}
	if leaf := learn.staleLeaf(m); leaf != -1 {
		t.Errorf("leaf %d, which ended short of its optimum, has its turn again", leaf)
	}
}

// The log is not written to disk again for every few lessons, and not left
// unwritten until all of it has to be folded again.
func TestWhenASnapshotIsDue(t *testing.T) {
	at := func(seq Seq) *memory {
		m := startOf(t, logConfig(someLog(0, 4), MemoryConfig{}))
		m.seq = seq
		return m
	}
	for _, c := range []struct {
		saved, now               Seq
		due, overdue, worthwhile bool
	}{
		{0, 0, false, false, false},
		{0, 1, false, false, true},
		{0, 300, true, false, true},
		{10_000, 10_300, false, false, true},
		{10_000, 10_600, true, false, true},
		{10_000, 15_000, true, true, true},
		{1_000_000, 1_000_900, false, false, false},
		{1_000_000, 1_060_000, true, false, true},
	} {
		s := savedState{on: true, seq: c.saved}
		m := at(c.now)
		if due, overdue, worth := s.grown(m, dueShare, dueEvents), s.overdue(m), s.worthwhile(m); due != c.due || overdue != c.overdue || worth != c.worthwhile {
			t.Errorf("%d after %d: due %v, overdue %v, worthwhile %v", c.now, c.saved, due, overdue, worth)
		}
		s.on = false
		if s.due(m) || s.overdue(m) || s.worthwhile(m) {
			t.Errorf("%d after %d: due although none is kept", c.now, c.saved)
		}
	}
}
