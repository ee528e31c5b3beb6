package identify_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/identify/identifytest"
)

// BenchmarkExportBundle writes bundles of exemplars without photos, and reports
// what that takes of the heap at most, over what was taken before, and how much is
// written in a second of the processor's time: on a machine that does other work
// MB/s says little.
func BenchmarkExportBundle(b *testing.B) {
	const exemplars, dim = 100_000, 512
	ctx := context.Background()
	w, err := identifytest.New(ctx, b.TempDir(), identifytest.NewExemplars(1, dim, 100, exemplars))
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	if err := w.Fill(ctx, exemplars); err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	idle := heap()
	var peak atomic.Uint64
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
				peak.Store(max(peak.Load(), heap()))
			}
		}
	}()
	var bytes tallied
	busy := processor(b)
	for b.Loop() {
		bytes = 0
		o, err := identify.PlanBundle(ctx, w.Store, w.Config.Photos, w.Config.Embedder.Info(), identify.BundleRequest{}, time.Now())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := o.Write(ctx, &bytes); err != nil {
			b.Fatal(err)
		}
	}
	busy = processor(b) - busy
	close(done)
	b.SetBytes(int64(bytes))
	b.ReportMetric(float64(max(peak.Load(), idle)-idle)/1e6, "MB-peak")
	b.ReportMetric(float64(bytes)/1e6*float64(b.N)/busy.Seconds(), "MB/processor-s")
	b.ReportMetric(float64(exemplars)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// processor is how much of the processors' time this process has had.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// heap is how many bytes the heap takes of the machine, garbage included.
func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// tallied counts what is written.
type tallied int64

func (c *tallied) Write(p []byte) (int, error) { *c += tallied(len(p)); return len(p), nil }
