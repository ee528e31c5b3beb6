// Package sandboxtest has what the tests of the decoders that run in a sandbox share.
package sandboxtest

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"fieldmark/internal/photo"
	"fieldmark/internal/sandbox"
)

// Opener opens a decoder once for all tests of a package, since its module is compiled
// once. Where there is no module the test is skipped.
func Opener[D any](open func() (D, error)) func(testing.TB) D {
	once := sync.OnceValues(open)
	return func(t testing.TB) D {
		t.Helper()
		d, err := once()
		if errors.Is(err, sandbox.ErrNotFound) {
			t.Skip("skipped: ", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
}

// Sample is a file in testdata of the package that is tested.
func Sample(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Quarters are the colours that make.sh draws of the quarters of a picture, the upper
// ones first: red, green, blue, grey.
func Quarters() [4]color.RGBA {
	return [4]color.RGBA{{200, 40, 40, 255}, {40, 180, 60, 255}, {40, 60, 200, 255}, {128, 128, 128, 255}}
}

// Pixel compares one, but for so many levels of 255 that a coder loses.
func Pixel(t *testing.T, p *photo.Photo, x, y int, want color.RGBA, loss int) {
	t.Helper()
	got := p.Image.RGBAAt(x, y)
	for _, d := range []int{int(got.R) - int(want.R), int(got.G) - int(want.G), int(got.B) - int(want.B)} {
		if d < -loss || d > loss || got.A != 255 {
			t.Fatalf("(%d, %d) is %v, want %v", x, y, got, want)
		}
	}
}

// PlaceAndTime are those that make.sh writes: 52° 30′ 36″ N, 13° 30′ 36″ E, on
// 1 June 2025 at 10:20:30.
func PlaceAndTime(t *testing.T, e photo.EXIF) {
	t.Helper()
	const minutes = 30.0/60 + 36.0/3600
	if e.Latitude == nil || e.Longitude == nil || math.Abs(*e.Latitude-52-minutes) > 1e-9 || math.Abs(*e.Longitude-13-minutes) > 1e-9 {
		t.Errorf("it was taken at %v, %v", e.Latitude, e.Longitude)
	}
	if e.TakenAt == nil || e.TakenAt.Format(time.DateTime) != "2025-06-01 10:20:30" {
		t.Errorf("it was taken on %v", e.TakenAt)
	}
}

// Damage cuts a sample at a byte and every so many bytes on, which is refused as an
// incomplete photo, and changes that byte, which is decoded or refused.
func Damage(t *testing.T, d photo.Decoder, name string, from, step int) {
	t.Helper()
	whole := Sample(t, name)
	for i := from; i < len(whole); i += step {
		if _, err := d.Decode(whole[:i], photo.Need{}); !errors.Is(err, photo.ErrTruncated) {
			t.Fatalf("%s, cut at byte %d of %d: %v", name, i, len(whole), err)
		}
		changed := bytes.Clone(whole)
		changed[i] ^= 0xff
		if _, err := d.Decode(changed, photo.Need{}); err != nil {
			refused(t, err)
		}
	}
}

// refused checks that an error can be shown to people.
func refused(t *testing.T, err error) {
	t.Helper()
	var own *photo.Error
	if !errors.As(err, &own) {
		t.Fatalf("%T: %v", err, err)
	}
}

// fuzzPixels are the most that Fuzz lets a file declare.
const fuzzPixels = 1 << 16

// Fuzz gives any bytes to a decoder, which makes an opaque picture of its own size of
// them, within its limits, or an *photo.Error: what reads the container in Go, and what
// decodes it in the sandbox.
func Fuzz(f *testing.F, d photo.Decoder, samples ...string) {
	d.Limits = photo.Limits{MaxPixels: fuzzPixels, MaxBytes: 1 << 20, MinSide: 1}
	for _, name := range samples {
		data := Sample(f, name)
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	// Go ends a worker that is at one input for ten seconds: as long as the module may take
	// to be compiled, at first use, where the machine is busy.
	if _, err := d.Decode(Sample(f, samples[0]), photo.Need{}); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := d.Decode(data, photo.Need{})
		if err != nil {
			refused(t, err)
			return
		}
		if p.Image.Rect != image.Rect(0, 0, p.Width, p.Height) || p.Width*p.Height > fuzzPixels {
			t.Fatalf("%v for %d × %d", p.Image.Rect, p.Width, p.Height)
		}
	})
}

// BenchmarkPhone decodes files that tools/wasm/phone.sh made: a photo as phones make it,
// and the same picture as a JPEG, by Go's own decoder.
func BenchmarkPhone(b *testing.B, d photo.Decoder, names ...string) {
	folder := os.Getenv("FIELDMARK_PHONE")
	if folder == "" {
		b.Skip("skipped: FIELDMARK_PHONE names no folder (tools/wasm/phone.sh)")
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := d.Decode(data, photo.Need{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
