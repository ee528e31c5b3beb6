package main

import (
	"fmt"
	"io"
	"time"
)

// meter tells how far a long work has come, at most once a second.
type meter struct {
	out         io.Writer
	now         func() time.Time
	what        string
	begun, told time.Time
	before      int // done when it began
}

// tell is told that done of total are; total is 0 where it is not known.
func (m *meter) tell(what string, done, total int) {
	now := m.now()
	if what != m.what {
		m.what, m.begun, m.told, m.before = what, now, time.Time{}, done
	}
	if done != total && now.Sub(m.told) < time.Second {
		return
	}
	m.told = now
	if total == 0 {
		fmt.Fprintf(m.out, "%s: %d\n", what, done)
		return
	}
	line := fmt.Sprintf("%s: %d of %d", what, done, total)
	if fresh := done - m.before; fresh > 0 && done < total {
		left := now.Sub(m.begun) * time.Duration(total-done) / time.Duration(fresh)
		line += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	fmt.Fprintln(m.out, line)
}
