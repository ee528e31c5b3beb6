package photo

import (
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
	// survey looks over the whole file, without decoding, for what its header does
	// not say; nil where there is nothing of the kind.
	survey func(data []byte, declared image.Config) (survey, error)
	// ratio bounds from above how many pixels one byte of such a file can hold,
	// or is 0 where there is no useful bound.
	ratio int
	// memory is how many bytes decoding takes for each pixel, from the file to
	// the upright picture, everything counted that is allocated on the way.
	memory int
}

// survey is what a look over a file finds.
type survey struct {
	memory int // bytes for each pixel, if that is more than the format takes at least
}

// formats that are read. Memory is, for each pixel: what the decoder gives, RGBA
// made of it, and a second RGBA in which it is turned upright. TestMemory holds
// it against what is allocated.
func jpegFormat() *format {
	// An 8×8 block takes at least one bit in a DC scan.
	return &format{"jpeg", "JPEG", jpeg.DecodeConfig, jpeg.Decode, jpegEXIF, surveyJPEG, 8 * 64, 4 + 4 + 4}
}

func pngFormat() *format {
	// Deflate shrinks by 1,032 at best, and one bit makes a pixel. Samples of 16
	// bits take 8 bytes, and an interlaced picture is decoded in parts first.
	return &format{"png", "PNG", png.DecodeConfig, png.Decode, pngEXIF, surveyPNG, 8 * 1032, 8 + 4 + 4}
}

func gifFormat() *format {
	return &format{"gif", "GIF", gif.DecodeConfig, gif.Decode, noEXIF, nil, 0, 1 + 4}
}

func webpFormat() *format {
	return &format{"webp", "WebP", webp.DecodeConfig, webp.Decode, webpEXIF, surveyWebP, 0, 12 + 4 + 4}
}

// formats are all that are read.
func formats() []*format {
	return []*format{jpegFormat(), pngFormat(), webpFormat(), gifFormat(), heicFormat(), avifFormat()}
}

func (f *format) mediaType() string { return "image/" + f.name }

// Kind is a kind of file that is read.
type Kind struct {
	MediaType string
	Endings   []string // of the files' names, the usual one first
	Sandboxed bool     // it takes ten to twenty times as long as a JPEG
}

// Kinds lists what Decode reads.
func Kinds() []Kind {
	var list []Kind
	for _, f := range formats() {
		endings := []string{"." + f.name}
		switch f.name {
		case "jpeg":
			endings = []string{".jpg", ".jpeg"}
		case heicName:
			endings = append(endings, ".heif")
		}
		list = append(list, Kind{f.mediaType(), endings, f.boxed()})
	}
	return list
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
		return jpegFormat(), nil
	case has(0, "\x89PNG\r\n\x1a\n"):
		return pngFormat(), nil
	case has(0, "GIF87a"), has(0, "GIF89a"):
		return gifFormat(), nil
	case has(0, "RIFF") && has(8, "WEBP"):
		return webpFormat(), nil
	case isHEIC(data):
		return heicFormat(), nil
	case isAVIF(data):
		return avifFormat(), nil
	}
	return nil, notAPhoto(kindOf(data), nil)
}

// check applies the limits to what the file's header declares, before pixels
// are decoded or memory for them is taken, and returns how many bytes decoding
// takes.
func (l Limits) check(f *format, config image.Config, data []byte) (memory int64, err error) {
	w, h := config.Width, config.Height
	if w <= 0 || h <= 0 {
		return 0, truncated(f.title, errors.New("no pixels"))
	}
	cost := 1
	switch config.ColorModel {
	case color.RGBA64Model, color.NRGBA64Model:
		cost = 2
	}
	// By division, so that no product overflows.
	if w > l.MaxPixels/cost/h {
		return 0, tooManyPixels(w, h, l.MaxPixels/cost)
	}
	if min(w, h) < l.MinSide {
		return 0, tooSmall(w, h, l.MinSide)
	}
	if f.ratio > 0 && w*h/f.ratio > len(data) {
		return 0, truncated(f.title, io.ErrUnexpectedEOF)
	}
	perPixel := f.memory
	if f.survey != nil {
		s, err := f.survey(data, config)
		if err != nil {
			return 0, err
		}
		perPixel = max(perPixel, s.memory)
	}
	if most := int(l.MaxMemory) / perPixel; w > most/h {
		return 0, tooManyPixels(w, h, most)
	}
	return int64(w)*int64(h)*int64(perPixel) + decoderMemory, nil
}

// decoderMemory is what a decoder takes whatever the picture's size is: tables,
// windows, rows, EXIF.
const decoderMemory = 8 << 20

// fail says what a decoder's error means: the first bytes were right, so the
// file is either of a rare kind or damaged.
func (f *format) fail(err error) error {
	if refused := (*Error)(nil); errors.As(err, &refused) {
		return err
	}
	var jpegRare jpeg.UnsupportedError
	var pngRare png.UnsupportedError
	if errors.As(err, &jpegRare) || errors.As(err, &pngRare) {
		return rareKind(f.title, err)
	}
	if errors.Is(err, ErrNoDecoder) {
		return unreadableNow(f, err)
	}
	if f.boxed() && !errors.Is(err, io.ErrUnexpectedEOF) {
		return undecodable(f.title, err)
	}
	return truncated(f.title, err)
}
