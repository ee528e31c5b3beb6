package identify_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/identify/identifytest"
	"fieldmark/internal/nearest"
)

// The memories that are measured are of 512 elements and of the sizes that
// FIELDMARK_BENCH_SIZES lists, with commas between. Of a large one, the last
// fullLeaf exemplars fill a leaf of ψ = 50,000.
const (
	benchSizes = "1000,10000,100000"
	benchDim   = 512
	fullLeaf   = 48_000
)

// eachSize runs a benchmark for each size.
func eachSize(b *testing.B, run func(b *testing.B, n int)) {
	for _, text := range strings.Split(cmp.Or(os.Getenv("FIELDMARK_BENCH_SIZES"), benchSizes), ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("n="+text, func(b *testing.B) { run(b, n) })
	}
}

// filled is a workshop of n exemplars, its service open, in a folder that is
// FIELDMARK_BENCH_DATA's or a temporary one. What was filled once is used again.
func filled(b *testing.B, n, labels int) *identifytest.Workshop {
	b.Helper()
	dir := b.TempDir()
	if data := os.Getenv("FIELDMARK_BENCH_DATA"); data != "" {
		dir = fmt.Sprintf("%s/%d-%d", data, n, labels)
	}
	ctx := context.Background()
	w, err := identifytest.New(ctx, dir, identifytest.NewExemplars(1, benchDim, labels, max(0, n-fullLeaf)))
	if err != nil {
		b.Fatal(err)
	}
	w.Config.Workers = 2
	w.Config.Log = slog.New(slog.DiscardHandler)
	w.Config.Memory.Format = nearest.Half
	counts, err := w.Store.Counts(ctx)
	if err == nil && counts.Observations < n {
		err = w.Fill(ctx, n)
	}
	if err == nil {
		err = w.Open(ctx)
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	})
	return w
}

// settle waits until nothing is left to be done in the background.
func settle(b *testing.B, w *identifytest.Workshop) {
	b.Helper()
	for ; ; time.Sleep(20 * time.Millisecond) {
		stats, err := w.Stats(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		if stats.Pending == 0 {
			return
		}
	}
}

// One correction in a full leaf: from the call to the answer of the new version,
// which is all that a server does beside encoding the photo; of that, from the
// durable event to the version's publication. The background goes on meanwhile.
func BenchmarkCorrection(b *testing.B) {
	eachSize(b, func(b *testing.B, n int) {
		for _, labels := range []int{100, 1000} {
			b.Run(fmt.Sprintf("K=%d", labels), func(b *testing.B) { correct(b, n, labels) })
		}
	})
}

func correct(b *testing.B, n, labels int) {
	ctx := context.Background()
	w := filled(b, n, labels)
	settle(b, w)
	stats, err := w.Stats(ctx)
	if err != nil {
		b.Fatal(err)
	}
	var whole, learned []time.Duration
	for i := stats.Observations; b.Loop(); i++ {
		b.StopTimer()
		o, err := w.See(ctx, i)
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		start := time.Now()
		c, err := w.Correct(ctx, o.ID, i)
		if err != nil {
			b.Fatal(err)
		}
		whole, learned = append(whole, time.Since(start)), append(learned, c.Learned)
	}
	report(b, "answer", whole)
	report(b, "learned", learned)
}

// An answer about a photo whose embedding is known.
func BenchmarkAnswer(b *testing.B) { eachSize(b, answer) }

func answer(b *testing.B, n int) {
	ctx := context.Background()
	w := filled(b, n, 100)
	settle(b, w)
	o, err := w.See(ctx, n+1)
	if err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for b.Loop() {
		p, err := w.Predict(ctx, o.ID, identify.Question{})
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, p.Timings.Predict)
	}
	report(b, "answer", took)
}

// A start from the snapshot, and for comparison one that folds the log.
func BenchmarkStart(b *testing.B) { eachSize(b, start) }

func start(b *testing.B, n int) {
	ctx := context.Background()
	w := filled(b, n, 100)
	settle(b, w)
	if err := w.Service.Close(); err != nil {
		b.Fatal(err)
	}
	for _, how := range []string{"snapshot", "log"} {
		b.Run(how, func(b *testing.B) {
			for b.Loop() {
				c := w.Config
				if how == "log" {
					c.Memory.Snapshots = nil
				}
				s, err := identify.New(ctx, c)
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}

// report says the median and the 95th and 99th percentile of some times.
func report(b *testing.B, what string, times []time.Duration) {
	slices.SortFunc(times, func(x, y time.Duration) int { return cmp.Compare(x, y) })
	for _, p := range []int{50, 95, 99} {
		at := min(len(times)-1, len(times)*p/100)
		b.ReportMetric(float64(times[at].Microseconds())/1000, fmt.Sprintf("%s-p%d-ms", what, p))
	}
}
