package heif

import (
	"image"
	"image/color"
	"testing"

	"fieldmark/internal/photo"
	"fieldmark/internal/sandbox/sandboxtest"
)

var open = sandboxtest.Opener(Open)

// TestDecode: the colours that make.sh drew are there, and the place that EXIF
// says. EXIF's orientation does not count: the container says none (ISO/IEC
// 23008-12, 6.5.10).
func TestDecode(t *testing.T) {
	d := photo.Decoder{HEIC: open(t)}
	p, err := d.Decode(sandboxtest.Sample(t, "made.heic"), photo.Need{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Width != 192 || p.Height != 128 || p.MediaType != "image/heic" {
		t.Fatalf("%d × %d, %s", p.Width, p.Height, p.MediaType)
	}
	const rim = 4 // whose colours libde265 leaves a little off
	for y := rim; y < 128-rim; y++ {
		for x := rim; x < 192-rim; x++ {
			sandboxtest.Pixel(t, p, x, y, color.RGBA{uint8(5 * (x / 4)), uint8(7 * (y / 4)), uint8(255 - 5*(x/4)), 255}, 32)
		}
	}
	if p, err = d.Decode(sandboxtest.Sample(t, "turned.heic"), photo.Need{}); err != nil {
		t.Fatal(err)
	}
	if p.Width != 128 || p.Height != 192 || p.EXIF.Orientation != 1 {
		t.Errorf("%d × %d, %+v", p.Width, p.Height, p.EXIF)
	}
	sandboxtest.PlaceAndTime(t, p.EXIF)
}

// TestGrid: as phones have it, a picture of four tiles that goes on beyond its edges,
// to be turned a quarter clockwise. What EXIF says of its orientation does not count;
// its place and time do.
func TestGrid(t *testing.T) {
	p, err := photo.Decoder{HEIC: open(t)}.Decode(sandboxtest.Sample(t, "grid.heic"), photo.Need{})
	if err != nil {
		t.Fatal(err)
	}
	const width, height, tile = 112, 96, 64
	if p.Width != height || p.Height != width || p.Image.Rect != image.Rect(0, 0, height, width) {
		t.Fatalf("%d × %d, %v", p.Width, p.Height, p.Image.Rect)
	}
	tiles := sandboxtest.Quarters()
	for y := range width {
		for x := range height {
			// Clockwise, (x, y) came from column y and row height - 1 - x.
			down, right := height-1-x, y
			if rim := 2; max(tile-down, down-tile) <= rim || max(tile-right, right-tile) <= rim {
				continue // chroma of half the resolution is mixed here
			}
			sandboxtest.Pixel(t, p, x, y, tiles[2*(down/tile)+right/tile], loss)
		}
	}
	sandboxtest.PlaceAndTime(t, p.EXIF)
}

// loss is what HEVC loses of the tiles.
const loss = 4

// TestColourCodes: the numbers of a picture mean what its nclx says. Red (200, 40, 40)
// was coded by BT.601 in the full range as Y 88, Cb 101, Cr 208. By BT.709 in the range
// of video that is, with Y' = 255/219 (88 - 16) = 83.8 and H.273's coefficients times
// 255/224: R = Y' + 1.793 · 80 = 227, G = Y' + 0.213 · 27 - 0.533 · 80 = 47,
// B = Y' - 2.112 · 27 = 27. Grey 128 is 255/219 (128 - 16) = 130.
func TestColourCodes(t *testing.T) {
	p, err := photo.Decoder{HEIC: open(t)}.Decode(sandboxtest.Sample(t, "video.heic"), photo.Need{})
	if err != nil {
		t.Fatal(err)
	}
	sandboxtest.Pixel(t, p, 20, 20, color.RGBA{227, 47, 27, 255}, loss)
	sandboxtest.Pixel(t, p, 90, 80, color.RGBA{130, 130, 130, 255}, loss)
}

// TestDamage: cut anywhere, a file is refused; changed anywhere, it is decoded or
// refused, and nothing else happens.
func TestDamage(t *testing.T) {
	d := photo.Decoder{HEIC: open(t)}
	for name, step := range map[string]int{"made.heic": 151, "grid.heic": 37} {
		sandboxtest.Damage(t, d, name, 40, step)
	}
}
