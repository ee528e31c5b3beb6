package heif

import (
	"errors"
	"image"
	"testing"

	"fieldmark/internal/photo"
)

// Any bytes in the container of a HEIC file give an opaque picture of its own size,
// within the limits, or an *photo.Error: what reads the container in Go and what decodes
// it in the sandbox.
func FuzzDecodeHEIC(f *testing.F) {
	d := photo.Decoder{HEIC: open(f), Limits: photo.Limits{MaxPixels: 1 << 16, MaxBytes: 1 << 20, MinSide: 1}}
	whole := sample(f, "made.heic")
	f.Add(whole)
	f.Add(sample(f, "turned.heic"))
	f.Add(sample(f, "grid.heic"))
	f.Add(whole[:len(whole)/2])
	f.Add([]byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic\x00\x00\x00\x01meta"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := d.Decode(data, photo.Need{})
		if err != nil {
			var refused *photo.Error
			if !errors.As(err, &refused) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		if p.Image.Rect != image.Rect(0, 0, p.Width, p.Height) || p.Width*p.Height > 1<<16 {
			t.Fatalf("%v for %d × %d", p.Image.Rect, p.Width, p.Height)
		}
	})
}
