package identify

import (
	"context"

	"fieldmark/internal/photo"
)

// What can be had of a photo.
const (
	PhotoOriginal = "original" // the file as it was uploaded
	PhotoShown    = "shown"    // the same, or PhotoDisplay where browsers do not show such files
	PhotoDisplay  = "display"  // of at most 1280 pixels: a JPEG, or the file where that is as small
	PhotoThumb    = "thumb"    // a JPEG of at most 640 pixels
	PhotoSmall    = "small"    // a JPEG of at most 320 pixels
)

// PhotoCopy is a photo as somebody gets it.
type PhotoCopy struct {
	Data      []byte
	MediaType string
	// Tag is another one for other bytes: it names the photo and what was done to
	// it.
	Tag string
	// Glimpse: it stands in for a photo that may come yet.
	Glimpse bool
}

// PhotoFile returns the photo of an observation in one of these forms. What a
// file says beside its picture, such as where it was taken, stays with the observer
// and the curators: the others get it without, its pixels as they are (photo.Strip),
// and where that cannot be done they get the preview, which never says anything. Of a
// photo that did not come all but the original are the glimpse, where there is one.
func (s *Service) PhotoFile(ctx context.Context, u User, id ObservationID, form string) (PhotoCopy, error) {
	o, err := s.observation(ctx, id)
	if err != nil {
		return PhotoCopy{}, err
	}
	switch form {
	case "", PhotoOriginal, PhotoShown, PhotoDisplay, PhotoThumb, PhotoSmall:
	default:
		return PhotoCopy{}, Errorf(Invalid, "size", "Size is \"original\", \"display\", \"thumb\" or \"small\".")
	}
	if o.Photo.HasGlimpse() && form != "" && form != PhotoOriginal {
		data, err := s.Photos.Glimpse(ctx, o.Photo.Hash)
		return PhotoCopy{Data: data, MediaType: "image/jpeg", Tag: string(o.Photo.Hash) + "-glimpse", Glimpse: true}, err
	}
	if !o.Photo.HasFile() {
		return PhotoCopy{}, Errorf(NotFound, "id", "Observation %d came in as an embedding, without its photo.", id)
	}
	switch form {
	case PhotoThumb:
		return s.preview(ctx, o.Photo)
	case PhotoSmall:
		return s.small(ctx, o.Photo)
	case PhotoDisplay:
		if !o.Photo.isDisplay() {
			return s.display(ctx, o.Photo)
		}
	case PhotoShown:
		if !photo.Strippable(o.Photo.MediaType) { // HEIC and AVIF
			return s.display(ctx, o.Photo)
		}
	}
	data, err := s.Photos.Original(ctx, o.Photo.Hash)
	if err != nil {
		return PhotoCopy{}, err
	}
	if u.mayKnowAll(o.Observer) {
		return PhotoCopy{Data: data, MediaType: o.Photo.MediaType, Tag: string(o.Photo.Hash)}, nil
	}
	stripped, err := photo.Strip(data)
	if err != nil {
		return s.preview(ctx, o.Photo)
	}
	return PhotoCopy{Data: stripped, MediaType: o.Photo.MediaType, Tag: string(o.Photo.Hash) + "-stripped"}, nil
}

func (s *Service) preview(ctx context.Context, p Photo) (PhotoCopy, error) {
	data, err := s.Photos.Thumbnail(ctx, p.Hash)
	return PhotoCopy{Data: data, MediaType: "image/jpeg", Tag: string(p.Hash) + "-preview"}, err
}
