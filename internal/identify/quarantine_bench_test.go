package identify

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// What a quarantine of half of a memory costs whoever folds it, beside teaching it:
// microseconds an event, and milliseconds for the slowest batch, which is how long a
// lesson that comes in between waits. Readers wait for nothing.
func BenchmarkFoldQuarantine(b *testing.B) {
	const dim = 128
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := sourcesLog(n, dim)
			c := logConfig(l, MemoryConfig{})
			c.Embedder, c.Psi = blind{dim}, 50_000
			taught := foldTimed(b, startOf(b, c), l.events[:n])
			for b.Loop() {
				out := foldTimed(b, taught.memory, l.events[n:n+n/2])
				in := foldTimed(b, out.memory, l.events[n+n/2:])
				if out.memory.tree.Live() != n/2 || in.memory.tree.Live() != n {
					b.Fatal("another memory")
				}
				b.ReportMetric(taught.perEvent, "µs/taught")
				b.ReportMetric(out.perEvent, "µs/quarantined")
				b.ReportMetric(in.perEvent, "µs/released")
				b.ReportMetric(out.slowest, "ms/batch-out")
				b.ReportMetric(in.slowest, "ms/batch-in")
			}
		})
	}
}

// sourcesLog is n lessons by two people in turn, the quarantine of one of them and
// its release.
func sourcesLog(n, dim int) *logOnly {
	r, l := rand.New(rand.NewPCG(1, 1)), &logOnly{}
	for i := range n {
		e := Event{Seq: Seq(i + 1), Kind: Taught, Identification: IdentificationID(i + 1), Photo: PhotoHash(fmt.Sprintf("%064x", i)),
			Taxon: TaxonID(1 + r.IntN(100)), User: UserID(1 + i%2), Vector: make([]float32, dim)}
		for d := range e.Vector {
			e.Vector[d] = float32(r.NormFloat64())
		}
		l.events = append(l.events, e)
	}
	for _, kind := range []EventKind{Quarantined, Released} {
		for i := 0; i < n; i += 2 {
			e := l.events[i]
			e.Seq, e.Kind, e.Vector = Seq(len(l.events)+1), kind, nil
			l.events = append(l.events, e)
		}
	}
	return l
}

type timed struct {
	memory            *memory
	perEvent, slowest float64 // µs, ms
}

// foldTimed folds events in the learner's batches, without strokes.
func foldTimed(b *testing.B, m *memory, events []Event) timed {
	b.Helper()
	fold, begin := foldedOf(m), time.Now()
	t := timed{memory: m}
	for from := 0; from < len(events); from += batch {
		start, d := time.Now(), t.memory.draft(fold)
		for _, e := range events[from:min(from+batch, len(events))] {
			d.apply(e)
		}
		if len(d.skipped) > 0 {
			b.Fatal(d.skipped[0])
		}
		t.memory = d.done()
		t.slowest = max(t.slowest, float64(time.Since(start).Microseconds())/1000)
	}
	t.perEvent = float64(time.Since(begin).Microseconds()) / float64(len(events))
	return t
}
