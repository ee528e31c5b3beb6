package avif

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"fieldmark/internal/photo"
	"fieldmark/internal/sandbox/sandboxtest"
)

var open = sandboxtest.Opener(Open)

// quarters are the colours of a picture's four, the upper ones first.
type quarters [4]color.RGBA

// made is what make.sh draws.
var made quarters = sandboxtest.Quarters()

// turned is the quarters turned a quarter anticlockwise: the right column becomes the
// upper row.
func (q quarters) turned() quarters { return quarters{q[1], q[3], q[0], q[2]} }

// upsideDown exchanges top and bottom, mirrored left and right.
func (q quarters) upsideDown() quarters { return quarters{q[2], q[3], q[0], q[1]} }
func (q quarters) mirrored() quarters   { return quarters{q[1], q[0], q[3], q[2]} }

// check compares a picture with what it should be, pixel by pixel, but for a rim about
// the quarters where the coder smears.
func check(t *testing.T, p *photo.Photo, size image.Point, want quarters) {
	t.Helper()
	if got := p.Image.Rect; got != (image.Rectangle{Max: size}) || p.Width != size.X || p.Height != size.Y {
		t.Fatalf("%v, %d × %d; want %v", got, p.Width, p.Height, size)
	}
	const rim, loss = 3, 6
	for y := range size.Y {
		for x := range size.X {
			if dx, dy := x-size.X/2, y-size.Y/2; max(dx, -dx) < rim || max(dy, -dy) < rim {
				continue
			}
			sandboxtest.Pixel(t, p, x, y, want[2*(2*y/size.Y)+2*x/size.X], loss)
		}
	}
}

// TestColours: whatever matrix, range and depth a file is coded with, in a grid, with
// transparency or beside an animation, the colours are those that were drawn.
func TestColours(t *testing.T) {
	d := photo.Decoder{AVIF: open(t)}
	for _, name := range []string{"made", "bt601-limited", "bt709-limited", "bt709-full-10bit", "bt2020-limited-12bit", "alpha", "moving"} {
		t.Run(name, func(t *testing.T) {
			p, err := d.Decode(sandboxtest.Sample(t, name+".avif"), photo.Need{})
			if err != nil {
				t.Fatal(err)
			}
			check(t, p, image.Pt(96, 64), made)
		})
	}
	p, err := d.Decode(sandboxtest.Sample(t, "grid.avif"), photo.Need{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, p, image.Pt(192, 128), made)
	// Luma by ITU-R BT.601, as Pillow makes grey: 0.299 R + 0.587 G + 0.114 B.
	var grey quarters
	for i, c := range made {
		l := uint8(math.Round(0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)))
		grey[i] = color.RGBA{l, l, l, 255}
	}
	if p, err = d.Decode(sandboxtest.Sample(t, "grey.avif"), photo.Need{}); err != nil {
		t.Fatal(err)
	}
	check(t, p, image.Pt(96, 64), grey)
}

// TestOrientation: rotation, then mirroring, as the container says and only that. The
// file's EXIF says that it lies on its side, which does not count.
func TestOrientation(t *testing.T) {
	d := photo.Decoder{AVIF: open(t)}
	irot, imir := []byte("\x00\x00\x00\x09irot"), []byte("\x00\x00\x00\x09imir")
	for angle := range 4 {
		for _, axis := range []int{-1, 0, 1} {
			t.Run(fmt.Sprint(angle, axis), func(t *testing.T) {
				data, want, size := sandboxtest.Sample(t, "made.avif"), made, image.Pt(96, 64)
				if axis >= 0 {
					data = sandboxtest.Sample(t, "mirrored.avif")
					data[bytes.Index(data, imir)+len(imir)] = byte(axis)
				}
				data[bytes.Index(data, irot)+len(irot)] = byte(angle)
				for range angle {
					want, size = want.turned(), image.Pt(size.Y, size.X)
				}
				switch axis {
				case 0:
					want = want.upsideDown()
				case 1:
					want = want.mirrored()
				}
				p, err := d.Decode(data, photo.Need{})
				if err != nil {
					t.Fatal(err)
				}
				check(t, p, size, want)
			})
		}
	}
}

// TestCrop: the clean aperture is the upper right quarter and a little, then it is
// turned: here all of the quarter.
func TestCrop(t *testing.T) {
	p, err := photo.Decoder{AVIF: open(t)}.Decode(sandboxtest.Sample(t, "cropped.avif"), photo.Need{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, p, image.Pt(32, 48), quarters{made[1], made[1], made[1], made[1]})
}

func TestPlaceAndTime(t *testing.T) {
	p, err := photo.Decoder{AVIF: open(t)}.Decode(sandboxtest.Sample(t, "made.avif"), photo.Need{})
	if err != nil {
		t.Fatal(err)
	}
	sandboxtest.PlaceAndTime(t, p.EXIF)
	if p.Format != "avif" || p.MediaType != "image/avif" {
		t.Errorf("%s, %s", p.Format, p.MediaType)
	}
}

// TestLimits: a picture beyond the limits is refused by its header, and so is one
// whose samples take too much memory.
func TestLimits(t *testing.T) {
	d := open(t)
	data := sandboxtest.Sample(t, "made.avif")
	for name, l := range map[string]photo.Limits{
		"pixels": {MaxPixels: 96*64 - 1},
		"memory": {MaxMemory: 96 * 64 * 20},
	} {
		if err := (photo.Decoder{AVIF: d, Limits: l}).Inspect(data); !errors.Is(err, photo.ErrTooManyPixels) {
			t.Errorf("%s: %v", name, err)
		}
	}
	deep := sandboxtest.Sample(t, "bt709-full-10bit.avif")
	eight, err := photo.Decoder{AVIF: d}.Memory(data)
	ten, err2 := photo.Decoder{AVIF: d}.Memory(deep)
	if err != nil || err2 != nil || ten <= eight {
		t.Errorf("%d bytes for 8 bits, %d for 10: %v, %v", eight, ten, err, err2)
	}
}

// TestDamage: cut anywhere, a file is refused; changed anywhere, it is decoded or
// refused, and nothing else happens.
func TestDamage(t *testing.T) {
	d := photo.Decoder{AVIF: open(t)}
	for _, name := range []string{"made.avif", "grid.avif"} {
		sandboxtest.Damage(t, d, name, 16, 13)
	}
}

func TestWithoutTheModuleItIsNamed(t *testing.T) {
	for _, name := range []string{"made.avif", "moving.avif"} {
		_, err := photo.Decode(sandboxtest.Sample(t, name), photo.Limits{})
		if !errors.Is(err, photo.ErrNotAPhoto) || !strings.Contains(err.Error(), "AVIF photo") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestHalveIsTheNearest(t *testing.T) {
	for v := range 1 << 16 {
		var got [1]byte
		halve(got[:], []byte{byte(v), byte(v >> 8)})
		if want := math.Round(float64(v) / 257); float64(got[0]) != want {
			t.Fatalf("%d becomes %d, want %v", v, got[0], want)
		}
	}
}
