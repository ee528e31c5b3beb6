package heif

import (
	"errors"
	"image"
	"image/color"
	"math"
	"os"
	"sync"
	"testing"

	"fieldmark/internal/photo"
	"fieldmark/internal/sandbox"
)

// opened is compiled once for all tests.
var opened = sync.OnceValues(Open)

func open(t testing.TB) *Decoder {
	t.Helper()
	d, err := opened()
	if errors.Is(err, sandbox.ErrNotFound) {
		t.Skip("skipped: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestDecode: the colours that make.sh drew are there, and the place that EXIF
// says. EXIF's orientation does not count: the container says none (ISO/IEC
// 23008-12, 6.5.10).
func TestDecode(t *testing.T) {
	d := photo.Decoder{HEIC: open(t)}
	p, err := d.Decode(sample(t, "made.heic"), photo.Need{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Width != 192 || p.Height != 128 || p.MediaType != "image/heic" {
		t.Fatalf("%d × %d, %s", p.Width, p.Height, p.MediaType)
	}
	const rim = 4 // whose colours libde265 leaves a little off
	for y := rim; y < 128-rim; y++ {
		for x := rim; x < 192-rim; x++ {
			c := p.Image.RGBAAt(x, y)
			want := [3]int{5 * (x / 4), 7 * (y / 4), 255 - 5*(x/4)}
			for i, got := range []uint8{c.R, c.G, c.B} {
				if off := int(got) - want[i]; off < -32 || off > 32 || c.A != 255 {
					t.Fatalf("(%d, %d) is %v, want %v", x, y, c, want)
				}
			}
		}
	}
	if p, err = d.Decode(sample(t, "turned.heic"), photo.Need{}); err != nil {
		t.Fatal(err)
	}
	if p.Width != 128 || p.Height != 192 || p.EXIF.Orientation != 1 {
		t.Errorf("%d × %d, %+v", p.Width, p.Height, p.EXIF)
	}
	const minutes = 30.0/60 + 36.0/3600
	if p.EXIF.Latitude == nil || math.Abs(*p.EXIF.Latitude-52-minutes) > 1e-9 {
		t.Errorf("%+v", p.EXIF)
	}
}

// TestGrid: as phones have it, a picture of four tiles that goes on beyond its edges,
// to be turned a quarter clockwise. What EXIF says of its orientation does not count;
// its place and time do.
func TestGrid(t *testing.T) {
	p, err := photo.Decoder{HEIC: open(t)}.Decode(sample(t, "grid.heic"), photo.Need{})
	if err != nil {
		t.Fatal(err)
	}
	const width, height, tile = 112, 96, 64
	if p.Width != height || p.Height != width || p.Image.Rect != image.Rect(0, 0, height, width) {
		t.Fatalf("%d × %d, %v", p.Width, p.Height, p.Image.Rect)
	}
	tiles := [2][2]color.RGBA{{{200, 40, 40, 255}, {40, 180, 60, 255}}, {{40, 60, 200, 255}, {128, 128, 128, 255}}}
	for y := range width {
		for x := range height {
			// Clockwise, (x, y) came from column y and row height - 1 - x.
			down, right := height-1-x, y
			if rim := 2; max(tile-down, down-tile) <= rim || max(tile-right, right-tile) <= rim {
				continue // chroma of half the resolution is mixed here
			}
			near(t, p, x, y, tiles[down/tile][right/tile])
		}
	}
	if p.EXIF.TakenAt == nil || p.EXIF.TakenAt.Year() != 2025 || p.EXIF.Longitude == nil {
		t.Errorf("%+v", p.EXIF)
	}
}

// near compares one pixel, for what a coder loses.
func near(t *testing.T, p *photo.Photo, x, y int, want color.RGBA) {
	t.Helper()
	got := p.Image.RGBAAt(x, y)
	for _, d := range []int{int(got.R) - int(want.R), int(got.G) - int(want.G), int(got.B) - int(want.B)} {
		if d < -4 || d > 4 {
			t.Fatalf("(%d, %d) is %v, want %v", x, y, got, want)
		}
	}
}

// TestColourCodes: the numbers of a picture mean what its nclx says. Red (200, 40, 40)
// was coded by BT.601 in the full range as Y 88, Cb 101, Cr 208. By BT.709 in the range
// of video that is, with Y' = 255/219 (88 - 16) = 83.8 and H.273's coefficients times
// 255/224: R = Y' + 1.793 · 80 = 227, G = Y' + 0.213 · 27 - 0.533 · 80 = 47,
// B = Y' - 2.112 · 27 = 27. Grey 128 is 255/219 (128 - 16) = 130.
func TestColourCodes(t *testing.T) {
	p, err := photo.Decoder{HEIC: open(t)}.Decode(sample(t, "video.heic"), photo.Need{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, p, 20, 20, color.RGBA{227, 47, 27, 255})
	near(t, p, 90, 80, color.RGBA{130, 130, 130, 255})
}

// TestDamage: cut or changed anywhere, a file is decoded or refused, and nothing
// else happens.
func TestDamage(t *testing.T) {
	d := photo.Decoder{HEIC: open(t)}
	for name, step := range map[string]int{"made.heic": 151, "grid.heic": 37} {
		whole := sample(t, name)
		for i := 40; i < len(whole); i += step {
			damaged := append([]byte(nil), whole...)
			damaged[i] ^= 0xff
			if _, err := d.Decode(whole[:i], photo.Need{}); !errors.Is(err, photo.ErrTruncated) {
				t.Fatalf("%s, cut at byte %d of %d: %v", name, i, len(whole), err)
			}
			_, err := d.Decode(damaged, photo.Need{})
			var refused *photo.Error
			if err != nil && !errors.As(err, &refused) {
				t.Fatalf("%s, byte %d: %v", name, i, err)
			}
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	d := open(b)
	data := sample(b, "made.heic")
	for b.Loop() {
		if _, err := d.Decode(data, 1<<26); err != nil {
			b.Fatal(err)
		}
	}
}
