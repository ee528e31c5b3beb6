package photo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/webp"
)

// format is one kind of file that Decode reads.
type format struct {
	name      string
	title     string // as people write it
	config    func(io.Reader) (image.Config, error)
	decode    func(io.Reader) (image.Image, error)
	exifBlock func(data []byte) []byte // the TIFF structure of its EXIF, or nil
	// ratio bounds from above how many pixels one byte of such a file can hold,
	// or is 0 where there is no useful bound.
	ratio int
}

// sniff tells a file's format by its first bytes; names and declared types are
// not to be trusted.
func sniff(data []byte) (*format, error) {
	has := func(offset int, magic string) bool {
		return len(data) >= offset+len(magic) && string(data[offset:offset+len(magic)]) == magic
	}
	switch {
	case len(data) == 0:
		return nil, notAPhoto("This file is empty.", nil)
	case has(0, "\xff\xd8\xff"):
		// An 8×8 block takes at least one bit in a DC scan.
		return &format{"jpeg", "JPEG", jpeg.DecodeConfig, jpeg.Decode, jpegEXIF, 8 * 64}, nil
	case has(0, "\x89PNG\r\n\x1a\n"):
		// Deflate shrinks by 1,032 at best, and one bit makes a pixel.
		return &format{"png", "PNG", png.DecodeConfig, png.Decode, pngEXIF, 8 * 1032}, nil
	case has(0, "GIF87a"), has(0, "GIF89a"):
		return &format{"gif", "GIF", gif.DecodeConfig, gif.Decode, noEXIF, 0}, nil
	case has(0, "RIFF") && has(8, "WEBP"):
		return sniffWebP(data)
	case has(4, "ftyp"):
		return nil, sniffISO(data)
	}
	return nil, notAPhoto("This is not a photo, or not of a kind that can be read.", nil)
}

func sniffWebP(data []byte) (*format, error) {
	const animated = 1 << 1
	f := &format{"webp", "WebP", webp.DecodeConfig, webp.Decode, webpEXIF, 0}
	if size := binary.LittleEndian.Uint32(data[4:]); uint64(size)+8 > uint64(len(data)) {
		return nil, truncated(f.title, io.ErrUnexpectedEOF)
	}
	if len(data) > 20 && string(data[12:16]) == "VP8X" && data[20]&animated != 0 {
		return nil, notAPhoto("This WebP file is an animation: save one picture of it.", nil)
	}
	return f, nil
}

// sniffISO names the kin of HEIF, which no maintained Go decoder reads at a
// bearable cost; phones convert them when asked.
func sniffISO(data []byte) error {
	brand := data[8:min(len(data), 32)]
	switch {
	case bytes.Contains(brand, []byte("avif")):
		return notAPhoto("This is an AVIF photo: convert it to JPEG.", nil)
	case bytes.Contains(brand, []byte("hei")), bytes.Contains(brand, []byte("hev")), bytes.Contains(brand, []byte("mif1")):
		return notAPhoto("This is a HEIC photo: convert it to JPEG (on an iPhone: Settings, Camera, Formats, Most Compatible).", nil)
	}
	return notAPhoto("This is a video or an unknown kind of picture.", nil)
}

// check applies the limits to what the file's header declares, before pixels
// are decoded or memory for them is taken.
func (l Limits) check(f *format, config image.Config, size int) error {
	w, h := config.Width, config.Height
	if w <= 0 || h <= 0 {
		return truncated(f.title, errors.New("no pixels"))
	}
	cost := 1
	switch config.ColorModel {
	case color.RGBA64Model, color.NRGBA64Model:
		cost = 2
	}
	// By division, so that no product overflows.
	if w > l.MaxPixels/cost/h {
		return tooManyPixels(w, h, l.MaxPixels/cost)
	}
	if min(w, h) < l.MinSide {
		return tooSmall(w, h, l.MinSide)
	}
	if f.ratio > 0 && w*h/f.ratio > size {
		return truncated(f.title, io.ErrUnexpectedEOF)
	}
	return nil
}

// fail says what a decoder's error means: the first bytes were right, so the
// file is either of a rare kind or damaged.
func (f *format) fail(err error) error {
	var jpegRare jpeg.UnsupportedError
	var pngRare png.UnsupportedError
	if errors.As(err, &jpegRare) || errors.As(err, &pngRare) {
		return notAPhoto("This "+f.title+" file is of a rare kind that cannot be read: open it in a photo program and save it again.", err)
	}
	return truncated(f.title, err)
}
