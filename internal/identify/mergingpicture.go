package identify

import (
	"context"
	"errors"

	"fieldmark/internal/bundle"
)

// MergePicture is a small JPEG of a photo that came with a bundle, or of the thumbnail
// that came in its place. It is coded anew: nothing of a stranger's file arrives but its
// pixels. It is NotFound where neither is in the bundle, or is a picture. It takes a
// curator.
func (s *Service) MergePicture(ctx context.Context, u User, b *bundle.Bundle, photo PhotoHash) ([]byte, error) {
	if err := allow(u, Curator, "import exemplars"); err != nil {
		return nil, err
	}
	missing := Errorf(NotFound, "photo", "This photo did not come with the bundle.")
	if !b.HasPicture(string(photo)) {
		return nil, missing
	}
	data, err := b.Thumbnail(string(photo))
	if err == nil && data == nil {
		data, err = b.Photo(string(photo))
	}
	if err != nil {
		return nil, refusedBundle(err)
	}
	e, release := s.acquire()
	defer release()
	r, err := e.encoder.read(ctx, e.shared, data, sight{thumbnail: thumbnailSide})
	var own *Error
	if errors.As(err, &own) && (own.Kind == NotAPhoto || own.Kind == Invalid) {
		return nil, missing.Because(err)
	}
	return r.thumbnail, err
}
