package photo

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// manyScans is a progressive JPEG whose last scan is repeated.
func manyScans(t testing.TB, times int) []byte {
	data := testdata(t, "progressive.jpg")
	last := bytes.LastIndex(data, []byte{0xff, 0xda})
	end := len(data) - 2
	return slices.Concat(data[:end], bytes.Repeat(data[last:end], times), data[end:])
}

// canvasLies is a WebP whose header declares few pixels and whose picture has
// 16,383 × 16,383.
func canvasLies() []byte {
	frame := []byte("\x30\x01\x00\x9d\x01\x2a\xff\x3f\xff\x3f")
	data := []byte("RIFF\x00\x00\x00\x00WEBP")
	data = appendRIFF(data, "VP8X", []byte{0, 0, 0, 0, 99, 0, 0, 99, 0, 0})
	data = appendRIFF(data, "VP8 ", append(frame, make([]byte, 2000)...))
	data[4], data[5] = byte(len(data)-8), byte((len(data)-8)>>8)
	return data
}

// manyFrames is an animation of 10,000 frames of which the first is made.
func manyFrames(t testing.TB) []byte {
	one := asGIF(t)
	frame := one[13+colourTable(one[10]) : len(one)-1]
	return slices.Concat(one[:len(one)-1], bytes.Repeat(frame, 9_999), one[len(one)-1:])
}

// TestBombsAreRefusedCheaply: files made to take memory or time are refused before
// either is spent.
func TestBombsAreRefusedCheaply(t *testing.T) {
	for _, c := range []struct {
		name string
		data []byte
		want error
	}{
		{"PNG of 50,000 × 50,000", padded(pngHeader(50_000, 50_000, 8, 2)), ErrTooManyPixels},
		{"JPEG of 10,000 scans", manyScans(t, 10_000), ErrNotAPhoto},
		{"WebP whose canvas lies", canvasLies(), ErrTruncated},
		{"GIF of 65,535 × 65,535", padded(gifHeader(65_535, 65_535)), ErrTooManyPixels},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Decode(c.data, Limits{})
			runtime.ReadMemStats(&after)
			if !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			if spent := after.TotalAlloc - before.TotalAlloc; spent > 1<<20 {
				t.Errorf("it took %d bytes", spent)
			}
		})
	}
}

// TestOfTenThousandFramesTheFirstIsDecoded, and what is behind a JPEG's end is
// nothing to it.
func TestOfTenThousandFramesTheFirstIsDecoded(t *testing.T) {
	data := manyFrames(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p, err := Decode(data, Limits{})
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	expectMade(t, p.Image, 7)
	if spent := after.TotalAlloc - before.TotalAlloc; spent > 1<<20 {
		t.Errorf("it took %d bytes", spent)
	}
	p, err = Decode(append(asJPEG(t, madeImage()), "PK\x03\x04 a ZIP archive"...), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	expectMade(t, p.Image, 6)
}

// A file of as many scans as are allowed is decoded.
func TestScansThatAreAllowed(t *testing.T) {
	p, err := Decode(manyScans(t, 1), Limits{})
	if err == nil {
		expectMade(t, p.Image, 8)
	}
	if _, err := (Decoder{}).Memory(manyScans(t, 50)); err != nil {
		t.Error(err)
	}
}

// TestMemory: decoding allocates no more than Memory says, and what may take more
// than the limit is refused.
func TestMemory(t *testing.T) {
	const w, h = 1200, 900
	noise := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range noise.Pix {
		noise.Pix[i] = byte(i * i >> 7)
	}
	for i := 3; i < len(noise.Pix); i += 4 {
		noise.Pix[i] = byte(i)
	}
	paletted := image.NewPaletted(noise.Rect, color.Palette{color.Black, color.White})
	deep := image.NewNRGBA64(noise.Rect)
	files := map[string][]byte{
		"png":         encode(t, func(b *bytes.Buffer) error { return png.Encode(b, noise) }),
		"png 16 bits": encode(t, func(b *bytes.Buffer) error { return png.Encode(b, deep) }),
		"jpeg":        encode(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, noise, nil) }),
		"gif":         encode(t, func(b *bytes.Buffer) error { return gif.Encode(b, paletted, nil) }),
	}
	files["jpeg turned"] = withAPP1(files["jpeg"], orientationOnly(6))
	for name, data := range files {
		most, err := (Decoder{}).Memory(data)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = Decode(data, Limits{})
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > uint64(most) {
			t.Errorf("%s took %d bytes, said %d", name, took, most)
		}
		if _, err := Decode(data, Limits{MaxMemory: (most - decoderMemory) / 2}); !errors.Is(err, ErrTooManyPixels) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOtherKindsAreNamed in the refusal, with what to do.
func TestOtherKindsAreNamed(t *testing.T) {
	for want, data := range map[string]string{
		"BMP": "BM\x00\x00", "TIFF": "II*\x00\x08\x00\x00\x00", "Nikon": "MM\x00*\x00\x00\x00\x08 NIKON CORPORATION",
		"Canon camera (CR2)": "II*\x00\x10\x00\x00\x00CR\x02\x00", "Canon camera (CR3)": "\x00\x00\x00\x18ftypcrx \x00\x00\x00\x01",
		"Fujifilm": "FUJIFILMCCD-RAW 0201", "PDF": "%PDF-1.7", "SVG": "<?xml version='1.0'?>\n<svg xmlns=''/>", "video": "\x00\x00\x00\x18ftypisom\x00\x00\x02\x00",
		"WebM": "\x1a\x45\xdf\xa3", "ZIP": "PK\x03\x04", "AVIF": "\x00\x00\x00\x1cftypavif\x00\x00\x00\x00mif1miaf", "JPEG XL": "\xff\x0a", "web page": "<!DOCTYPE html><html>",
		"HEIC": "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic", "Photoshop": "8BPS", "AVI": "RIFF\x00\x00\x00\x00AVI LIST",
	} {
		_, err := Decode([]byte(data), Limits{})
		if !errors.Is(err, ErrNotAPhoto) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "Choose a JPEG") {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// broken panics.
type broken struct{}

func (broken) DecodeJPEG([]byte, int, int, int) (*image.RGBA, error) { panic("out of range") }

// TestAPanicIsAnError, wherever in the decoding it happens.
func TestAPanicIsAnError(t *testing.T) {
	_, err := Decoder{JPEG: broken{}}.Decode(asJPEG(t, madeImage()), Need{})
	var p *PanicError
	if !errors.Is(err, ErrNotAPhoto) || !errors.As(err, &p) || len(p.Stack) == 0 {
		t.Errorf("%v", err)
	}
	defer func() {
		if recover() != "in a band" {
			t.Error("bands hides a panic")
		}
	}()
	bands(1000, 1, func(int, int) { panic("in a band") })
}
