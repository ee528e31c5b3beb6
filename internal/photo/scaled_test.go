package photo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"os"
	"path/filepath"
	"testing"

	"fieldmark/internal/turbojpeg"
)

// turbo is libjpeg-turbo; without it the test is skipped, since Fieldmark does
// without it too.
func turbo(t testing.TB) *turbojpeg.Library {
	t.Helper()
	l, err := turbojpeg.Open("")
	if errors.Is(err, turbojpeg.ErrNotFound) {
		t.Skip("not compared with libjpeg-turbo: ", err)
	} else if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestTheScaleLeavesWhatIsNeeded(t *testing.T) {
	for _, c := range []struct {
		need       Need
		w, h, want int
	}{
		{Need{}, 4000, 3000, 1},
		{Need{Shorter: 320}, 4000, 3000, 8}, // 375
		{Need{Shorter: 320}, 3000, 4000, 8},
		{Need{Shorter: 448}, 4000, 3000, 4}, // 750; an eighth would be 375
		{Need{Shorter: 320, Longer: 640}, 4000, 3000, 4},
		{Need{Longer: 500}, 4000, 3000, 8}, // 500 exactly
		{Need{Longer: 501}, 4000, 3000, 4},
		{Need{Shorter: 320}, 1024, 768, 2},
		{Need{Shorter: 320}, 639, 639, 1},
		{Need{Shorter: 320}, 100, 50, 1}, // has less than is asked for
		{Need{Shorter: 320}, 4000, 600, 1},
	} {
		if got := c.need.denominator(c.w, c.h); got != c.want {
			t.Errorf("%+v of %d × %d: 1/%d, want 1/%d", c.need, c.w, c.h, got, c.want)
		}
	}
}

// aCounter decodes nothing, and counts how often it was asked.
type aCounter struct{ asked int }

func (c *aCounter) DecodeJPEG([]byte, int, int, int) (*image.RGBA, error) {
	c.asked++
	return nil, errors.New("not today")
}

// TestGoHasTheLastWord: where the helper fails the photo is Go's, in full; and
// it is not asked at all for what the limits refuse or what is no JPEG.
func TestGoHasTheLastWord(t *testing.T) {
	data := asJPEG(t, madeImage())
	helper := &aCounter{}
	got, err := Decoder{JPEG: helper}.Decode(data, Need{Shorter: 1})
	if err != nil {
		t.Fatal(err)
	}
	want, err := Decode(data, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if helper.asked != 1 || !bytes.Equal(got.Image.Pix, want.Image.Pix) {
		t.Errorf("asked %d times; the pixels must be those of Go's decoder", helper.asked)
	}
	helper.asked = 0
	for _, data := range [][]byte{
		padded(jpegHeader(60_000, 60_000)), padded(jpegHeader(7000, 7000)), padded(jpegHeader(3, 3)), asPNG(t, madeImage()),
	} {
		// The PNG is read, the others are refused; errors are tested elsewhere.
		_, _ = Decoder{JPEG: helper}.Decode(data, Need{Shorter: 1})
	}
	if helper.asked != 0 {
		t.Errorf("asked for a file that is refused, or is no JPEG")
	}
}

// times is made with every pixel as a square of k × k, turned as a camera
// stores it.
func times(k, orientation int) *image.RGBA {
	small := stored(orientation)
	large := image.NewRGBA(image.Rect(0, 0, k*small.Rect.Dx(), k*small.Rect.Dy()))
	for y := range large.Rect.Dy() {
		for x := range large.Rect.Dx() {
			large.SetRGBA(x, y, small.RGBAAt(x/k, y/k))
		}
	}
	return large
}

// TestScaledPhotosComeUpright: at each scale and in every orientation, the
// picture is made and the size is told in full.
func TestScaledPhotosComeUpright(t *testing.T) {
	d := Decoder{JPEG: turbo(t)}
	for _, k := range []int{1, 2, 4, 8} {
		for o := 1; o <= 8; o++ {
			data := withAPP1(asJPEG(t, times(k, o)), exifBlock{orientation: o}.bytes(binary.BigEndian))
			p, err := d.Decode(data, Need{Shorter: madeH, Longer: madeW})
			if err != nil {
				t.Fatal(err)
			}
			if p.Width != k*madeW || p.Height != k*madeH || p.EXIF.Orientation != o {
				t.Errorf("1/%d, orientation %d: told as %d × %d, %d", k, o, p.Width, p.Height, p.EXIF.Orientation)
			}
			expectMade(t, p.Image, 8)
			if s := p.Scaled(); s.FullSize() != image.Pt(k*madeW, k*madeH) || s.Decoded() != p.Image {
				t.Errorf("1/%d, orientation %d: scaled of %v", k, o, s.FullSize())
			}
		}
	}
}

// TestTurboReadsWhatGoReads: every kind of JPEG comes out alike, within what
// rounding allows, and CMYK, which only Go's decoder turns into RGB, too.
func TestTurboReadsWhatGoReads(t *testing.T) {
	d := Decoder{JPEG: turbo(t)}
	for name, s := range samples(t) {
		if s.format != "jpeg" {
			continue
		}
		p, err := d.Decode(s.data, Need{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		expectMade(t, p.Image, s.tolerance)
	}
	grey := image.NewGray(image.Rect(0, 0, 400, 300))
	for i := range grey.Pix {
		grey.Pix[i] = 77
	}
	p, err := d.Decode(asJPEG(t, grey), Need{Shorter: 75})
	if err != nil || p.Image.Rect.Dy() != 75 || p.Image.RGBAAt(50, 40) != p.Image.RGBAAt(0, 0) || p.Image.RGBAAt(50, 40).R != 77 || p.Image.RGBAAt(50, 40).B != 77 {
		t.Errorf("grey: %v", err)
	}
}

// TestTurboGivesPillowsPixels, bit for bit: both are libjpeg-turbo. CMYK is
// Go's to decode.
func TestTurboGivesPillowsPixels(t *testing.T) {
	d := Decoder{JPEG: turbo(t), Limits: Limits{MinSide: 1}}
	root := packRoot(t)
	compared := 0
	for _, c := range parityCases(t, root) {
		if c.Archive != "" || c.Decoder != "jpeg" || c.ID == "jpg-cmyk" {
			continue
		}
		compared++
		data, err := os.ReadFile(filepath.Join(root, "parity", "preprocess", c.File))
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.Decode(data, Need{})
		if err != nil {
			t.Fatal(err)
		}
		if rgbHash(p.Image) != c.RGBSHA256 {
			t.Errorf("%s differs from Pillow's", c.ID)
		}
	}
	if compared < 10 {
		t.Errorf("only %d files compared", compared)
	}
}

// judge decodes a file with libjpeg-turbo and without. Whatever is taken
// without must be taken with it, of the same size; whatever is refused with it
// must be refused without, in the same words. It reports whether both agree:
// libjpeg does not look at some faults in tables, such as a reference to one
// that no block uses.
func judge(t *testing.T, l *turbojpeg.Library, data []byte) (agree bool) {
	t.Helper()
	limits := Limits{MaxPixels: 1 << 16, MaxBytes: 1 << 20, MinSide: 1}
	plain, errPlain := Decode(data, limits)
	helped, errHelped := Decoder{Limits: limits, JPEG: l}.Decode(data, Need{Shorter: 8})
	if errHelped != nil {
		if errPlain == nil || errPlain.Error() != errHelped.Error() {
			t.Fatalf("without help: %v; with it: %v", errPlain, errHelped)
		}
		return true
	}
	d := 1
	for ; d < 8 && helped.Image.Rect.Dx() < (helped.Width+d-1)/d; d *= 2 {
	}
	if helped.Image.Rect.Dx() != (helped.Width+d-1)/d || helped.Image.Rect.Dy() != (helped.Height+d-1)/d {
		t.Fatalf("%v of %d × %d", helped.Image.Rect, helped.Width, helped.Height)
	}
	for i := 3; i < len(helped.Image.Pix); i += 4 {
		if helped.Image.Pix[i] != 255 {
			t.Fatalf("alpha %d", helped.Image.Pix[i])
		}
	}
	if errPlain != nil {
		return false
	}
	if plain.Width != helped.Width || plain.Height != helped.Height || plain.EXIF.Orientation != helped.EXIF.Orientation {
		t.Fatalf("without help %d × %d, with it %d × %d", plain.Width, plain.Height, helped.Width, helped.Height)
	}
	return true
}

// TestDamageIsJudgedAlike: cut at every place, and with every byte changed.
func TestDamageIsJudgedAlike(t *testing.T) {
	l := turbo(t)
	for name, s := range samples(t) {
		if s.format != "jpeg" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			lenient := 0
			for i := range s.data {
				if !judge(t, l, s.data[:i]) {
					t.Fatalf("taken though cut at %d of %d", i, len(s.data))
				}
				damaged := bytes.Clone(s.data)
				damaged[i] ^= 0x55
				if !judge(t, l, damaged) {
					lenient++
				}
			}
			if lenient > len(s.data)/50 {
				t.Errorf("%d of %d changed bytes pass only with help", lenient, len(s.data))
			}
			t.Logf("%d of %d changed bytes pass only with help", lenient, len(s.data))
		})
	}
}

func FuzzDecodeScaled(f *testing.F) {
	l := turbo(f)
	for _, s := range samples(f) {
		if s.format == "jpeg" {
			f.Add(s.data)
		}
	}
	f.Add(asJPEG(f, times(8, 1)))
	f.Add(withAPP1(asJPEG(f, times(4, 6)), exifBlock{orientation: 6}.bytes(binary.LittleEndian)))
	f.Fuzz(func(t *testing.T, data []byte) { judge(t, l, data) })
}
