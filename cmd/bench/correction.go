package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fieldmark/internal/identify/identifytest"
)

// correction measures corrections of a full leaf through the service, for each
// number of labels.
func (b *bench) correction(ctx context.Context) (section, error) {
	s := section{notes: []string{
		"From the call to the answer of the new version: the photo is read as before, the event is made durable (SQLite, synced), the memory learns and is published, the photo is read again. " +
			"The corrections come one on the other's heels, and the background consolidates meanwhile. Of this, *learned* is from the durable event to the publication. scikit-learn refits the same leaf, full."}}
	for _, k := range b.labels {
		rows, err := b.correctionsOf(ctx, k)
		if err != nil {
			return s, err
		}
		s.rows = append(s.rows, rows...)
	}
	return s, nil
}

func (b *bench) correctionsOf(ctx context.Context, k int) (_ []row, err error) {
	figures := b.refitOf(ctx, leafSize{b.leaf, k}, nil).figures() // before the memory takes its place
	n := b.exemplars
	if k != b.labels[0] {
		n = min(n, b.leaf-b.leaf/room) // a full leaf alone: what else there is does not matter to it
	}
	w, err := b.workshop(ctx, n, k)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if err := w.Open(ctx); err != nil {
		return nil, err
	}
	b.tell("consolidating, K = %d", k)
	if _, err := b.settle(ctx, w); err != nil {
		return nil, err
	}
	b.tell("correcting, K = %d", k)
	whole, learned, err := correct(ctx, w, b.lessons)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("N = %s, ψ = %s, K = %s", count(n), count(b.leaf), count(k))
	most := 25e-3
	if k >= 1000 {
		most = 40e-3
	}
	return []row{
		{what: "correction → new version answers, the median, " + name, unit: duration, ours: whole.quantile(.5), peers: figures,
			bounds: []bound{{1000, scikit + " cold"}, {200, scikit + " warm"}}},
		{what: "correction → new version answers, p95, " + name, unit: duration, ours: whole.quantile(.95), bounds: []bound{{value: most}}},
		{what: "of that, learned, the median, " + name, unit: duration, ours: learned.quantile(.5)},
		{what: "of that, learned, p95, " + name, unit: duration, ours: learned.quantile(.95)},
	}, nil
}

// correct teaches the next n exemplars, one by one, as corrections.
func correct(ctx context.Context, w *identifytest.Workshop, n int) (whole, learned times, err error) {
	next, err := seen(ctx, w)
	if err != nil {
		return nil, nil, err
	}
	for i := next; i < next+n; i++ {
		o, err := w.See(ctx, i)
		if err != nil {
			return nil, nil, err
		}
		start := time.Now()
		c, err := w.Correct(ctx, o.ID, i)
		if err != nil {
			return nil, nil, err
		}
		whole, learned = append(whole, time.Since(start)), append(learned, c.Learned)
	}
	return whole, learned, nil
}
