package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/identify/identifytest"
)

// serving measures answers, memory and starts of a memory with the first number
// of labels.
func (b *bench) serving(ctx context.Context) (s section, err error) {
	w, err := b.workshop(ctx, b.exemplars, b.labels[0])
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	name := fmt.Sprintf(", N = %s, K = %s", count(b.exemplars), count(b.labels[0]))
	before := live()
	if err := w.Open(ctx); err != nil {
		return s, err
	}
	b.tell("consolidating")
	if _, err := b.settle(ctx, w); err != nil {
		return s, err
	}
	s.rows = append(s.rows, row{what: "memory per exemplar, all in" + name, unit: size, bounds: []bound{{value: 2048}},
		ours: (live() - before) / float64(b.exemplars)})
	b.tell("answering")
	t, used, err := b.answers(ctx, w)
	if err != nil {
		return s, err
	}
	s.rows = append(s.rows,
		row{what: "everything of an answer but the encoder, p99" + name, unit: duration, ours: t.quantile(.99), bounds: []bound{{value: 15e-3}}},
		row{what: "everything of an answer but the encoder, the median" + name, unit: duration, ours: t.quantile(.5)},
		row{what: "the same, seconds of processors, the mean" + name, unit: duration, ours: took(used)})
	starts, err := b.starts(ctx, w, name)
	s.rows = append(s.rows, starts...)
	s.notes = []string{"Memory is what lives on the heap after a collection, less what lived before the service was opened. " +
		"An answer reads the observation and its embedding from the database first, which a fresh photo needs not. " +
		fmt.Sprintf("The most memory that the process had was %.1f GiB, with all that was measured before.", residentPeak()/(1<<30))}
	return s, err
}

// live is the bytes that live on the heap.
func live() float64 {
	runtime.GC()
	runtime.GC() // what finalizers held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// answers times questions about observations that were never taught, of both
// regions in turn, and says what one took of all processors.
func (b *bench) answers(ctx context.Context, w *identifytest.Workshop) (t times, used time.Duration, err error) {
	next, err := seen(ctx, w)
	if err != nil {
		return nil, 0, err
	}
	there := w.Exemplars
	defer func() { w.Exemplars = there }()
	here := identifytest.NewExemplars(b.seed, b.dim, there.Labels, math.MaxInt)
	for i := range b.queries {
		if w.Exemplars = there; i%2 == 0 {
			w.Exemplars = here
		}
		o, err := w.See(ctx, next+i)
		if err != nil {
			return nil, 0, err
		}
		began := processorTime()
		err = t.add(func() error {
			_, err := w.Predict(ctx, o.ID, identify.Question{})
			return err
		})
		if err != nil {
			return nil, 0, err
		}
		used += processorTime() - began
	}
	return t, used / time.Duration(b.queries), nil
}

// starts closes the service and times starts from its snapshot and from the log,
// and leaves none open.
func (b *bench) starts(ctx context.Context, w *identifytest.Workshop, name string) ([]row, error) {
	var rows []row
	for _, from := range []string{"its snapshot", "the log"} {
		if w.Service != nil {
			if err := w.Service.Close(); err != nil {
				return rows, err
			}
			w.Service = nil
			runtime.GC()
		}
		r := row{what: "start from " + from + name, unit: duration}
		if from == "the log" {
			w.Config.Memory.Snapshots = nil
		} else {
			r.bounds = []bound{{value: 10}}
		}
		b.tell("starting from %s", from)
		start := time.Now()
		if err := w.Open(ctx); err != nil {
			return rows, err
		}
		r.ours = took(time.Since(start))
		if err := w.Ready(); err != nil {
			return rows, err
		}
		rows = append(rows, r)
	}
	if err := w.Service.Close(); err != nil {
		return rows, err
	}
	w.Service = nil
	return rows, nil
}
