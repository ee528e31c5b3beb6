package photo

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
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
