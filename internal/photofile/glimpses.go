package photofile

import (
	"context"

	"fieldmark/internal/identify"
)

// glimpses is the folder of thumbnails whose photos stayed where they came from, named
// as those of thumbnails are. One that came first stays.
const glimpses = "glimpses"

// PutGlimpse keeps the thumbnail of a photo that is not here; it is on disk when it
// returns.
func (d *Dir) PutGlimpse(ctx context.Context, hash identify.PhotoHash, thumbnail []byte) error {
	return d.keep(ctx, glimpses, hash, ".jpg", thumbnail)
}

// Glimpse returns what PutGlimpse kept.
func (d *Dir) Glimpse(_ context.Context, hash identify.PhotoHash) ([]byte, error) {
	return d.read(glimpses, hash, ".jpg")
}
