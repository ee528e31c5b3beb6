package identify

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"fieldmark/internal/photo"
)

// Admission bounds what the photos that are read at the same time take, so that
// those which are too many are refused and the process lives. A zero field means
// its default.
type Admission struct {
	// Memory is how many bytes decoding may take at once, by what each photo may
	// take at most (photo.Decoder.Memory); default 1 GiB. One photo that may take
	// more is decoded alone.
	Memory int64
	// Waiting is how many photos people may wait for at once, those that are being
	// read included; default 64. The next is refused.
	Waiting int
	// Patience is how long a photo that someone sends waits for its turn before it
	// is refused; default 10 seconds.
	Patience time.Duration
	// DecodeTime is how long decoding such a photo may take; default 30 seconds.
	DecodeTime time.Duration
}

func (a Admission) withDefaults() Admission {
	a.Memory = cmp.Or(max(a.Memory, 0), 1<<30)
	a.Waiting = cmp.Or(max(a.Waiting, 0), 64)
	a.Patience = cmp.Or(max(a.Patience, 0), 10*time.Second)
	a.DecodeTime = cmp.Or(max(a.DecodeTime, 0), 30*time.Second)
	return a
}

// A gate lets photos through whose pixels may be in memory at the same time. Who
// comes first goes first.
type gate struct {
	places *semaphore.Weighted // photos
	memory *semaphore.Weighted // bytes
	size   int64               // of memory
	count  atomic.Int32
}

func newGate(places int, memory int64) *gate {
	return &gate{places: semaphore.NewWeighted(int64(places)), memory: semaphore.NewWeighted(memory), size: memory}
}

// enter waits for a place and so much memory, until ctx ends.
func (g *gate) enter(ctx context.Context, bytes int64) (leave func(), err error) {
	bytes = min(bytes, g.size)
	if err := g.places.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	if err := g.memory.Acquire(ctx, bytes); err != nil {
		g.places.Release(1)
		return nil, err
	}
	g.count.Add(1)
	return func() {
		g.count.Add(-1)
		g.memory.Release(bytes)
		g.places.Release(1)
	}, nil
}

// inside is how many photos are through.
func (g *gate) inside() int { return int(g.count.Load()) }

// queue takes a place among those who wait for photos. KindOf Busy if there is
// none.
func (s *shared) queue() (leave func(), err error) {
	if int(s.waiting.Add(1)) > s.Admission.Waiting {
		s.waiting.Add(-1)
		return nil, busy()
	}
	return func() { s.waiting.Add(-1) }, nil
}

func busy() error {
	return Errorf(Busy, "", "More photos come in at this moment than can be read. Nothing was stored of this one: try again in a few seconds.")
}

func (s *shared) decoder() photo.Decoder {
	return photo.Decoder{Limits: s.Limits, JPEG: s.JPEG, HEIC: s.HEIC, AVIF: s.AVIF}
}

// decoded is what becomes of a photo's file.
type decoded struct {
	photo     *photo.Photo
	thumbnail []byte
	err       error
}

// pixels decodes a photo when it is its turn, and makes its thumbnail if one is
// asked for. The caller lets go of the pixels before it calls leave. Its own errors
// are *Error, of kind Busy where a hurried photo's turn does not come.
func (s *shared) pixels(ctx context.Context, data []byte, need photo.Need, make sight) (p *photo.Photo, thumbnail []byte, leave func(), err error) {
	d := s.decoder()
	memory, err := d.Memory(data)
	if err != nil {
		return nil, nil, nil, s.refused(data, err)
	}
	if leave, err = s.turn(ctx, memory, make.hurried); err != nil {
		return nil, nil, nil, err
	}
	done := goDecode(d, data, need, make.thumbnail)
	within := ctx
	if make.hurried {
		var stop context.CancelFunc
		within, stop = context.WithTimeout(ctx, s.Admission.DecodeTime)
		defer stop()
	}
	select {
	case got := <-done:
		if got.err != nil {
			leave()
			return nil, nil, nil, s.refused(data, got.err)
		}
		return got.photo, got.thumbnail, leave, nil
	case <-within.Done():
		// No decoder can be stopped: what was begun keeps its place until it ends.
		abandoned := leave
		go func() {
			<-done
			abandoned()
		}()
		if ctx.Err() != nil {
			return nil, nil, nil, ctx.Err()
		}
		return nil, nil, nil, Errorf(NotAPhoto, "photo", "Decoding this photo takes too long: open it in a photo program, save it as JPEG, and send that.")
	}
}

// turn waits at the gate.
func (s *shared) turn(ctx context.Context, memory int64, hurried bool) (leave func(), err error) {
	if !hurried {
		return s.gate.enter(ctx, memory)
	}
	patient, stop := context.WithTimeout(ctx, s.Admission.Patience)
	defer stop()
	if leave, err = s.gate.enter(patient, memory); err != nil && ctx.Err() == nil {
		err = busy()
	}
	return leave, err
}

// goDecode decodes a photo in a goroutine of its own; the channel has room for the
// result.
func goDecode(d photo.Decoder, data []byte, need photo.Need, thumbnail int) <-chan decoded {
	done := make(chan decoded, 1)
	go func() {
		var got decoded
		if got.photo, got.err = d.Decode(data, need); got.err == nil && thumbnail > 0 {
			got.thumbnail, got.err = photo.Thumbnail(got.photo.Image, thumbnail)
		}
		done <- got
	}()
	return done
}

// refused turns an error of a decoder into one for people. A panic is a fault of
// ours or of a library: the log has its stack.
func (s *shared) refused(data []byte, err error) error {
	if panicked := (*photo.PanicError)(nil); errors.As(err, &panicked) {
		s.Log.Error("a decoder panicked", "photo", photo.Hash(data), "panic", panicked.Value, "stack", string(panicked.Stack))
	}
	return notAPhoto(data, err)
}
