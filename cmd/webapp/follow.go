package main

import (
	"context"
	"fmt"
	"time"

	"fieldmark/internal/identify"
	"fieldmark/internal/words"
)

// followEvery is how often a server's progress is looked at.
const followEvery = 500 * time.Millisecond

// follow says how a server's work goes until done, which is told how many photos
// are left. An interrupt ends that, not the work.
func (j *modelJob) follow(ctx context.Context, done func(c identify.EncoderChoice, left int) (bool, error)) error {
	fmt.Fprintln(j.stderr, "A server has this data folder: it does the work, and goes on if you interrupt this.")
	say, begun, start := j.progress(), -1, time.Now()
	for {
		choice, err := j.store.EncoderChoice(ctx)
		if err == nil {
			var n identify.EmbeddingCounts
			if n, err = j.store.EmbeddingCounts(ctx, j.digest); err == nil {
				if begun < 0 {
					begun = n.Embedded
				}
				w := identify.EncoderWork{Model: j.config.Model, Done: n.Embedded, Failed: n.Failed, Total: n.Photos,
					Rate: float64(n.Embedded-begun) / time.Since(start).Seconds(), Paused: choice.Paused, Problem: choice.Problem}
				say(w)
				var is bool
				if is, err = done(choice, n.Photos-n.Embedded-n.Failed); is && err == nil {
					return j.tellLost(ctx)
				}
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(followEvery):
		}
	}
}

// progress returns a function that says how far the work is, when that changes
// and at most once a second.
func (j *modelJob) progress() func(identify.EncoderWork) {
	var last string
	var at time.Time
	return func(w identify.EncoderWork) {
		line := fmt.Sprintf("%s: %d of %s", w.Model, w.Done, words.English("%d photos", w.Total))
		if w.Failed > 0 {
			line += fmt.Sprintf(", %d cannot be read", w.Failed)
		}
		switch {
		case w.Paused:
			line += ", paused"
		case w.Done+w.Failed == w.Total:
			line += ", all done"
		case time.Since(at) < time.Second:
			return
		case w.Rate > 0:
			line += fmt.Sprintf(", %.1f a second", w.Rate)
			if w.Left > 0 {
				line += fmt.Sprintf(", about %v left", w.Left.Round(time.Second))
			}
		}
		if line != last {
			last, at = line, time.Now()
			fmt.Fprintln(j.stderr, line)
		}
	}
}
