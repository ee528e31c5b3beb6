package clip

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
)

// TestRequestsThatWaitShareARun: while a run is held up, ten more requests
// come; with a limit of 4 they take three runs.
func TestRequestsThatWaitShareARun(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	var sizes []int
	b := newBatcher(4, func(in []int) ([]int, error) {
		sizes = append(sizes, len(in)) // one run at a time
		if len(sizes) == 1 {
			close(started)
			<-release
		}
		out := make([]int, len(in))
		for i, v := range in {
			out[i] = v * v
		}
		return out, nil
	})
	var wg sync.WaitGroup
	ask := func(v int) {
		wg.Go(func() {
			if got, err := b.do(context.Background(), v); err != nil || got != v*v {
				t.Errorf("do(%d) = %d, %v", v, got, err)
			}
		})
	}
	ask(1)
	<-started
	all := make([]int, 10)
	for i := range all {
		all[i] = i
	}
	var got []int
	wg.Go(func() { got, _ = b.all(context.Background(), all) })
	for len(b.queue) < 4 { // as many as one run takes
		runtime.Gosched()
	}
	close(release)
	wg.Wait()
	b.close()
	if want := []int{0, 1, 4, 9, 16, 25, 36, 49, 64, 81}; !slices.Equal(got, want) {
		t.Errorf("all gives %v, want %v", got, want)
	}
	if sizes[0] != 1 {
		t.Errorf("the first request waited for company: %v", sizes)
	}
	if sizes[1] != 4 {
		t.Errorf("the requests that waited were not taken together: %v", sizes)
	}
}

func TestAFailedRunFailsItsRequestsOnly(t *testing.T) {
	broken := errors.New("broken")
	b := newBatcher(4, func(in []int) ([]int, error) {
		if slices.Contains(in, 13) {
			return nil, broken
		}
		return in, nil
	})
	defer b.close()
	if _, err := b.do(t.Context(), 13); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	if got, err := b.do(t.Context(), 7); got != 7 || err != nil {
		t.Errorf("afterwards: %d, %v", got, err)
	}
}

func TestACallerWhoLeavesIsNotServed(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	var served []int
	b := newBatcher(4, func(in []int) ([]int, error) {
		served = append(served, in...)
		if len(served) == 1 {
			close(started)
			<-release
		}
		return in, nil
	})
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := b.do(context.Background(), 1); err != nil {
			t.Error(err)
		}
	})
	<-started
	ctx, cancel := context.WithCancel(context.Background())
	wg.Go(func() {
		if _, err := b.do(ctx, 2); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want that of the context", err)
		}
	})
	for len(b.queue) == 0 {
		runtime.Gosched()
	}
	cancel()
	close(release)
	wg.Wait()
	b.close()
	if !slices.Equal(served, []int{1}) {
		t.Errorf("served %v, want only 1", served)
	}
}

func TestCloseServesWhoWaits(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	b := newBatcher(4, func(in []int) ([]int, error) {
		once.Do(func() { close(started); <-release })
		return in, nil
	})
	var wg sync.WaitGroup
	ask := func(v int) {
		wg.Go(func() {
			if got, err := b.do(context.Background(), v); got != v || err != nil {
				t.Errorf("do(%d) = %d, %v", v, got, err)
			}
		})
	}
	ask(1)
	<-started
	ask(2)
	ask(3)
	for len(b.queue) < 2 {
		runtime.Gosched()
	}
	close(release)
	b.close()
	b.close() // twice does no harm
	wg.Wait()
	if _, err := b.do(context.Background(), 4); !errors.Is(err, ErrClosed) {
		t.Errorf("after close: %v", err)
	}
}
