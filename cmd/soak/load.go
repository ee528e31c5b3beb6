package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"time"
)

// loading is a run of the load.
type loading struct {
	common
	people   int
	minutes  float64       // that people come for at their own pace
	think    time.Duration // a person acts every so often, in the mean
	taught   int           // lessons that are there when it begins
	fastest  int           // actions of the measurement of memory
	flood    time.Duration // that more than it can bear lasts
	observed *observedRun
}

func runLoad(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	l := loading{observed: &observedRun{}}
	fs := flag.NewFlagSet("soak load", flag.ContinueOnError)
	fs.SetOutput(stderr)
	l.register(fs)
	fs.IntVar(&l.people, "people", 100, "`number` of people")
	fs.Float64Var(&l.minutes, "minutes", 2, "`minutes` that they come for at their own pace; other phases take three more")
	fs.DurationVar(&l.think, "think", 10*time.Second, "how `long` a person takes from one action to the next, in the mean")
	fs.IntVar(&l.taught, "taught", 200, "`lessons` that are there when it begins")
	fs.IntVar(&l.fastest, "events", 3000, "`actions` one after the other, by which memory is measured; 36000 are an hour of 100 people")
	fs.DurationVar(&l.flood, "flood", 15*time.Second, "how `long` three times as many people as fast as they can")
	if err := fs.Parse(args); err != nil {
		return err
	}
	return l.inScratch(func(folder string) error {
		if err := l.run(ctx, folder, stderr); err != nil {
			return err
		}
		text, missed := loadSection(l)
		fmt.Fprint(stdout, text)
		return errors.Join(writeSection(l.out, "load", text), missed)
	})
}

// run serves, and lets people come in four phases.
func (l *loading) run(ctx context.Context, folder string, log io.Writer) error {
	photos, err := drawn(40, l.seed)
	if err != nil {
		return err
	}
	data := filepath.Join(folder, "data")
	tokens, err := admit(ctx, data, 3*l.people)
	if err != nil {
		return err
	}
	s, err := startServer(l.webapp, data, "--sign-in", "--trust-proxy")
	if err != nil {
		return err
	}
	c := newCrowd(s, tokens, photos, l.seed, 3*l.people)
	if err := c.teach(ctx, l.taught); err != nil {
		return errors.Join(err, s.kill())
	}
	meter := watch(s)
	o := l.observed
	for _, phase := range []struct {
		name string
		into *phase
		run  func(*phase)
	}{
		{"a short while to warm up", &o.warm, func(p *phase) { c.atOwnPace(ctx, p, l.people, l.think, 10*time.Second) }},
		{"people at their own pace", &o.paced, func(p *phase) {
			c.atOwnPace(ctx, p, l.people, l.think, time.Duration(l.minutes*float64(time.Minute)))
		}},
		{"three times as many", &o.triple, func(p *phase) { c.atOwnPace(ctx, p, 3*l.people, l.think, 30*time.Second) }},
		{"one action after the other", &o.fast, func(p *phase) { o.unmeasured = l.restingNowAndThen(ctx, s, c, p) }},
		{"three times as many, who do not wait", &o.flood, func(p *phase) { c.flood(ctx, p, 3*l.people, l.flood) }},
	} {
		fmt.Fprintln(log, phase.name)
		meter.during(phase.into, phase.run)
		if !s.alive() {
			return fmt.Errorf("the webapp ended during: %s", phase.name)
		}
	}
	if o.unmeasured != nil {
		return errors.Join(o.unmeasured, s.kill())
	}
	o.recovery, o.recovered = c.recovery(ctx, 20*time.Second)
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), s.kill())
	}
	meter.end()
	if err := s.stop(); err != nil {
		return err
	}
	o.verified, err = command(ctx, l.webapp, "verify", "--data", data)
	return err
}

const (
	// rests is how often the memory that is in use is measured.
	rests = 20
	// longestFast bounds the measurement of memory.
	longestFast = 75 * time.Second
)

// restingNowAndThen lets four people act one after the other, and measures now and then,
// while they rest, what memory is in use.
func (l *loading) restingNowAndThen(ctx context.Context, s *server, c *crowd, p *phase) error {
	end := time.Now().Add(longestFast)
	for round := range rests {
		c.oneAfterTheOther(ctx, p, 4, uint64(round), l.fastest/rests, time.Until(end)/time.Duration(rests-round))
		bytes, err := s.inUse(ctx)
		if err != nil {
			return err
		}
		done, _, _ := p.actions()
		p.held = append(p.held, held{done, bytes})
	}
	return nil
}
