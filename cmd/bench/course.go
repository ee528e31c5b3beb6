package main

import (
	"errors"
	"time"

	"fieldmark/internal/protocol"
)

// lap is what a system did at one stage of the paper's run.
type lap struct {
	Stage, Exemplars, Asked int
	// Taught and Answered are what teaching and answering took.
	Taught, Answered spent
	// Top-1 on target and zero-shot tasks.
	Target, ZeroShot float64
}

// course is all laps of one system. One that was stopped lacks the last ones.
type course struct {
	Laps []lap
	// Stopped is what the lap that was broken off had taken by then; Missing is why
	// there is nothing, or no more.
	Stopped *spent
	Missing string
}

// taught is what all teaching took.
func (c course) taught() spent {
	var t spent
	for _, l := range c.Laps {
		t = t.plus(l.Taught)
	}
	if c.Stopped != nil {
		t = t.plus(*c.Stopped)
	}
	return t
}

// answered is what all answers took.
func (c course) answered() (t spent, asked int) {
	for _, l := range c.Laps {
		t, asked = t.plus(l.Answered), asked+l.Asked
	}
	return t, asked
}

// whole is both.
func (c course) whole() spent {
	answered, _ := c.answered()
	return c.taught().plus(answered)
}

// lapOf reads one stage of a run.
func lapOf(r protocol.Row) lap {
	of := func(clock, processors float64) spent {
		return spent{time.Duration(clock * float64(time.Second)), time.Duration(processors * float64(time.Second))}
	}
	l := lap{Stage: r.Stage, Exemplars: r.Exemplars, Asked: r.Cost.Answers,
		Taught: of(r.Cost.Place+r.Cost.Train, r.Cost.TaughtProcessors), Answered: of(r.Cost.Answer, r.Cost.AskedProcessors)}
	p := protocol.Summarise([]protocol.Row{r})[0]
	l.Target = p.Target.Mean
	if p.ZeroShot != nil {
		l.ZeroShot = p.ZeroShot.Mean
	}
	return l
}

// courseOf reads what a peer said before it ended, with err if it did not end well.
func courseOf(said []found, err error) course {
	var c course
	var begun spent
	for _, f := range said {
		switch f.What {
		case "stage begins":
			begun = f.spent()
			c.Laps = append(c.Laps, lap{Stage: f.N})
		case "taught":
			c.Laps[len(c.Laps)-1].Taught = f.spent()
		case "answered":
			l := &c.Laps[len(c.Laps)-1]
			l.Answered, l.Asked, l.Target, l.ZeroShot = f.spent(), f.Asked, f.Target, f.ZeroShot
		}
	}
	if err == nil {
		return c
	}
	c.Missing = missing(err)
	var slow errSlow
	if n := len(c.Laps); n > 0 && errors.As(err, &slow) {
		c.Stopped = &spent{slow.clock - begun.clock, slow.processors - begun.processors}
		c.Laps = c.Laps[:n-1]
	}
	return c
}
