package photo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"strings"
	"testing"
)

func TestDecodeReadsEveryFormat(t *testing.T) {
	for name, s := range samples(t) {
		t.Run(name, func(t *testing.T) {
			p, err := Decode(s.data, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if p.Format != s.format || p.MediaType != "image/"+s.format {
				t.Errorf("read as %s, %s", p.Format, p.MediaType)
			}
			if p.Width != madeW || p.Height != madeH {
				t.Errorf("size %d × %d", p.Width, p.Height)
			}
			expectMade(t, p.Image, s.tolerance)
		})
	}
}

// Whatever is told by its first bytes is listed, once.
func TestKinds(t *testing.T) {
	heads := map[string]string{"image/jpeg": "\xff\xd8\xff", "image/png": "\x89PNG\r\n\x1a\n", "image/gif": "GIF89a", "image/webp": "RIFF    WEBP",
		"image/heic": "\x00\x00\x00\x10ftypheic\x00\x00\x00\x00", "image/avif": "\x00\x00\x00\x10ftypavif\x00\x00\x00\x00"}
	for _, k := range Kinds() {
		f, err := sniff([]byte(heads[k.MediaType]))
		if err != nil || f.mediaType() != k.MediaType || k.Sandboxed != f.boxed() || len(k.Endings) == 0 {
			t.Errorf("%+v: %v, %v", k, f, err)
		}
		delete(heads, k.MediaType)
	}
	if len(heads) > 0 {
		t.Errorf("not listed: %v", heads)
	}
}

func TestGreyIsGrey(t *testing.T) {
	grey := image.NewGray(image.Rect(0, 0, 20, 20))
	deep := image.NewGray16(grey.Rect)
	for i := range grey.Pix {
		grey.Pix[i] = 77
		deep.Pix[2*i] = 77
	}
	for name, data := range map[string][]byte{"jpeg": asJPEG(t, grey), "png": asPNG(t, grey), "png of 16 bits": asPNG(t, deep)} {
		p, err := Decode(data, Limits{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, want := p.Image.RGBAAt(10, 10), (color.RGBA{77, 77, 77, 255}); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestGIFFrameOnItsCanvas: the first frame may cover only a part.
func TestGIFFrameOnItsCanvas(t *testing.T) {
	red := color.RGBA{200, 0, 0, 255}
	frame := image.NewPaletted(image.Rect(10, 5, 20, 15), color.Palette{red, color.Black})
	data := encode(t, func(b *bytes.Buffer) error {
		return gif.EncodeAll(b, &gif.GIF{Image: []*image.Paletted{frame}, Delay: []int{0}, Config: image.Config{Width: 40, Height: 30}})
	})
	p, err := Decode(data, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Width != 40 || p.Height != 30 {
		t.Fatalf("size %d × %d", p.Width, p.Height)
	}
	for at, want := range map[image.Point]color.RGBA{{9, 5}: {0, 0, 0, 255}, {10, 5}: red, {19, 14}: red, {20, 14}: {0, 0, 0, 255}} {
		if got := p.Image.RGBAAt(at.X, at.Y); got != want {
			t.Errorf("%v is %v, want %v", at, got, want)
		}
	}
}

// stored is made as a camera that was turned would store it: EXIF's
// orientation names the sides of the upright picture at which the stored row 0
// and column 0 lie (EXIF 2.32, tag 274).
func stored(orientation int) *image.RGBA {
	w, h := madeW, madeH
	if orientation >= 5 {
		w, h = h, w
	}
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	const right, bottom = madeW - 1, madeH - 1
	for y := range h {
		for x := range w {
			at := map[int][2]int{
				1: {x, y},                  // top, left
				2: {right - x, y},          // top, right
				3: {right - x, bottom - y}, // bottom, right
				4: {x, bottom - y},         // bottom, left
				5: {y, x},                  // left, top
				6: {right - y, x},          // right, top
				7: {right - y, bottom - x}, // right, bottom
				8: {y, bottom - x},         // left, bottom
			}[orientation]
			m.SetRGBA(x, y, made(at[0], at[1]))
		}
	}
	return m
}

func TestEveryOrientationComesUpright(t *testing.T) {
	for o := 1; o <= 8; o++ {
		exif := exifBlock{orientation: o}.bytes(binary.LittleEndian)
		for name, c := range map[string]struct {
			data      []byte
			tolerance int
		}{
			"png":  {withPNGChunk(asPNG(t, stored(o)), "eXIf", exif), 0},
			"jpeg": {withAPP1(asJPEG(t, stored(o)), exif), 6},
		} {
			p, err := Decode(c.data, Limits{})
			if err != nil {
				t.Fatalf("%s %d: %v", name, o, err)
			}
			if p.EXIF.Orientation != o || p.Width != madeW || p.Height != madeH {
				t.Errorf("%s %d: orientation %d, size %d × %d", name, o, p.EXIF.Orientation, p.Width, p.Height)
			}
			expectMade(t, p.Image, c.tolerance)
		}
	}
}

func TestHashNamesTheBytes(t *testing.T) {
	// SHA-256 of "abc", FIPS 180-4.
	if got := Hash([]byte("abc")); got != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Errorf("hash %s", got)
	}
}

func TestThumbnail(t *testing.T) {
	for _, c := range []struct{ w, h, side, wantW, wantH int }{
		{400, 300, 100, 100, 75},
		{300, 400, 100, 75, 100},
		{30, 20, 100, 30, 20}, // never enlarged
		{5000, 2, 100, 100, 1},
	} {
		data, err := Thumbnail(image.NewRGBA(image.Rect(0, 0, c.w, c.h)), c.side)
		if err != nil {
			t.Fatal(err)
		}
		config, err := jpeg.DecodeConfig(bytes.NewReader(data))
		if err != nil || config.Width != c.wantW || config.Height != c.wantH {
			t.Errorf("%+v: %d × %d, %v", c, config.Width, config.Height, err)
		}
	}
	if _, err := Thumbnail(image.NewRGBA(image.Rectangle{}), 100); err == nil {
		t.Error("a thumbnail of nothing")
	}
}

// TestThumbnailTellsNoPlace: what a thumbnail is made of has no EXIF.
func TestThumbnailTellsNoPlace(t *testing.T) {
	exif := exifBlock{orientation: 6, lat: "N", lon: "E"}.bytes(binary.BigEndian)
	p, err := Decode(withAPP1(asJPEG(t, stored(6)), exif), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if p.EXIF.Latitude == nil {
		t.Fatal("the photo itself should tell its place")
	}
	data, err := Thumbnail(p.Image, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(data, []byte("Exif")) {
		t.Error("the thumbnail has EXIF")
	}
	again, err := Decode(data, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	expectMade(t, again.Image, 12)
}

func TestErrorsSayWhatToDo(t *testing.T) {
	_, err := Decode([]byte("%PDF-1.7"), Limits{})
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, ErrNotAPhoto) || !strings.Contains(e.Message, "JPEG, PNG, GIF, WebP, HEIC or AVIF") {
		t.Errorf("%v", err)
	}
	_, err = Decode([]byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"), Limits{})
	if !errors.Is(err, ErrNotAPhoto) || !strings.Contains(err.Error(), "HEIC") || !strings.Contains(err.Error(), "convert to JPEG") && !strings.Contains(err.Error(), "convert it to JPEG") {
		t.Errorf("%v", err)
	}
}

// TestThumbnailShowsThePhoto: a large picture of made, each of its pixels a
// square, comes back as made when it is scaled down to its size.
func TestThumbnailShowsThePhoto(t *testing.T) {
	const times = 9
	large := image.NewRGBA(image.Rect(0, 0, times*madeW, times*madeH))
	for y := range times * madeH {
		for x := range times * madeW {
			large.SetRGBA(x, y, made(x/times, y/times))
		}
	}
	data, err := Thumbnail(large, madeW)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Decode(data, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	expectMade(t, p.Image, 12)
}
