package photo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const madeW, madeH = 48, 32

// made is the picture that the files of these tests show: smooth, and
// different under every turn and mirror.
func made(x, y int) color.RGBA {
	return color.RGBA{uint8(5 * x), uint8(7 * y), uint8(255 - 5*x), 255}
}

func madeImage() *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, madeW, madeH))
	for y := range madeH {
		for x := range madeW {
			m.SetRGBA(x, y, made(x, y))
		}
	}
	return m
}

// expectMade fails unless the picture is upright and within tolerance of made.
func expectMade(t *testing.T, m *image.RGBA, tolerance int) {
	t.Helper()
	if m.Rect != image.Rect(0, 0, madeW, madeH) {
		t.Fatalf("picture covers %v", m.Rect)
	}
	for y := range madeH {
		for x := range madeW {
			got, want := m.RGBAAt(x, y), made(x, y)
			if got.A != 255 || off(got.R, want.R) > tolerance || off(got.G, want.G) > tolerance || off(got.B, want.B) > tolerance {
				t.Fatalf("(%d, %d) is %v, want %v", x, y, got, want)
			}
		}
	}
}

func off(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }

func encode(t testing.TB, write func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asPNG(t testing.TB, m image.Image) []byte {
	return encode(t, func(b *bytes.Buffer) error { return png.Encode(b, m) })
}

func asJPEG(t testing.TB, m image.Image) []byte {
	return encode(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, m, &jpeg.Options{Quality: 95}) })
}

// asGIF writes made with a palette of its own colours, 16 columns by 16 rows.
func asGIF(t testing.TB) []byte {
	m := image.NewPaletted(image.Rect(0, 0, madeW, madeH), nil)
	for y := 1; y < madeH; y += 2 {
		for x := 1; x < madeW; x += 3 {
			m.Palette = append(m.Palette, made(x, y))
		}
	}
	for y := range madeH {
		for x := range madeW {
			m.SetColorIndex(x, y, uint8(y/2*16+x/3))
		}
	}
	return encode(t, func(b *bytes.Buffer) error { return gif.Encode(b, m, nil) })
}

func testdata(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// translucent is made with an alpha that would darken it if composited.
func translucent() *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, madeW, madeH))
	for y := range madeH {
		for x := range madeW {
			c := made(x, y)
			m.SetNRGBA(x, y, color.NRGBA{c.R, c.G, c.B, uint8(x)})
		}
	}
	return m
}

// deep is made in samples of 16 bits, whose low bytes are noise.
func deep() *image.NRGBA64 {
	m := image.NewNRGBA64(image.Rect(0, 0, madeW, madeH))
	for y := range madeH {
		for x := range madeW {
			c := made(x, y)
			low := uint16(x*y) & 255
			m.SetNRGBA64(x, y, color.NRGBA64{uint16(c.R)<<8 | low, uint16(c.G)<<8 | low, uint16(c.B)<<8 | low, 0x7fff})
		}
	}
	return m
}

// samples are made in every kind of file, with the tolerance of its coding.
func samples(t testing.TB) map[string]sample {
	return map[string]sample{
		"png":              {asPNG(t, madeImage()), "png", 0},
		"png with alpha":   {asPNG(t, translucent()), "png", 0},
		"png of 16 bits":   {asPNG(t, deep()), "png", 0},
		"gif":              {asGIF(t), "gif", 7},
		"jpeg":             {asJPEG(t, madeImage()), "jpeg", 6},
		"jpeg progressive": {testdata(t, "progressive.jpg"), "jpeg", 8},
		"jpeg 4:2:2":       {testdata(t, "422.jpg"), "jpeg", 8},
		"jpeg 4:4:4":       {testdata(t, "444.jpg"), "jpeg", 8},
		"jpeg cmyk":        {testdata(t, "cmyk.jpg"), "jpeg", 8},
		"webp lossy":       {testdata(t, "lossy.webp"), "webp", 8},
		"webp lossless":    {testdata(t, "lossless.webp"), "webp", 0},
		"webp with alpha":  {testdata(t, "alpha.webp"), "webp", 0},
		"webp turned":      {testdata(t, "turned.webp"), "webp", 10},
	}
}

type sample struct {
	data      []byte
	format    string
	tolerance int
}

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

// withPNGChunk puts a chunk before the pixels.
func withPNGChunk(data []byte, kind string, content []byte) []byte {
	const afterHeader = 8 + 25
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	chunk = append(append(chunk, kind...), content...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	return bytes.Join([][]byte{data[:afterHeader], chunk, data[afterHeader:]}, nil)
}

// withAPP1 puts EXIF at the start of a JPEG.
func withAPP1(data, exif []byte) []byte {
	segment := append([]byte("Exif\x00\x00"), exif...)
	head := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(segment)+2))
	return bytes.Join([][]byte{data[:2], head, segment, data[2:]}, nil)
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
	if !errors.As(err, &e) || !errors.Is(err, ErrNotAPhoto) || !strings.Contains(e.Message, "JPEG, PNG, GIF or WebP") {
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
