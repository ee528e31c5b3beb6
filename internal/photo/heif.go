package photo

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"io"
)

// Pictures in the container of ISO/IEC 23008-12: HEIC, coded by HEVC, as phones make
// them, and AVIF, coded by AV1.

// A Sandbox decodes pictures of one kind where a decoder that a file made for that
// purpose has broken can do no harm.
type Sandbox interface {
	// Decode may take so many bytes of memory. An error that is ErrNoDecoder is none of
	// the file's.
	Decode(data []byte, memory int64) (image.Image, error)
}

const (
	heicName = "heic"
	avifName = "avif"
)

// hasBrand reports whether a file's beginning says that it can be read as one of these
// kinds (ISO/IEC 14496-12, 4.3).
func hasBrand(data []byte, kinds ...string) bool {
	if len(data) < 12 || string(data[4:8]) != "ftyp" {
		return false
	}
	size := binary.BigEndian.Uint32(data)
	brands := data[8:min(len(data), 64, int(max(size, 12)))]
	for _, kind := range kinds {
		if bytes.Contains(brands, []byte(kind)) {
			return true
		}
	}
	return false
}

// isHEIC reports whether a file says that it holds a HEIC still.
func isHEIC(data []byte) bool { return hasBrand(data, "heic", "heix", "heim", "heis") }

// isAVIF reports whether a file says that it holds an AVIF still, which one with an
// animation may hold beside that.
func isAVIF(data []byte) bool { return hasBrand(data, "avif") }

// heicFormat counts what decoding takes in the sandbox, at most 18 bytes for a pixel (4:4:4
// of 10 bits), and what is copied out of it.
func heicFormat() *format {
	return &format{name: heicName, title: "HEIC", config: heifConfig, exifBlock: itemEXIF, memory: 22}
}

// avifFormat counts the same: 24 bytes in the sandbox, and three pictures of RGBA, the
// decoded one, that cropped, that turned.
func avifFormat() *format {
	return &format{name: avifName, title: "AVIF", config: heifConfig, exifBlock: itemEXIF, survey: surveyAVIF, memory: 24 + 3*4}
}

// boxed reports whether a file's pictures stand in boxes and are decoded in a sandbox.
func (f *format) boxed() bool { return f.name == heicName || f.name == avifName }

// sandbox is what decodes a boxed format; nil if there is nothing.
func (d Decoder) sandbox(f *format) Sandbox {
	if f.name == avifName {
		return d.AVIF
	}
	return d.HEIC
}

// heifConfig is the size of the largest picture that the file declares: whichever is
// decoded, it has no more pixels.
func heifConfig(r io.Reader) (image.Config, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return image.Config{}, err
	}
	largest := image.Config{ColorModel: color.YCbCrModel}
	all, found := allProperties(data)
	if !found {
		return largest, io.ErrUnexpectedEOF
	}
	for _, p := range all {
		if p.kind != "ispe" {
			continue
		}
		f := fields{b: p.content}
		f.version()
		largest.Width, largest.Height = max(largest.Width, int(f.number(4))), max(largest.Height, int(f.number(4)))
	}
	return largest, nil
}

// surveyAVIF tells samples of 10 and 12 bits, which take twice the memory.
func surveyAVIF(data []byte, _ image.Config) (survey, error) {
	all, _ := allProperties(data)
	for _, p := range all {
		const depth, high = 2, 1 << 6 // AV1 in ISOBMFF, 2.3.3: high_bitdepth
		if p.kind == "av1C" && len(p.content) > depth && p.content[depth]&high != 0 {
			return survey{memory: 36 + 3*4}, nil
		}
	}
	return survey{}, nil
}

// heif decodes a boxed file with the help that the decoder has, which is not believed
// when it returns more pixels than the file declares.
func (d Decoder) heif(f *format, data []byte, config image.Config, memory int64) (img *image.RGBA, size image.Point, err error) {
	m, err := d.sandbox(f).Decode(data, memory)
	if err != nil {
		return nil, size, err
	}
	got := m.Bounds().Size()
	if got.X < 1 || got.Y < 1 || got.X*got.Y > config.Width*config.Height {
		return nil, size, fmt.Errorf("%d × %d pixels, where the file declares %d × %d at most", got.X, got.Y, config.Width, config.Height)
	}
	img = f.rgba(m, m.Bounds())
	if f.name == heicName { // libheif has cropped it
		return img, img.Rect.Size(), nil
	}
	if part := cleanAperture(mainProperties(data), img.Rect.Size()); !part.Empty() {
		img = cropped(img, part)
	}
	return img, img.Rect.Size(), nil
}

// heifOrientation is how a boxed file's picture is to be turned after it was decoded.
func (f *format) heifOrientation(data []byte) int {
	if f.name == heicName { // libheif has turned it
		return 1
	}
	return orientation(mainProperties(data))
}

// cropped copies a part, so that the picture begins at (0, 0).
func cropped(img *image.RGBA, part image.Rectangle) *image.RGBA {
	return fill(part, func(to []byte, y int) { copy(to, img.Pix[img.PixOffset(part.Min.X, part.Min.Y+y):]) })
}

// unreadableNow refuses a photo that nothing is wrong with.
func unreadableNow(f *format, cause error) error {
	return refuse(ErrNoDecoder, cause, Sentence{"This Fieldmark cannot read %s photos at the moment: tell whoever runs it, or save the photo as JPEG.", []any{f.title}})
}

func without(f *format) error {
	if f.name == avifName {
		return notAPhoto("This is an AVIF photo, which this Fieldmark cannot read: open it in a photo program and save it as JPEG.", nil)
	}
	return notAPhoto("This is a HEIC photo, which this Fieldmark cannot read: convert it to JPEG "+
		"(on an iPhone: Settings, Camera, Formats, Most Compatible).", nil)
}
