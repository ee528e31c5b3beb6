package clip

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// aRun is what happened in one run, in time since the start.
type aRun struct {
	from, to time.Duration
	requests []int
}

// simulate sends a request at each of the arrivals to a batcher whose runs take
// what cost says of their size, in synctest's time, and returns the runs.
func simulate(t *testing.T, limit int, cost func(n int) time.Duration, arrivals []time.Duration) (runs []aRun) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		b := newBatcher(limit, func(in []int) ([]int, error) {
			r := aRun{from: time.Since(start), requests: slices.Clone(in)}
			time.Sleep(cost(len(in)))
			r.to = time.Since(start)
			runs = append(runs, r) // one run at a time
			return in, nil
		})
		var wg sync.WaitGroup
		for i, at := range arrivals {
			wg.Go(func() {
				time.Sleep(at)
				if got, err := b.do(context.Background(), i); got != i || err != nil {
					t.Errorf("request %d: %d, %v", i, got, err)
				}
			})
		}
		wg.Wait()
		b.close()
	})
	return runs
}

// TestBatchesFormWithoutWaiting, in virtual time: a request waits for the run
// that is under way and for those before it in the queue, never for company. So
// forming batches costs nothing at all, which is within the 5 ms that were
// allowed for it, and requests that come within 5 ms of one another share a run
// unless the first of them found nothing running.
func TestBatchesFormWithoutWaiting(t *testing.T) {
	const limit = 4
	cost := func(n int) time.Duration { return time.Duration(5+3*n) * time.Millisecond }
	random := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		arrivals := make([]time.Duration, 60)
		var at time.Duration
		for i := range arrivals {
			at += time.Duration(random.ExpFloat64() * float64(4*time.Millisecond))
			arrivals[i] = at
		}
		runs := simulate(t, limit, cost, arrivals)
		served := 0
		var idle time.Duration // since when nothing ran
		for _, r := range runs {
			waiting := 0 // requests that had come when the run began
			for _, at := range arrivals[served:] {
				if at <= r.from {
					waiting++
				}
			}
			if want := max(arrivals[served], idle); r.from != want {
				t.Fatalf("a run began at %v; the first of its requests could have run at %v", r.from, want)
			}
			// Those that come at the very moment may be in it or not.
			before := 0
			for _, at := range arrivals[served:] {
				if at < r.from {
					before++
				}
			}
			if n := len(r.requests); n > limit || n < min(before, limit) || n > max(waiting, 1) {
				t.Fatalf("a run took %d of %d requests that waited", n, waiting)
			}
			served, idle = served+len(r.requests), r.to
		}
		if served != len(arrivals) {
			t.Fatalf("%d of %d requests were served", served, len(arrivals))
		}
	}
}

// TestABurstIsTwoRuns: of eight requests within 5 ms the first runs at once,
// and the others together, when it is done.
func TestABurstIsTwoRuns(t *testing.T) {
	arrivals := make([]time.Duration, 8)
	for i := range arrivals {
		arrivals[i] = time.Duration(i) * 5 * time.Millisecond / 8
	}
	runs := simulate(t, maxBatch, func(int) time.Duration { return 8 * time.Millisecond }, arrivals)
	if len(runs) != 2 || len(runs[0].requests) != 1 || runs[0].from != 0 || len(runs[1].requests) != 7 || runs[1].from != 8*time.Millisecond {
		t.Errorf("runs %+v", runs)
	}
}
