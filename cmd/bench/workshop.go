package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"fieldmark/internal/identify/identifytest"
	"fieldmark/internal/nearest"
)

// room is how many exemplars a leaf that counts as full can still take: one that is
// quite full would be split by the first correction.
const room = 25 // one in so many

// workshop is a data folder of n exemplars with k labels, with no service over it
// yet. The last of them fill a leaf. Close it.
func (b *bench) workshop(ctx context.Context, n, k int) (*identifytest.Workshop, error) {
	dir, filled := filepath.Join(b.scratch, fmt.Sprintf("%d-%d", n, k)), false
	if b.keep != "" {
		dir = filepath.Join(b.keep, filepath.Base(dir))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	elsewhere := max(0, n-(b.leaf-b.leaf/room))
	w, err := identifytest.New(ctx, dir, identifytest.NewExemplars(b.seed, b.dim, k, elsewhere))
	if err != nil {
		return nil, err
	}
	counts, err := w.Store.Counts(ctx)
	if filled = counts.Observations >= n; err == nil && !filled {
		b.tell("filling a data folder with %d exemplars, K = %d", n, k)
		err = w.Fill(ctx, n)
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	b.configure(w)
	return w, nil
}

// configure sets a workshop up as cmd/webapp does.
func (b *bench) configure(w *identifytest.Workshop) {
	w.Config.Workers = b.workers
	w.Config.Psi = b.leaf
	w.Config.Memory.Format = nearest.Half
	w.Config.Log = slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

const (
	look    = 500 * time.Millisecond // between two looks at what the background does
	rested  = 4                      // looks in a row at which the process rested: it may only not have had its turn
	patient = 40                     // looks at a background that rests with work left
)

// settle waits until the background has nothing left to do: nothing is pending and
// the process rests, so that the index is complete and the snapshot written.
func (b *bench) settle(ctx context.Context, w *identifytest.Workshop) (time.Duration, error) {
	start, resting := time.Now(), 0
	for {
		used := processorTime()
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(look):
		}
		rests := processorTime()-used < look/25 // before we ask, which is work too: a million rows are counted
		stats, err := w.Stats(ctx)
		if err != nil {
			return 0, err
		}
		if !rests {
			resting = 0
		} else if resting++; stats.Pending == 0 && resting >= rested {
			return time.Since(start), nil
		}
		if resting > patient {
			return 0, fmt.Errorf("the background rests with %d events pending", stats.Pending)
		}
	}
}

// consolidated waits until nothing is pending.
func consolidated(ctx context.Context, w *identifytest.Workshop) error {
	for {
		stats, err := w.Stats(ctx)
		if err != nil || stats.Pending == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look / 10):
		}
	}
}

// seen is the number of observations, which is the exemplar that comes next.
func seen(ctx context.Context, w *identifytest.Workshop) (int, error) {
	c, err := w.Store.Counts(ctx)
	return c.Observations, err
}
