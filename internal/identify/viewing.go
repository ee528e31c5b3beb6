package identify

import (
	"context"
	"errors"
	"sync"
	"time"

	"fieldmark/internal/photo"
)

// viewing makes the views of photos that are taught. A lesson finds them made: the
// event comes into the log after them, so that no fold of the log lacks them. To
// spare whoever teaches the wait they are begun once a photo has come in and was
// answered.
type viewing struct {
	mu     sync.Mutex
	making map[viewsOf]chan struct{} // closed when they are made, or cannot be
	queue  chan PhotoHash            // photos that came in
}

// viewsOf names the views of a photo under an encoder.
type viewsOf struct {
	encoder string // digest
	photo   PhotoHash
}

// viewQueue is how many photos may wait for their views to be made ahead. Those of
// the others are made when they are taught.
const viewQueue = 256

func newViewing() *viewing {
	return &viewing{making: map[viewsOf]chan struct{}{}, queue: make(chan PhotoHash, viewQueue)}
}

// begin returns once nobody else makes these views, and nobody else begins until
// end is called.
func (v *viewing) begin(ctx context.Context, which viewsOf) (end func(), err error) {
	for {
		v.mu.Lock()
		others, busy := v.making[which]
		if !busy {
			mine := make(chan struct{})
			v.making[which] = mine
			v.mu.Unlock()
			return func() {
				v.mu.Lock()
				defer v.mu.Unlock()
				delete(v.making, which)
				close(mine)
			}, nil
		}
		v.mu.Unlock()
		select {
		case <-others:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// offer lets the views of a photo be made ahead, unless too many wait already.
func (v *viewing) offer(hash PhotoHash) {
	select {
	case v.queue <- hash:
	default:
	}
}

// viewed makes sure that a photo's views are stored under an encoder, or that it is
// stored that the photo cannot be read for them.
func (s *shared) viewed(ctx context.Context, e *encoder, hash PhotoHash) error {
	end, err := s.viewing.begin(ctx, viewsOf{e.info.Digest, hash})
	if err != nil {
		return err
	}
	defer end()
	if has, err := s.Store.HasViews(ctx, e.info.Digest, hash); err != nil || has {
		return err
	}
	r, err := e.keptPhoto(ctx, s, hash, sight{views: true})
	if err != nil {
		err = s.viewless(ctx, e, hash, err)
	}
	if err != nil {
		return err
	}
	return s.Store.AddViews(ctx, e.info.Digest, []PhotoViews{{hash, r.views}}, s.Now())
}

// viewless takes it that a photo has no views because it cannot be read. It says so,
// and returns errors that are not the photo's.
func (s *shared) viewless(ctx context.Context, e *encoder, hash PhotoHash, cause error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var ofEncoder *encoderError
	if errors.As(cause, &ofEncoder) {
		return cause
	}
	s.Log.Warn("crops of a photo cannot be learned", "photo", hash, "encoder", e.model, "error", cause)
	return nil
}

// views embeds the views of a photo, together, so that the encoder can take them at
// once.
func (e *encoder) views(ctx context.Context, p *photo.Photo) ([][]float32, error) {
	list := photo.Views()
	vectors, errs := make([][]float32, len(list)), make([]error, len(list))
	var working sync.WaitGroup
	for i, v := range list {
		working.Go(func() { vectors[i], errs[i] = e.see(ctx, v.Of(p)) })
	}
	working.Wait()
	return vectors, errors.Join(errs...)
}

// viewAhead makes the views of photos that came in, while nobody waits for other
// photos, until ctx ends.
func (s *Service) viewAhead(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case hash := <-s.viewing.queue:
			s.giveWay(ctx)
			if err := s.viewForAll(ctx, hash); err != nil && ctx.Err() == nil {
				s.Log.Warn("the views of a photo were not made ahead", "photo", hash, "error", err)
			}
		}
	}
}

// viewForAll makes sure that a photo has its views under every encoder that has, or
// is being given, a memory.
func (s *Service) viewForAll(ctx context.Context, hash PhotoHash) error {
	_, release := s.acquire()
	defer release()
	for _, e := range s.lineup.Load().encoders() {
		if err := s.viewed(ctx, e, hash); err != nil {
			return err
		}
	}
	return nil
}

// patience bounds how long a photo of the background waits for people's.
const patience = 2 * time.Second

// giveWay waits while people wait for photos of theirs to be read.
func (s *shared) giveWay(ctx context.Context) {
	for end := time.Now().Add(patience); s.waiting.Load() > 0 && time.Now().Before(end); {
		select {
		case <-ctx.Done():
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}
