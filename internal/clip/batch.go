package clip

import (
	"context"
	"sync"
	"sync/atomic"
)

// A batcher lets concurrent callers share runs. While one run is under way
// requests gather, and the next run takes them together, up to a limit; a
// request that finds nothing running is run at once. So batches form exactly
// when there is load, and no caller ever waits for company.
type batcher[In, Out any] struct {
	run   func([]In) ([]Out, error)
	queue chan *request[In, Out]
	done  chan struct{} // closed when the last run has ended

	waiting atomic.Int64 // requests without their reply whose callers still wait

	mu     sync.RWMutex // held for reading while a request is put into the queue
	closed bool
}

type request[In, Out any] struct {
	ctx   context.Context
	in    In
	reply chan reply[Out] // has room for the one reply, so that nobody waits for a caller that left
}

type reply[Out any] struct {
	out Out
	err error
}

// newBatcher starts a goroutine that lives until close.
func newBatcher[In, Out any](limit int, run func([]In) ([]Out, error)) *batcher[In, Out] {
	b := &batcher[In, Out]{
		run:   run,
		queue: make(chan *request[In, Out], limit),
		done:  make(chan struct{}),
	}
	go b.serve(limit)
	return b
}

// do runs in, together with whatever else is waiting.
func (b *batcher[In, Out]) do(ctx context.Context, in In) (Out, error) {
	outs, err := b.all(ctx, []In{in})
	if err != nil {
		var none Out
		return none, err
	}
	return outs[0], nil
}

// all runs every one of ins, in as few runs as there is room for.
func (b *batcher[In, Out]) all(ctx context.Context, ins []In) ([]Out, error) {
	b.waiting.Add(int64(len(ins)))
	defer b.waiting.Add(int64(-len(ins)))
	waiting := make([]*request[In, Out], len(ins))
	for i, in := range ins {
		waiting[i] = &request[In, Out]{ctx: ctx, in: in, reply: make(chan reply[Out], 1)}
		if err := b.enqueue(waiting[i]); err != nil {
			return nil, err
		}
	}
	outs := make([]Out, len(ins))
	for i, r := range waiting {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case got := <-r.reply:
			if got.err != nil {
				return nil, got.err
			}
			outs[i] = got.out
		}
	}
	return outs, nil
}

func (b *batcher[In, Out]) enqueue(r *request[In, Out]) error {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.closed {
		return ErrClosed
	}
	select {
	case b.queue <- r:
		return nil
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
}

// close refuses new requests, serves those that wait, and returns when the
// last has its reply. It may be called more than once.
func (b *batcher[In, Out]) close() {
	b.mu.Lock()
	if !b.closed {
		b.closed = true
		close(b.queue)
	}
	b.mu.Unlock()
	<-b.done
}

func (b *batcher[In, Out]) serve(limit int) {
	defer close(b.done)
	for first := range b.queue {
		batch := b.gather(first, limit)
		if len(batch) == 0 {
			continue
		}
		ins := make([]In, len(batch))
		for i, r := range batch {
			ins[i] = r.in
		}
		outs, err := b.run(ins)
		for i, r := range batch {
			if err != nil {
				r.reply <- reply[Out]{err: err}
				continue
			}
			r.reply <- reply[Out]{out: outs[i]}
		}
	}
}

// gather takes what waits behind first, without waiting itself, and leaves out
// those whose callers have gone.
func (b *batcher[In, Out]) gather(first *request[In, Out], limit int) []*request[In, Out] {
	batch := make([]*request[In, Out], 0, limit)
	next, ok := first, true
	for ok && len(batch) < limit {
		if next.ctx.Err() == nil {
			batch = append(batch, next)
		}
		if len(batch) == limit {
			break
		}
		select {
		case next, ok = <-b.queue:
		default:
			ok = false
		}
	}
	return batch
}
