package photo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"testing"
)

// TestATruncatedPhotoIsAnError at every place where it may be cut, never a
// half-grey picture.
func TestATruncatedPhotoIsAnError(t *testing.T) {
	for name, s := range samples(t) {
		t.Run(name, func(t *testing.T) {
			// What follows a GIF's first frame does not belong to it: an end of
			// data, and the trailer.
			whole := len(s.data)
			if s.format == "gif" {
				whole -= 2
			}
			for cut := range whole {
				_, err := Decode(s.data[:cut], Limits{})
				if err == nil {
					t.Fatalf("accepted when cut at %d of %d", cut, len(s.data))
				}
				if cut > 12 && !errors.Is(err, ErrTruncated) {
					t.Fatalf("cut at %d of %d: %v", cut, len(s.data), err)
				}
			}
		})
	}
}

func pngHeader(w, h, depth, kind int) []byte {
	head := []byte("IHDR")
	head = binary.BigEndian.AppendUint32(head, uint32(w))
	head = binary.BigEndian.AppendUint32(head, uint32(h))
	head = append(head, byte(depth), byte(kind), 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n"), 0, 0, 0, 13)
	out = append(out, head...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(head))
}

func jpegHeader(w, h int) []byte {
	frame := []byte{0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, byte(h >> 8), byte(h), byte(w >> 8), byte(w), 1, 1, 0x11, 0}
	return append(frame, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0)
}

func gifHeader(w, h int) []byte {
	out := binary.LittleEndian.AppendUint16([]byte("GIF89a"), uint16(w))
	return append(binary.LittleEndian.AppendUint16(out, uint16(h)), 0, 0, 0)
}

func webpHeader(w, h int) []byte {
	out := []byte("RIFF\xf0\x07\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00")
	return append(out, byte(w-1), byte((w-1)>>8), byte((w-1)>>16), byte(h-1), byte((h-1)>>8), byte((h-1)>>16))
}

// padded is a file of 2 KB.
func padded(data []byte) []byte { return append(data, make([]byte, 2048-len(data))...) }

func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		data   []byte
		limits Limits
		want   error
	}{
		{"nothing", nil, Limits{}, ErrNotAPhoto},
		{"text", []byte("not a photo at all"), Limits{}, ErrNotAPhoto},
		{"HTML", []byte("<html><img src=x></html>"), Limits{}, ErrNotAPhoto},
		{"zeros", make([]byte, 5000), Limits{}, ErrNotAPhoto},
		{"animation", testdata(t, "animated.webp"), Limits{}, ErrNotAPhoto},
		{"20 MB", append(asJPEG(t, madeImage()), make([]byte, 20_000_000)...), Limits{}, ErrTooLarge},
		{"one byte too many", asPNG(t, madeImage()), Limits{MaxBytes: len(asPNG(t, madeImage())) - 1}, ErrTooLarge},
		{"huge PNG in 2 KB", padded(pngHeader(60_000, 60_000, 8, 2)), Limits{}, ErrTooManyPixels},
		{"huge JPEG in 2 KB", padded(jpegHeader(60_000, 60_000)), Limits{}, ErrTooManyPixels},
		{"huge GIF in 2 KB", padded(gifHeader(60_000, 60_000)), Limits{}, ErrTooManyPixels},
		{"huge WebP in 2 KB", padded(webpHeader(40_000, 40_000)), Limits{}, ErrTooManyPixels},
		{"long line", padded(pngHeader(1<<31-1, 1, 8, 2)), Limits{}, ErrTooManyPixels},
		{"16 bits count twice", padded(pngHeader(6000, 6000, 16, 2)), Limits{}, ErrTooManyPixels},
		{"more pixels than JPEG can hold in 2 KB", padded(jpegHeader(7000, 7000)), Limits{}, ErrTruncated},
		{"more pixels than PNG can hold in 2 KB", padded(pngHeader(7000, 7000, 8, 2)), Limits{}, ErrTruncated},
		{"too small", asPNG(t, image.NewGray(image.Rect(0, 0, 100, 15))), Limits{}, ErrTooSmall},
		{"no pixels", padded(gifHeader(0, 0)), Limits{}, ErrTruncated},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Decode(c.data, c.limits)
			if p != nil || !errors.Is(err, c.want) {
				t.Fatalf("%v, want %v", err, c.want)
			}
			var e *Error
			if !errors.As(err, &e) || e.Message == "" {
				t.Errorf("no message for people in %#v", err)
			}
		})
	}
}

// TestDamagedPixels: bytes changed in the middle must not crash; whether they
// show depends on the format's checks.
func TestDamagedPixels(t *testing.T) {
	for name, s := range samples(t) {
		t.Run(name, func(t *testing.T) {
			for i := range s.data {
				damaged := bytes.Clone(s.data)
				damaged[i] ^= 0x55
				p, err := Decode(damaged, Limits{})
				var e *Error
				if err == nil && p.Image == nil || err != nil && !errors.As(err, &e) {
					t.Fatalf("byte %d: %v, %v", i, p, err)
				}
			}
		})
	}
}

// FuzzDecode: any bytes give either an opaque picture within the limits, with
// its own size, or an *Error.
func FuzzDecode(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.data)
	}
	f.Add(withAPP1(asJPEG(f, madeImage()), exifBlock{orientation: 5, taken: "2026:05:01 10:11:12", lat: "S", lon: "W"}.bytes(binary.LittleEndian)))
	f.Add(padded(pngHeader(100, 100, 8, 3)))
	f.Add(padded(gifHeader(100, 100)))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Decode(data, Limits{MaxPixels: 1 << 16, MaxBytes: 1 << 20, MinSide: 1})
		if err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		if p.Image.Rect != image.Rect(0, 0, p.Width, p.Height) || p.Width*p.Height > 1<<16 {
			t.Fatalf("%v for %d × %d", p.Image.Rect, p.Width, p.Height)
		}
		for y := range p.Height {
			row := p.Image.Pix[y*p.Image.Stride:][:4*p.Width]
			for i := 3; i < len(row); i += 4 {
				if row[i] != 255 {
					t.Fatalf("alpha %d", row[i])
				}
			}
		}
	})
}
