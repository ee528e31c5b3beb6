package clip

import (
	"sync/atomic"
	"testing"
	"time"
)

// What was run is told by its size, whether or not it went well.
func TestRunsAreTold(t *testing.T) {
	var photos, runs atomic.Int64
	ran := timed(func(n int, took time.Duration) {
		if took < 0 {
			t.Errorf("it took %v", took)
		}
		photos.Add(int64(n))
		runs.Add(1)
	}, func(in [][]float32) ([][]float32, error) { return in, nil })
	for _, n := range []int{1, 8, 3} {
		if out, err := ran(make([][]float32, n)); err != nil || len(out) != n {
			t.Fatal(out, err)
		}
	}
	if photos.Load() != 12 || runs.Load() != 3 {
		t.Errorf("%d photos in %d runs", photos.Load(), runs.Load())
	}
	if out, err := timed(nil, ran)(make([][]float32, 2)); err != nil || len(out) != 2 {
		t.Error("nobody wants to be told, and it fails", err)
	}
}

// A batcher knows how many wait, and nobody when all have their answers.
func TestWaitingIsCounted(t *testing.T) {
	begun, proceed := make(chan struct{}), make(chan struct{})
	b := newBatcher(2, func(in []int) ([]int, error) {
		begun <- struct{}{}
		<-proceed
		return in, nil
	})
	done := make(chan error)
	for i := range 3 {
		go func() {
			_, err := b.do(t.Context(), i)
			done <- err
		}()
	}
	<-begun
	for b.waiting.Load() != 3 { // the other two are on their way
		time.Sleep(time.Millisecond)
	}
	go func() {
		for range begun {
		}
	}()
	close(proceed)
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	b.close()
	close(begun)
	if n := b.waiting.Load(); n != 0 {
		t.Errorf("%d still wait", n)
	}
}
