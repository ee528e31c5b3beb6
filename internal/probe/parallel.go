package probe

import (
	"sync"
	"sync/atomic"
)

// parallel calls f once for every item 0 ≤ item < n, on as many as workers
// goroutines, and returns when all are done. worker tells f which scratch space
// is its own.
func parallel(workers, n int, f func(worker, item int)) {
	workers = min(workers, n)
	if workers <= 1 {
		for item := range n {
			f(0, item)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			for item := int(next.Add(1)) - 1; item < n; item = int(next.Add(1)) - 1 {
				f(worker, item)
			}
		})
	}
	wg.Wait()
}
