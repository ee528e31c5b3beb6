package identify

import (
	"context"
	"time"
)

// changer brings what is embedded and which encoder serves in line with the
// choice that is kept in the database. It goes in small steps and looks at the
// choice before each: so a pause, another wish and a stop take effect at once,
// whoever asked for them, and after a kill it goes on where it was.
type changer struct {
	*Service
	stale    int64 // number of the wish that the start went before; -1 if it did not
	revision int64 // of the choice that was looked at last
	look     bool  // there may be something to do
	job      *reembedding
	folded   time.Time     // when the serving memory was folded last
	folding  time.Duration // how long that took
}

const (
	// lookEvery is how often the choice is looked at when there is nothing to do:
	// the command line may have changed it.
	lookEvery = 2 * time.Second
	// refoldEvery is the least time between two folds of a memory whose photos
	// are still being embedded; it also is at least refoldShare times the fold's.
	refoldEvery = 30 * time.Second
	refoldShare = 20
)

func newChanger(ctx context.Context, s *Service) (*changer, error) {
	if err := s.Store.EncoderProblem(ctx, Notice{}); err != nil { // a new start is a new attempt
		return nil, err
	}
	choice, err := s.Store.EncoderChoice(ctx)
	if err != nil {
		return nil, err
	}
	e := s.serving()
	if choice.Serving == e.model && choice.Digest != e.info.Digest { // a newer version of it
		if err := s.Store.ServeEncoder(ctx, e.model, e.info.Digest); err != nil {
			return nil, err
		}
	}
	c := &changer{Service: s, stale: -1, revision: choice.Revision, look: true, folded: time.Now()}
	if s.Pinned {
		c.stale = choice.Wishes
	}
	return c, nil
}

func (c *changer) run(ctx context.Context) {
	for ctx.Err() == nil {
		if c.step(ctx) {
			continue
		}
		select {
		case <-ctx.Done():
		case <-c.wake:
			c.look = true
		case <-time.After(lookEvery):
		}
	}
}

// step does the next little thing; more says that there is another one.
func (c *changer) step(ctx context.Context) (more bool) {
	choice, err := c.Store.EncoderChoice(ctx)
	if err != nil {
		if ctx.Err() == nil {
			c.Log.Error("the choice of encoder cannot be read", "error", err)
		}
		return false
	}
	if choice.Revision != c.revision {
		c.revision, c.look = choice.Revision, true
	}
	model := c.wanted(choice)
	if choice.Wanted == c.serving().model {
		if err := c.Store.ServeEncoder(ctx, model, c.serving().info.Digest); err != nil {
			c.Log.Error("the choice of encoder cannot be kept", "error", err)
		}
	}
	if !c.look || choice.Problem.Format != "" || choice.Paused {
		c.rest(ctx, model, choice)
		return false
	}
	more, err = c.advance(ctx, model)
	if err != nil && ctx.Err() == nil {
		c.Log.Error("the work for an encoder has stopped", "encoder", model, "error", err)
		c.letGo()
		if err := c.Store.EncoderProblem(ctx, NoticeOf(err)); err != nil {
			c.Log.Error("that cannot be noted", "error", err)
			c.look = false
			return false
		}
		return true // to say so
	}
	return more
}

// wanted is the encoder that is to serve.
func (c *changer) wanted(choice EncoderChoice) string {
	if choice.Wanted == "" || choice.Wishes == c.stale {
		return c.serving().model
	}
	return choice.Wanted
}

// rest says how the work stands that is not being done.
func (c *changer) rest(ctx context.Context, model string, choice EncoderChoice) {
	w := EncoderWork{Model: model, Title: model, Phase: Opening}
	toServe := model != c.serving().model
	if c.look && c.job == nil && !toServe {
		job, err := newReembedding(ctx, c.shared, c.serving().encoder)
		if err == nil && job.left() > 0 {
			c.job = job
		}
		c.look = err != nil || c.job != nil
	}
	if c.job != nil && c.job.encoder.model == model {
		w = c.job.progress()
	}
	w.Switch, w.Paused, w.Problem = toServe, choice.Paused, choice.Problem
	if choice.Problem.Format == "" && (!choice.Paused || c.job == nil && !toServe) {
		c.work.Store(nil)
		return
	}
	c.work.Store(&w)
}

// advance brings the encoder that is to serve a step further.
func (c *changer) advance(ctx context.Context, model string) (more bool, err error) {
	if c.job != nil && c.job.encoder.model != model {
		c.letGo()
	}
	ready, err := c.ready(ctx, model)
	if err != nil {
		return false, err
	}
	if ready != nil {
		return true, c.serve(ctx, ready)
	}
	if c.job == nil {
		if err := c.begin(ctx, model); err != nil {
			return false, err
		}
	}
	c.say(Embedding)
	before := c.job.sweep
	more, err = c.job.step(ctx)
	switch {
	case err != nil:
		return false, err
	case model == c.serving().model:
		return more, c.fill(ctx, more, before != others && c.job.sweep == others)
	case more:
		return true, nil
	}
	return true, c.foldAndServe(ctx)
}

// fill lets what was embedded under the encoder that serves come into its
// memory: from time to time, when all that was taught is, and when all is.
func (c *changer) fill(ctx context.Context, more, taught bool) error {
	if more && !taught && time.Since(c.folded) < max(refoldEvery, refoldShare*c.folding) {
		return nil
	}
	if err := c.refold(ctx); err != nil || more {
		return err
	}
	counts, err := c.Store.EmbeddingCounts(ctx, c.serving().info.Digest)
	c.lost.Store(counts.Failed > 0)
	c.job, c.look = nil, false
	c.work.Store(nil)
	return err
}

// ready returns the standby if it is what is to serve and nothing is missing
// from its memory: then to go back to it is to swap a pointer.
func (c *changer) ready(ctx context.Context, model string) (*engine, error) {
	standby := c.lineup.Load().standby
	if standby == nil || standby.model != model || standby.learner.err() != nil {
		return nil, nil
	}
	whole, err := standby.whole(ctx)
	if err != nil || !whole {
		return nil, err
	}
	return standby, nil
}

// begin starts the work for an encoder.
func (c *changer) begin(ctx context.Context, model string) error {
	e := c.serving().encoder
	if model != e.model {
		c.work.Store(&EncoderWork{Model: model, Title: model, Phase: Opening, Switch: true})
		var err error
		if e, err = c.aim(ctx, model); err != nil {
			return err
		}
		if err := c.Store.ForgetEmbeddingFailures(ctx, e.info.Digest); err != nil {
			return err
		}
	}
	job, err := newReembedding(ctx, c.shared, e)
	c.job = job
	return err
}

// say publishes how far the job is, if there is anything to speak of.
func (c *changer) say(p Phase) {
	toServe := c.job.encoder.model != c.serving().model
	if !toServe && c.job.left() == 0 && p == Embedding {
		return
	}
	w := c.job.progress()
	w.Phase, w.Switch = p, toServe
	c.work.Store(&w)
}
