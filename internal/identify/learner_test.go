package identify_test

import (
	"context"
	"errors"
	"image/color"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"fieldmark/internal/identify"
)

// faultyStore is a store whose log cannot be read once it is broken.
type faultyStore struct {
	identify.Store
	broken atomic.Bool
}

func (s *faultyStore) Events(ctx context.Context, encoder string, after identify.Seq, limit int) ([]identify.Event, error) {
	if s.broken.Load() {
		return nil, errors.New("the disk is gone")
	}
	return s.Store.Events(ctx, encoder, after, limit)
}

// When the log cannot be read, those who teach are told so, readers are
// answered by the memory there is, and what was acknowledged is learned at the
// next start.
func TestLearningThatStops(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	faulty := &faultyStore{Store: f.Config.Store}
	f.Config.Store = faulty
	f.restart(t)
	o := f.see(t, purple)
	must(t, f.Ready())

	faulty.broken.Store(true)
	_, err := f.Identify(ctx, f.Owner, o.ID, identify.Answer{Label: "Jabber berry"}, identify.Question{})
	if identify.KindOf(err) != identify.NotReady {
		t.Errorf("who teaches is told %v", err)
	}
	if identify.KindOf(f.Ready()) != identify.NotReady {
		t.Errorf("Ready: %v", f.Ready())
	}
	p, err := f.Classify(ctx, paint(t, purple), identify.Question{})
	must(t, err)
	if p.Seq != 0 {
		t.Errorf("answered by event %d", p.Seq)
	}

	faulty.broken.Store(false)
	f.restart(t)
	p, err = f.Classify(ctx, paint(t, purple), identify.Question{})
	must(t, err)
	if p.Seq != 1 || p.Candidates[0].Label != "Jabber berry" {
		t.Errorf("after a restart: event %d, %s", p.Seq, p.Candidates[0].Label)
	}
}

// Lessons that come faster than leaves are consolidated interrupt that, and in
// the end leave the memory that the same lessons leave in peace.
func TestHasteChangesNothing(t *testing.T) {
	haste, peace := newFixture(t), newFixture(t)
	var photos []color.RGBA
	for i := range 60 {
		photos = append(photos, color.RGBA{uint8(4 * i), uint8(255 - 4*i), uint8(i * 37), 255})
	}
	teach := func(f *fixture, i int) {
		o := f.see(t, photos[i])
		_, err := f.Identify(context.Background(), f.Owner, o.ID, identify.Answer{Taxon: identify.TaxonID(3 + i%3)}, identify.Question{})
		must(t, err)
	}
	for i := range photos {
		teach(peace, i)
		peace.settled(t)
	}
	for i := range photos {
		teach(haste, i)
	}
	haste.settled(t)
	for _, c := range photos[:10] {
		for _, q := range []identify.Question{{Top: 9}, {Top: 9, Rule: "exemplar"}} {
			a, err := peace.Classify(context.Background(), paint(t, c), q)
			must(t, err)
			b, err := haste.Classify(context.Background(), paint(t, c), q)
			must(t, err)
			same(t, a, b, 1e-4)
		}
	}
	digest := func(f *fixture) string {
		r, err := identify.Verify(context.Background(), f.Config)
		must(t, err)
		return r.Digest
	}
	if a, b := digest(peace), digest(haste); a != b {
		t.Errorf("digests %s and %s", a, b)
	}
}

// A service may be closed while lessons are under way: whoever waits is told.
func TestClosingWhileTeaching(t *testing.T) {
	f := newFixture(t)
	var list []identify.Observation
	for i := range 20 {
		list = append(list, f.see(t, color.RGBA{uint8(12 * i), 90, 30, 255}))
	}
	var people sync.WaitGroup
	for _, o := range list {
		people.Go(func() {
			_, err := f.Identify(context.Background(), f.Owner, o.ID, identify.Answer{Taxon: 3}, identify.Question{})
			if err != nil && identify.KindOf(err) != identify.NotReady {
				t.Error(err)
			}
		})
	}
	must(t, f.Close())
	people.Wait()
	f.Service = nil
	f.restart(t)
	stats, err := f.Stats(context.Background())
	must(t, err)
	if stats.Exemplars != 20 {
		t.Errorf("%d of 20 lessons after a restart", stats.Exemplars)
	}
}

// Thirty people who teach at once, beside an import of thousands: everyone is
// answered by a memory that has their lesson, and all end in the memory that the
// log folds to, with or without a snapshot.
func TestABurst(t *testing.T) {
	k, ctx := newKeeping(t, identify.MemoryConfig{}), context.Background()
	k.Config.Psi = 300
	k.restart(t)
	var seen []identify.Observation
	for _, c := range shades(60) {
		seen = append(seen, k.see(t, c))
	}
	imported, err := k.Config.Store.BeginImport(ctx, identify.ImportSource{Kind: "npz", Name: "a", Digest: "a",
		Encoder: fakeEmbedder{}.Info().Digest, Total: 2000}, k.Owner.ID, nil, k.Config.Now())
	must(t, err)
	var people sync.WaitGroup
	people.Go(func() {
		for from := 0; from < 2000; from += 500 {
			var rows []identify.ImportedExemplar
			for i := range 500 {
				v := embedding(color.RGBA{uint8(from / 10), uint8(i), uint8(i / 2), 255})
				rows = append(rows, identify.ImportedExemplar{Embedding: v, Taxon: identify.TaxonID(3 + i%3)})
			}
			if _, _, err := k.Config.Store.TeachImported(ctx, imported.ID, from, rows, k.Config.Now()); err != nil {
				t.Error(err)
			}
		}
	})
	for i := range 30 {
		people.Go(func() {
			for _, o := range seen[2*i : 2*i+2] {
				c, err := k.Identify(ctx, k.Owner, o.ID, identify.Answer{Taxon: identify.TaxonID(3 + i%3)}, identify.Question{})
				if err != nil || c.After.Seq < c.Seq {
					t.Errorf("event %d is answered by the memory of event %d, %v", c.Seq, c.After.Seq, err)
				}
			}
		})
	}
	people.Wait()
	last := k.see(t, purple)
	_, err = k.Identify(ctx, k.Owner, last.ID, identify.Answer{Label: "Jabber berry"}, identify.Question{})
	must(t, err)
	stats, err := k.Stats(ctx)
	must(t, err)
	if stats.Exemplars < 60 || int(stats.Seq) != stats.Exemplars {
		t.Errorf("%d exemplars at event %d", stats.Exemplars, stats.Seq)
	}
	must(t, k.Close())
	if r := k.verified(t); len(r.Problems) > 0 || r.Snapshot == "" {
		t.Errorf("snapshot %q, problems %v", r.Snapshot, r.Problems)
	}
}

// However the background was interrupted, and whether a start found a snapshot or
// not, the same lessons end in the same memory.
func TestInterruptionsChangeNothing(t *testing.T) {
	peace := newFixture(t)
	photos := shades(50)
	peace.lessons(t, photos)
	peace.settled(t)
	want := peace.answers(t, photos[:10])
	for seed := range uint64(2) {
		r := rand.New(rand.NewPCG(seed, 7))
		k := newKeeping(t, identify.MemoryConfig{})
		for rest := photos; len(rest) > 0; {
			n := min(len(rest), 1+r.IntN(15))
			k.lessons(t, rest[:n])
			rest = rest[n:]
			switch r.IntN(4) {
			case 0:
				k.settled(t)
			case 1:
				k.restart(t)
			case 2:
				must(t, k.Close())
				must(t, os.Remove(k.file()))
				k.restart(t)
			}
		}
		k.settled(t)
		if a := apart(k.answers(t, photos[:10]), want); a > 1e-4 {
			t.Errorf("seed %d: probabilities are %v apart", seed, a)
		}
		must(t, k.Close())
		if r := k.verified(t); len(r.Problems) > 0 || r.Snapshot == "" {
			t.Errorf("seed %d: snapshot %q, problems %v", seed, r.Snapshot, r.Problems)
		}
	}
}
