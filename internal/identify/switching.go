package identify

import (
	"context"
	"time"
)

// aim opens an encoder that is to serve. From then on whatever is taught is
// embedded under it too.
func (c *changer) aim(ctx context.Context, model string) (*encoder, error) {
	c.change.Lock()
	defer c.change.Unlock()
	e, err := c.open(ctx, model)
	if err != nil {
		return nil, err
	}
	next := *c.lineup.Load()
	next.target = e
	c.lineUp(next)
	return e, nil
}

// letGo ends the work for an encoder; what is embedded stays.
func (c *changer) letGo() {
	c.job = nil
	c.change.Lock()
	defer c.change.Unlock()
	if next := *c.lineup.Load(); next.target != nil {
		next.target = nil
		c.lineUp(next)
	}
}

// foldAndServe folds the log under the encoder whose photos are embedded, and
// lets it serve.
func (c *changer) foldAndServe(ctx context.Context) error {
	c.say(Folding)
	e, err := newEngine(ctx, c.shared, c.job.encoder)
	if err != nil {
		return err
	}
	if err := c.serve(ctx, e); err != nil {
		e.learner.stop()
		return err
	}
	return nil
}

// serve puts an engine in the place of the one that serves, which becomes the
// standby. The choice is durable first: a crash in between starts with the new.
func (c *changer) serve(ctx context.Context, e *engine) error {
	if err := c.Store.ServeEncoder(ctx, e.model, e.info.Digest); err != nil {
		return err
	}
	c.change.Lock()
	defer c.change.Unlock()
	former := c.lineup.Load().serving
	c.lineUp(lineup{serving: e, standby: former})
	c.job, c.look, c.folded = nil, true, time.Now()
	c.work.Store(nil)
	c.Log.Info("another encoder serves", "encoder", e.model, "exemplars", e.learner.memory().tree.Live(), "before", former.model)
	return nil
}

// refold folds the log again under the encoder that serves, if there are lessons
// that were embedded only after they had been left out: a memory is the fold of
// its whole log in order, whenever its vectors came.
func (c *changer) refold(ctx context.Context) error {
	e := c.serving()
	if current, err := e.current(ctx); err != nil || current {
		return err
	}
	c.say(Folding)
	start := time.Now()
	next, err := newEngine(ctx, c.shared, e.encoder)
	if err != nil {
		return err
	}
	c.folded, c.folding = time.Now(), time.Since(start)
	c.change.Lock()
	defer c.change.Unlock()
	with := *c.lineup.Load()
	with.serving = next
	c.lineUp(with)
	c.Log.Info("memory folded again", "encoder", e.model, "exemplars", next.learner.memory().tree.Live(), "took", c.folding.Round(time.Millisecond))
	return nil
}
