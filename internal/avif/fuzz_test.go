package avif

import (
	"errors"
	"image"
	"testing"

	"fieldmark/internal/photo"
)

// Any bytes in the container of an AVIF file give an opaque picture of its own size,
// within the limits, or an *photo.Error: what reads the container in Go and what decodes
// it in the sandbox.
func FuzzDecodeAVIF(f *testing.F) {
	d := photo.Decoder{AVIF: open(f), Limits: photo.Limits{MaxPixels: 1 << 16, MaxBytes: 1 << 20, MinSide: 1}}
	for _, name := range []string{"made", "cropped", "grid", "moving", "alpha", "bt709-full-10bit"} {
		f.Add(sample(f, name+".avif"))
	}
	f.Add([]byte("\x00\x00\x00\x1cftypavif\x00\x00\x00\x00mif1miaf\x00\x00\x00\x01meta"))
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
