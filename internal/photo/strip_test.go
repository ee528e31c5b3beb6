package photo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
)

// secret is what no stripped file may have in it.
const secret = "52.51 N 13.51 E, the only nest"

// telling are samples that tell the secret in every place their kind has for it,
// and are to be turned.
func telling(t testing.TB) map[string][]byte {
	exif := append(exifBlock{orientation: 6, lat: "N", lon: "E"}.bytes(binary.BigEndian), secret...)
	segment := func(data []byte, marker byte, content string) []byte {
		return slices.Concat(data[:2], appendSegment(nil, marker, []byte(content)), data[2:])
	}
	files := map[string][]byte{}
	for name, s := range samples(t) {
		data := s.data
		switch s.format {
		case "jpeg":
			data = withAPP1(data, exif)
			data = segment(data, 0xfe, secret)
			data = segment(data, 0xed, "Photoshop 3.0\x00"+secret)
			data = segment(data, 0xe1, "http://ns.adobe.com/xap/1.0/\x00"+secret)
			data = segment(data, 0xe2, "MPF\x00"+secret)
			data = append(bytes.Clone(data), secret...)
		case "png":
			data = withPNGChunk(data, "tEXt", []byte("Comment\x00"+secret))
			data = withPNGChunk(data, "iTXt", []byte(secret))
			data = withPNGChunk(data, "eXIf", exif)
			data = append(bytes.Clone(data), secret...)
		case "gif":
			note := append([]byte{0x21, 0xfe, byte(len(secret))}, secret+"\x00"...)
			xmp := append([]byte("\x21\xff\x0bXMP DataXMP"), byte(len(secret)))
			xmp = append(xmp, secret+"\x00"...)
			at := 13 + colourTable(data[10])
			data = slices.Concat(data[:at], note, xmp, data[at:], []byte(secret))
		case "webp":
			data = bytes.Clone(data)
			data = appendRIFF(data, "EXIF", append(bytes.Clone(exifPrefix), exif...))
			data = appendRIFF(data, "XMP ", []byte(secret))
			binary.LittleEndian.PutUint32(data[4:], uint32(len(data)-8))
			data = append(data, secret...)
		}
		files[name] = data
	}
	return files
}

// TestStrip: nothing but the picture stays, its pixels are the same, and it is
// turned the same way.
func TestStrip(t *testing.T) {
	for name, data := range telling(t) {
		t.Run(name, func(t *testing.T) {
			if !bytes.Contains(data, []byte(secret)) {
				t.Fatal("the sample tells nothing")
			}
			whole, err := Decode(data, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			stripped, err := Strip(data)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(stripped, []byte(secret)) {
				t.Error("it still tells")
			}
			p, err := Decode(stripped, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if p.EXIF.Latitude != nil || p.EXIF.TakenAt != nil {
				t.Errorf("%+v", p.EXIF)
			}
			if p.EXIF.Orientation != whole.EXIF.Orientation {
				t.Errorf("orientation %d, was %d", p.EXIF.Orientation, whole.EXIF.Orientation)
			}
			if p.Image.Rect != whole.Image.Rect || !bytes.Equal(p.Image.Pix, whole.Image.Pix) {
				t.Error("the pixels are others")
			}
			again, err := Strip(stripped)
			if err != nil || !bytes.Equal(again, stripped) {
				t.Errorf("stripping once more changes it (%v)", err)
			}
		})
	}
}

func TestStripRefusesWhatItCannotTakeApart(t *testing.T) {
	for name, data := range map[string][]byte{
		"words": []byte("just some words"), "nothing": nil, "HEIC": []byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"),
		"half a JPEG": asJPEG(t, madeImage())[:300], "half a PNG": asPNG(t, madeImage())[:60], "half a GIF": asGIF(t)[:900],
		"half a WebP": testdata(t, "lossy.webp")[:100],
	} {
		var e *Error
		if out, err := Strip(data); !errors.As(err, &e) {
			t.Errorf("%s: %d bytes, %v", name, len(out), err)
		}
	}
}

// FuzzStrip: whatever the bytes, no panic, nothing longer than a record of the
// orientation more, and what decodes before decodes to the same picture after.
func FuzzStrip(f *testing.F) {
	for _, data := range telling(f) {
		f.Add(data)
	}
	limits := Limits{MaxPixels: 1 << 14, MaxBytes: 1 << 18, MinSide: 1}
	f.Fuzz(func(t *testing.T, data []byte) {
		stripped, err := Strip(data)
		if err != nil {
			return
		}
		if len(stripped) > len(data)+64 {
			t.Fatalf("%d bytes of %d", len(stripped), len(data))
		}
		whole, err := Decode(data, limits)
		if err != nil {
			return
		}
		p, err := Decode(stripped, limits)
		if err != nil {
			t.Fatalf("it decoded before: %v", err)
		}
		if p.Image.Rect != whole.Image.Rect || !bytes.Equal(p.Image.Pix, whole.Image.Pix) || p.EXIF.Latitude != nil {
			t.Fatal("another picture")
		}
	})
}
