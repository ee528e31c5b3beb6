package identify

import (
	"context"
	"sync"
	"time"
)

// reembedding gives the photos that are kept their embeddings under one encoder, and
// those that were taught their views, the taught ones first. What is missing is what
// has no row in the store: so it goes on where it was after a kill, and photos that
// come in meanwhile are found.
type reembedding struct {
	*shared
	encoder *encoder
	counts  EmbeddingCounts

	sweep sweep     // among these photos
	after PhotoHash // it has come to here
	found bool      // a sweep of this round has found something

	read int           // photos read so far
	took time.Duration // for them
}

// sweep is a kind of photos that lack something. They take turns until a round of
// them finds nothing.
type sweep int

const (
	lessons  sweep = iota // taught, without an embedding; they get their views too
	viewless              // taught, with an embedding, without views
	others                // never taught, without an embedding
	sweeps
)

// sight is what such photos lack.
func (s sweep) sight() sight { return sight{whole: s != viewless, views: s != others} }

// stepSize is how many photos are embedded between two looks at what is wanted, and
// stored at once.
const stepSize = 8

func newReembedding(ctx context.Context, s *shared, e *encoder) (*reembedding, error) {
	r := &reembedding{shared: s, encoder: e}
	return r, r.count(ctx)
}

// count counts what there is.
func (r *reembedding) count(ctx context.Context) (err error) {
	if err = r.Store.FailPhotoless(ctx, r.encoder.info.Digest, cameWithoutPhoto(), r.Now()); err == nil {
		r.counts, err = r.Store.EmbeddingCounts(ctx, r.encoder.info.Digest)
	}
	return err
}

func cameWithoutPhoto() Notice {
	return Noticef("It came as an embedding of another encoder, without its photo.")
}

// step embeds the next few photos and stores what came of it. more is false
// when there was none left.
func (r *reembedding) step(ctx context.Context) (more bool, err error) {
	list, err := r.next(ctx)
	if err != nil || len(list) == 0 {
		return false, err
	}
	start := time.Now()
	readings, failures := r.embed(ctx, list)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	var made []PhotoEmbedding
	var views []PhotoViews
	for i, hash := range list {
		switch {
		case failures[i] == nil && r.sweep != viewless:
			made = append(made, PhotoEmbedding{Photo: hash, Vector: readings[i].vector})
		case failures[i] == nil:
		case r.sweep == viewless:
			if err := r.viewless(ctx, r.encoder, hash, failures[i]); err != nil {
				return false, err
			}
		default:
			if err := r.unreadable(ctx, r.encoder, hash, failures[i]); err != nil {
				return false, err
			}
			r.counts.Failed++
		}
		if r.sweep.sight().views {
			views = append(views, PhotoViews{Photo: hash, Vectors: readings[i].views})
		}
	}
	// The views first: no fold meets a lesson with its vector and without them.
	if err := r.Store.AddViews(ctx, r.encoder.info.Digest, views, r.Now()); err != nil {
		return false, err
	}
	if err := r.Store.AddEmbeddings(ctx, r.encoder.info.Digest, made, r.Now()); err != nil {
		return false, err
	}
	r.counts.Embedded += len(made)
	r.read, r.took = r.read+len(list), r.took+time.Since(start)
	return true, nil
}

// next lists the photos of the next step. Photos may come in behind a sweep, so
// that only a round which finds nothing is the last.
func (r *reembedding) next(ctx context.Context) ([]PhotoHash, error) {
	for {
		list, err := r.lacking(ctx)
		if err != nil {
			return nil, err
		}
		if n := len(list); n > 0 {
			r.after, r.found = list[n-1], true
			return list, nil
		}
		if r.sweep, r.after = r.sweep+1, ""; r.sweep < sweeps {
			continue
		}
		last := !r.found
		r.sweep, r.found = lessons, false
		if err := r.count(ctx); err != nil || last {
			return nil, err
		}
	}
}

// lacking lists the next photos of the sweep.
func (r *reembedding) lacking(ctx context.Context) ([]PhotoHash, error) {
	digest := r.encoder.info.Digest
	if r.sweep == viewless {
		return r.Store.Unviewed(ctx, digest, r.after, stepSize)
	}
	return r.Store.Unembedded(ctx, digest, r.sweep == lessons, r.after, stepSize)
}

// embed reads photos with half of the workers, and gives way to photos that
// people wait for.
func (r *reembedding) embed(ctx context.Context, list []PhotoHash) (readings []reading, failures []error) {
	readings, failures = make([]reading, len(list)), make([]error, len(list))
	var next sync.Mutex
	var working sync.WaitGroup
	at := 0
	take := func() (i int) {
		next.Lock()
		defer next.Unlock()
		i, at = at, at+1
		return i
	}
	for range max(1, r.Workers/2) {
		working.Go(func() {
			for i := take(); i < len(list); i = take() {
				r.giveWay(ctx)
				readings[i], failures[i] = r.encoder.keptPhoto(ctx, r.shared, list[i], r.sweep.sight())
			}
		})
	}
	working.Wait()
	return readings, failures
}

// left is how many photos are still to be read.
func (r *reembedding) left() int {
	return max(0, r.counts.Photos-r.counts.Embedded-r.counts.Failed)
}

// progress describes the work at this moment.
func (r *reembedding) progress() EncoderWork {
	w := EncoderWork{Model: r.encoder.model, Title: r.encoder.info.Name, Phase: Embedding,
		Done: r.counts.Embedded, Failed: r.counts.Failed, Total: r.counts.Photos}
	if r.took > 0 {
		w.Rate = float64(r.read) / r.took.Seconds()
		w.Left = time.Duration(float64(r.left()) / w.Rate * float64(time.Second))
	}
	return w
}

// Phase says what is being done for an encoder.
type Phase string

// The phases, in order.
const (
	Opening   Phase = "opening"   // the encoder is loaded
	Embedding Phase = "embedding" // the photos are read with it
	Folding   Phase = "folding"   // the log is folded under it
)

// EncoderWork is what is being done in the background for an encoder.
type EncoderWork struct {
	Model   string // what the encoder is chosen by
	Title   string // what it calls itself
	Switch  bool   // it is to serve when this is done; otherwise it serves already
	Phase   Phase
	Done    int // photos that have an embedding
	Failed  int // photos that cannot be read
	Total   int // photos that are kept
	Rate    float64
	Left    time.Duration // estimated; 0 if it cannot be
	Paused  bool
	Problem Notice // what stopped it, zero if nothing did
}

// Reembed gives the photos that are kept their embeddings under c.Embedder, where
// nothing serves, and reports as it goes.
func Reembed(ctx context.Context, c Config, report func(EncoderWork)) error {
	s, err := newShared(ctx, c)
	if err != nil {
		return err
	}
	e := openedEncoder(c.Model, c.Embedder, nil)
	if err := s.Store.RegisterEncoder(ctx, e.info); err != nil {
		return err
	}
	r, err := newReembedding(ctx, s, e)
	if err != nil {
		return err
	}
	for more := true; more; {
		report(r.progress())
		if more, err = r.step(ctx); err != nil {
			return err
		}
	}
	report(r.progress())
	return nil
}
