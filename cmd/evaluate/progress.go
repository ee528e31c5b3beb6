package main

import (
	"fmt"
	"io"
	"time"

	"fieldmark/internal/protocol"
)

// progressEvery is how often, at most, a line about progress is written.
const progressEvery = 2 * time.Second

// progressLine writes how far a run is.
type progressLine struct {
	out  io.Writer
	last time.Time
}

// show writes a line unless the last is too recent.
func (l *progressLine) show(p protocol.Progress) error {
	now := time.Now()
	if now.Sub(l.last) < progressEvery {
		return nil
	}
	l.last = now
	_, err := fmt.Fprintf(l.out, "%3.0f %%  %d of %d  %s, %s: %s  (%s left)\n",
		100*p.Share, p.Done, p.Cells, p.Cell.Protocol, p.Cell.System, p.Stage, duration(p.Left))
	return err
}
