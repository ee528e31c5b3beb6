package photofile

import (
	"context"
	"path/filepath"
	"strconv"

	"fieldmark/internal/identify"
)

// renditions is the folder of what is made of photos in other sizes. All of it may
// be deleted at any time.
const renditions = "renditions"

// Rendition implements identify.Renditions.
func (d *Dir) Rendition(_ context.Context, hash identify.PhotoHash, side int) ([]byte, error) {
	return d.read(ofSide(side), hash, ".jpg")
}

// KeepRendition implements identify.Renditions.
func (d *Dir) KeepRendition(ctx context.Context, hash identify.PhotoHash, side int, data []byte) error {
	return d.keep(ctx, ofSide(side), hash, ".jpg", data)
}

func ofSide(side int) string { return filepath.Join(renditions, strconv.Itoa(side)) }
