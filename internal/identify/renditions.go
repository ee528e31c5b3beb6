package identify

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"

	"fieldmark/internal/photo"
)

// Renditions keeps the JPEGs that are made of photos in further sizes, by the
// photo's hash and the longer side in pixels. They may be lost at any time: each is
// made again when it is next asked for.
type Renditions interface {
	// Rendition is a JPEG that was kept; its error has KindOf NotFound where there
	// is none.
	Rendition(ctx context.Context, hash PhotoHash, side int) ([]byte, error)
	KeepRendition(ctx context.Context, hash PhotoHash, side int, data []byte) error
}

// The longer sides, in pixels, of what is made of a photo beside its thumbnail.
// They are made when somebody asks: at upload a photo is decoded at the scale that
// the encoder needs (PhotoNeed), which has too few pixels for displaySide, and
// another scale would give the photo another embedding.
const (
	smallSide   = 320  // a tile of a list: half a thumbnail
	displaySide = 1280 // a photo by itself on a page
)

// displayBytes is how large a file that has no more pixels than a display picture
// may be to be shown as it is.
const displayBytes = 512 << 10

// developing is who makes renditions: each is made once, however many ask for it at
// the same time, and so few at once that photos which somebody sends find their
// places at the gate.
type developing struct {
	flights singleflight.Group
	places  *semaphore.Weighted
}

func newDeveloping(places int) *developing {
	return &developing{places: semaphore.NewWeighted(int64(places))}
}

// isDisplay reports whether the file itself is fit to be shown on a page.
func (p Photo) isDisplay() bool {
	return photo.Strippable(p.MediaType) && max(p.Width, p.Height) <= displaySide && p.Bytes <= displayBytes
}

// display is a photo at displaySide, without what its file says.
func (s *Service) display(ctx context.Context, p Photo) (PhotoCopy, error) {
	return s.rendition(ctx, p, displaySide, s.Photos.Original)
}

// small is a photo at smallSide, made of its thumbnail.
func (s *Service) small(ctx context.Context, p Photo) (PhotoCopy, error) {
	return s.rendition(ctx, p, smallSide, s.Photos.Thumbnail)
}

// rendition is a photo at a size, made of the file that source gives if it is not
// there. It waits for its turn as long as whoever asks does. A photo that can be
// decoded no more, since what decodes HEIC or AVIF is gone or the file is damaged, is shown
// as its thumbnail.
func (s *Service) rendition(ctx context.Context, p Photo, side int, source func(context.Context, PhotoHash) ([]byte, error)) (PhotoCopy, error) {
	if s.Renditions != nil {
		data, err := s.Renditions.Rendition(ctx, p.Hash, side)
		if err == nil || KindOf(err) != NotFound {
			return jpegOf(p, data, side), err
		}
	}
	// Who asked first may leave before it is made; the others still want it.
	made := s.developing.flights.DoChan(fmt.Sprint(p.Hash, side), func() (any, error) {
		if !s.enter() {
			return nil, closing()
		}
		defer s.background.Done()
		return s.develop(s.working, p.Hash, side, source)
	})
	select {
	case <-ctx.Done():
		return PhotoCopy{}, ctx.Err()
	case x := <-made:
		switch KindOf(x.Err) {
		case NotAPhoto, TooLarge:
			s.Log.Warn("a photo cannot be decoded any more: its thumbnail is shown", "photo", p.Hash, "error", x.Err)
			return s.preview(ctx, p)
		}
		if x.Err != nil && s.working.Err() != nil {
			return PhotoCopy{}, closing()
		}
		if x.Err != nil {
			return PhotoCopy{}, x.Err
		}
		return jpegOf(p, x.Val.([]byte), side), nil
	}
}

// develop makes a rendition and keeps it. One that cannot be kept, for want of
// room, is shown all the same.
func (s *Service) develop(ctx context.Context, hash PhotoHash, side int, source func(context.Context, PhotoHash) ([]byte, error)) ([]byte, error) {
	if err := s.developing.places.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer s.developing.places.Release(1)
	data, err := source(ctx, hash)
	if err != nil {
		return nil, err
	}
	_, picture, leave, err := s.pixels(ctx, data, photo.Need{Longer: side}, sight{thumbnail: side})
	if err != nil {
		return nil, err
	}
	leave()
	if s.Renditions == nil {
		return picture, nil
	}
	if err := s.Renditions.KeepRendition(ctx, hash, side, picture); err != nil && !errors.Is(err, context.Canceled) {
		s.Log.Warn("a picture could not be kept, and is made anew each time", "photo", hash, "side", side, "error", err)
	}
	return picture, nil
}

func closing() error {
	return Errorf(NotReady, "", "Fieldmark is shutting down. Ask again when it is back.")
}

// jpegOf is a JPEG made of a photo. It says nothing beside its picture.
func jpegOf(p Photo, data []byte, side int) PhotoCopy {
	return PhotoCopy{Data: data, MediaType: "image/jpeg", Tag: fmt.Sprintf("%s-%d", p.Hash, side)}
}
