package photo

import (
	"runtime"
	"sync"
)

// bands calls work for stretches [y0, y1) that cover [0, h), on as many
// goroutines as there are processors, and returns when all are done. Every
// stretch but the last has a multiple of unit rows. It panics if work does, in
// the goroutine of the caller, who may recover.
func bands(h, unit int, work func(y0, y1 int)) {
	n := min(runtime.GOMAXPROCS(0), (h+unit-1)/unit)
	if n <= 1 {
		work(0, h)
		return
	}
	step := ((h+n-1)/n + unit - 1) / unit * unit
	var wg sync.WaitGroup
	panics := make(chan any, n)
	for y := 0; y < h; y += step {
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					panics <- p
				}
			}()
			work(y, min(y+step, h))
		})
	}
	wg.Wait()
	select {
	case p := <-panics:
		panic(p)
	default:
	}
}
