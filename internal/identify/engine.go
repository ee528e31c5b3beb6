package identify

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// shared is what all engines work with.
type shared struct {
	Config   // without Embedder, which is an engine's own
	taxonomy *taxonomy
	defaults []TaxonID // taxa of DefaultSet, which cannot change
	gate     *gate
	waiting  atomic.Int32 // photos that are being read for someone who waits for them
	viewing  *viewing
	recall   *recall
}

// engine is one encoder with the memory that is folded under it. A request works
// with one engine from beginning to end, so that no answer mixes two encoders.
type engine struct {
	*shared
	*encoder
	learner *learner
	use     sync.RWMutex // held for reading by requests; retire waits for them

	sure       atomic.Pointer[SureThreshold]
	calibrated atomic.Int64 // Seq of the memory when sure was worked out
}

// newEngine folds the whole log under an encoder.
func newEngine(ctx context.Context, s *shared, e *encoder) (*engine, error) {
	c := s.Config
	c.Embedder = e.embedder
	l, err := startLearner(ctx, c, s.meet)
	if err != nil {
		return nil, fmt.Errorf("folding the log: %w", err)
	}
	x := &engine{shared: s, encoder: e, learner: l}
	if err := x.calibrate(ctx); err != nil {
		l.stop()
		return nil, fmt.Errorf("calibrating: %w", err)
	}
	if err := x.warm(ctx); err != nil {
		l.stop()
		return nil, fmt.Errorf("embedding the names: %w", err)
	}
	return x, nil
}

// warm embeds the names that most questions ask for, as far as none are kept, so that
// the first one need not wait for them.
func (e *engine) warm(ctx context.Context) error {
	if len(e.defaults) == 0 {
		return nil
	}
	kept := e.recallNames(ctx)
	if _, err := e.candidates(ctx, e.learner.memory(), Question{}); err != nil {
		return err
	}
	e.keepNames(ctx, kept)
	return nil
}

// retire ends learning once no request uses the engine any more; the encoder
// stays open.
func (e *engine) retire() {
	e.use.Lock()
	defer e.use.Unlock()
	e.learner.stop()
}

// tell lets the learner look for new events.
func (e *engine) tell() {
	select {
	case e.learner.kick <- struct{}{}:
	default:
	}
}

// whole reports whether the memory is what the log folds to with every
// embedding that can be had: nothing that was taught is still to be embedded,
// and nothing that has been is missing from the memory.
func (e *engine) whole(ctx context.Context) (bool, error) {
	left, err := e.Store.Unembedded(ctx, e.info.Digest, true, "", 1)
	if err != nil || len(left) > 0 {
		return false, err
	}
	return e.current(ctx)
}

// current reports whether every lesson that has an embedding is in the memory, with
// its views if it has some. One that was embedded only after its event was folded is
// not.
func (e *engine) current(ctx context.Context) (bool, error) {
	m := e.learner.memory()
	learnable, err := e.Store.Learnable(ctx, e.info.Digest, m.seq)
	if err != nil || learnable != m.exemplars.len() {
		return false, err
	}
	viewed, err := e.Store.ViewedLessons(ctx, e.info.Digest, m.seq)
	return viewed == m.views.photos, err
}

// embedding returns the stored embedding of a photo, or reads the photo now and
// stores it: the background may not have come to it yet.
func (e *engine) embedding(ctx context.Context, hash PhotoHash) ([]float32, error) {
	return e.encoder.embedding(ctx, e.shared, hash)
}

func (e *encoder) embedding(ctx context.Context, s *shared, hash PhotoHash) ([]float32, error) {
	v, err := s.Store.Embedding(ctx, e.info.Digest, hash)
	if KindOf(err) != NotFound {
		return v, err
	}
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	r, err := e.keptPhoto(ctx, s, hash, sight{whole: true})
	if err != nil {
		return nil, err
	}
	return r.vector, s.Store.AddEmbeddings(ctx, e.info.Digest, []PhotoEmbedding{{Photo: hash, Vector: r.vector}}, s.Now())
}
