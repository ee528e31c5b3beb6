package store

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"fieldmark/internal/identify"
)

// What it costs to give fifty thousand lessons of one import another name, to take them
// out of the memory and to bring them back, to take the import back, and what corrections
// by others wait meanwhile: the goal is 300 ms for 95 of 100.
func BenchmarkManyLessonsAtOnce(b *testing.B) {
	s := large(b, 166_000) // of which three of ten came with imports: fifty thousand
	s.must(b, `UPDATE observations SET import_id = 1, import_row = import_row + (import_id - 1) * 17000 WHERE import_id IN (2, 3)`)
	s.must(b, `UPDATE identifications SET import_id = 1 WHERE import_id IN (2, 3)`)
	s.must(b, `UPDATE imports SET done = 51000 WHERE id = 1`)
	s.must(b, `UPDATE identifications SET taxon_id = 1099 WHERE import_id = 1`)
	of := identify.Source{Import: 1}
	rest := func(ctx context.Context, q identify.Quarantine, err error) error {
		for err == nil && q.UnderWay != identify.NoStep {
			q, _, err = s.GoOnQuarantine(ctx, q.ID, noon)
		}
		return err
	}
	for _, c := range []struct {
		name string
		do   func(ctx context.Context) error
	}{
		{"merge names", func(ctx context.Context) error {
			y, _, _, err := s.MergeTaxa(ctx, 1099, 1098, 1, noon)
			for err == nil && y.UnderWay != identify.NothingUnderWay {
				y, _, _, err = s.GoOnSynonymy(ctx, y.ID)
			}
			return err
		}},
		{"quarantine", func(ctx context.Context) error {
			q, _, err := s.BeginQuarantine(ctx, of, "", 1, noon)
			return rest(ctx, q, err)
		}},
		{"release", func(ctx context.Context) error {
			q, _, err := s.EndQuarantine(ctx, of, identify.Restored, 1, noon)
			return rest(ctx, q, err)
		}},
		{"quarantine in one go", func(ctx context.Context) error {
			return s.update(ctx, func(tx *sql.Tx) error {
				_, _, err := beginQuarantine(ctx, tx, of, "", 1, math.MaxInt, noon)
				return err
			})
		}},
		{"withdraw import", func(ctx context.Context) error {
			for {
				m, _, err := s.WithdrawImported(ctx, 1, 1, 500, noon)
				if err != nil || !m.HalfWithdrawn() {
					return err
				}
			}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			if b.N > 1 {
				b.Skip("what is done is done: run it with -benchtime 1x")
			}
			waits := meanwhile(b, s, func() {
				if err := c.do(b.Context()); err != nil {
					b.Error(err)
				}
			})
			b.ReportMetric(b.Elapsed().Seconds()*1000, "ms/50000")
			b.ReportMetric(float64(waits[len(waits)*95/100].Microseconds())/1000, "ms/correction-p95")
			b.ReportMetric(float64(waits[len(waits)-1].Microseconds())/1000, "ms/correction-max")
		})
	}
}

// meanwhile does something, while somebody corrects photos, one after another with
// pauses of 20 ms, and returns how long the corrections took, the longest last.
func meanwhile(b *testing.B, s *Store, do func()) []time.Duration {
	var waits []time.Duration
	var corrections sync.WaitGroup
	stop := make(chan struct{})
	corrections.Go(func() {
		for i := 0; ; i++ {
			begin := time.Now()
			_, _, err := s.Teach(b.Context(), identify.NewIdentification{Observation: identify.ObservationID(10 + 10*(i/2%1000)), Taxon: identify.TaxonID(100 + i), User: 3, At: noon})
			if err != nil && identify.KindOf(err) == "" {
				b.Error(err)
				return
			}
			waits = append(waits, time.Since(begin))
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
	do()
	close(stop)
	corrections.Wait()
	slices.Sort(waits)
	return waits
}
