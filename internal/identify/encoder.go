package identify

import (
	"context"
	"image"
	"io"
	"sync"
	"time"

	"fieldmark/internal/photo"
)

// encoder is an encoder that is open. Several may be: the one that serves, the
// one that served before, the one that is being prepared.
type encoder struct {
	model    string // what Encoders knows it by
	embedder Embedder
	info     EncoderInfo
	names    *names
	close    func() error // may be called again
}

// openedEncoder wraps an embedder; closer is nil for one that others close.
func openedEncoder(model string, e Embedder, closer io.Closer) *encoder {
	x := &encoder{model: model, embedder: e, info: e.Info(), names: newNames(e), close: func() error { return nil }}
	if closer != nil {
		x.close = sync.OnceValue(closer.Close)
	}
	return x
}

// sight is what is made of a photo that is read.
type sight struct {
	thumbnail int  // of at most so many pixels; 0: none
	whole     bool // its embedding
	views     bool // those of its views
	hurried   bool // neither waits nor takes long: Admission says how long
}

// read decodes a photo and makes of it what is asked for.
func (e *encoder) read(ctx context.Context, s *shared, data []byte, make sight) (reading, error) {
	start := time.Now()
	p, thumbnail, leave, err := s.pixels(ctx, data, e.info.PhotoNeed(), make)
	if err != nil {
		return reading{}, err
	}
	defer leave()
	r := reading{mediaType: p.MediaType, width: p.Width, height: p.Height, exif: p.EXIF, thumbnail: thumbnail}
	r.decoded = time.Since(start)
	start = time.Now()
	if make.whole {
		if r.vector, err = e.see(ctx, p.Scaled()); err != nil {
			return reading{}, err
		}
	}
	if make.views {
		if r.views, err = e.views(ctx, p); err != nil {
			return reading{}, err
		}
	}
	r.embedded = time.Since(start)
	return r, nil
}

// see embeds an upright picture.
func (e *encoder) see(ctx context.Context, img image.Image) ([]float32, error) {
	v, err := e.embedder.EmbedImage(ctx, img)
	if err != nil && ctx.Err() == nil {
		err = &encoderError{err}
	}
	return v, err
}

// encoderError is a failure of the encoder itself: no photo is to blame.
type encoderError struct{ cause error }

func (e *encoderError) Error() string { return "the encoder cannot read a photo: " + e.cause.Error() }

func (e *encoderError) Unwrap() error { return e.cause }

// keptPhoto reads a photo of the data folder; its errors say in a sentence what
// is wrong with that photo, unless the encoder or the machine fails.
func (e *encoder) keptPhoto(ctx context.Context, s *shared, hash PhotoHash, make sight) (reading, error) {
	data, err := s.Photos.Original(ctx, hash)
	if err != nil {
		return reading{}, err
	}
	if photo.Hash(data) != string(hash) {
		return reading{}, Errorf(NotAPhoto, "", "The file of this photo is damaged: its bytes are not those that were stored.")
	}
	return e.read(ctx, s, data, make)
}
