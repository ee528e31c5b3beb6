package avif

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"strings"
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

// quarters are the colours of a picture's four, the upper ones first.
type quarters [4]color.RGBA

// made is what make.sh draws.
var made = quarters{{200, 40, 40, 255}, {40, 180, 60, 255}, {40, 60, 200, 255}, {128, 128, 128, 255}}

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
	const rim, near = 3, 6
	for y := range size.Y {
		for x := range size.X {
			if dx, dy := x-size.X/2, y-size.Y/2; max(dx, -dx) < rim || max(dy, -dy) < rim {
				continue
			}
			c, w := p.Image.RGBAAt(x, y), want[2*(2*y/size.Y)+2*x/size.X]
			off := max(abs(c.R, w.R), abs(c.G, w.G), abs(c.B, w.B))
			if off > near || c.A != 255 {
				t.Fatalf("(%d, %d) is %v, want %v", x, y, c, w)
			}
		}
	}
}

func abs(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }

// TestColours: whatever matrix, range and depth a file is coded with, in a grid, with
// transparency or beside an animation, the colours are those that were drawn.
func TestColours(t *testing.T) {
	d := photo.Decoder{AVIF: open(t)}
	for _, name := range []string{"made", "bt601-limited", "bt709-limited", "bt709-full-10bit", "bt2020-limited-12bit", "alpha", "moving"} {
		t.Run(name, func(t *testing.T) {
			p, err := d.Decode(sample(t, name+".avif"), photo.Need{})
			if err != nil {
				t.Fatal(err)
			}
			check(t, p, image.Pt(96, 64), made)
		})
	}
	p, err := d.Decode(sample(t, "grid.avif"), photo.Need{})
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
	if p, err = d.Decode(sample(t, "grey.avif"), photo.Need{}); err != nil {
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
				data, want, size := sample(t, "made.avif"), made, image.Pt(96, 64)
				if axis >= 0 {
					data = sample(t, "mirrored.avif")
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
	p, err := photo.Decoder{AVIF: open(t)}.Decode(sample(t, "cropped.avif"), photo.Need{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, p, image.Pt(32, 48), quarters{made[1], made[1], made[1], made[1]})
}

func TestPlaceAndTime(t *testing.T) {
	p, err := photo.Decoder{AVIF: open(t)}.Decode(sample(t, "made.avif"), photo.Need{})
	if err != nil {
		t.Fatal(err)
	}
	const minutes = 30.0/60 + 36.0/3600
	e := p.EXIF
	if e.Latitude == nil || math.Abs(*e.Latitude-52-minutes) > 1e-9 || math.Abs(*e.Longitude-13-minutes) > 1e-9 {
		t.Errorf("%+v", e)
	}
	if e.TakenAt == nil || e.TakenAt.Format("2006-01-02 15:04:05") != "2025-06-01 10:20:30" {
		t.Errorf("taken at %v", e.TakenAt)
	}
	if p.Format != "avif" || p.MediaType != "image/avif" {
		t.Errorf("%s, %s", p.Format, p.MediaType)
	}
}

// TestLimits: a picture beyond the limits is refused by its header, and so is one
// whose samples take too much memory.
func TestLimits(t *testing.T) {
	d := open(t)
	data := sample(t, "made.avif")
	for name, l := range map[string]photo.Limits{
		"pixels": {MaxPixels: 96*64 - 1},
		"memory": {MaxMemory: 96 * 64 * 20},
	} {
		if err := (photo.Decoder{AVIF: d, Limits: l}).Inspect(data); !errors.Is(err, photo.ErrTooManyPixels) {
			t.Errorf("%s: %v", name, err)
		}
	}
	deep := sample(t, "bt709-full-10bit.avif")
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
		whole := sample(t, name)
		for i := 16; i < len(whole); i += 13 {
			damaged := bytes.Clone(whole)
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

func TestWithoutTheModuleItIsNamed(t *testing.T) {
	for _, name := range []string{"made.avif", "moving.avif"} {
		_, err := photo.Decode(sample(t, name), photo.Limits{})
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

func BenchmarkDecode(b *testing.B) {
	d := open(b)
	data := sample(b, "made.avif")
	for b.Loop() {
		if _, err := d.Decode(data, 1<<26); err != nil {
			b.Fatal(err)
		}
	}
}
