package identify_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/identify/identifytest"
)

// BenchmarkExportBundle writes bundles of exemplars without photos, and reports
// what that takes of the heap, and of the machine's memory where it says so, at most,
// over what was taken before, and how much is
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
	debug.FreeOSMemory() // what filling took
	idle, idleResident := heap(), resident()
	var peak, peakResident atomic.Uint64
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(5 * time.Millisecond):
				peak.Store(max(peak.Load(), heap()))
				peakResident.Store(max(peakResident.Load(), resident()))
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
	b.ReportMetric(float64(max(peakResident.Load(), idleResident)-idleResident)/1e6, "MB-resident")
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

// resident is how many bytes of the machine's memory the process has, SQLite's caches
// included; 0 where only another system than Linux could say.
func resident() uint64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages uint64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		return 0
	}
	return pages * uint64(os.Getpagesize())
}

// tallied counts what is written.
type tallied int64

func (c *tallied) Write(p []byte) (int, error) { *c += tallied(len(p)); return len(p), nil }
