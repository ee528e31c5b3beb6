// Package photo turns the bytes of an upload into an upright RGB picture,
// within limits that are checked before anything is decoded, and reads from
// its EXIF when and where it was taken. It knows nothing of the rest of
// Fieldmark.
package photo

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image"
)

// Limits on what Decode accepts. A zero field means its default.
type Limits struct {
	MaxBytes  int // size of the file; default 16 MiB
	MaxPixels int // width times height; default 50 million, a sample of 16 bits counts twice
	MinSide   int // the shorter side, in pixels; default 16

	// MaxMemory is how many bytes decoding one photo may take, by what its kind of
	// file takes for a pixel; default 1 GiB.
	MaxMemory int64
}

const (
	defaultMaxBytes  = 16 << 20
	defaultMaxPixels = 50_000_000
	defaultMinSide   = 16
	defaultMaxMemory = 1 << 30
)

func (l Limits) withDefaults() Limits {
	if l.MaxBytes <= 0 {
		l.MaxBytes = defaultMaxBytes
	}
	if l.MaxPixels <= 0 {
		l.MaxPixels = defaultMaxPixels
	}
	if l.MinSide <= 0 {
		l.MinSide = defaultMinSide
	}
	if l.MaxMemory <= 0 {
		l.MaxMemory = defaultMaxMemory
	}
	return l
}

// A Photo is a decoded picture.
type Photo struct {
	// Image is upright, begins at (0, 0), and every alpha is 255. Where the
	// file has transparency it is dropped, not composited, as Pillow's
	// convert("RGB") does: the colours under it show.
	Image         *image.RGBA
	Format        string // "jpeg", "png", "gif", "webp", "heic" or "avif"
	MediaType     string // "image/jpeg" and so on
	Width, Height int    // of the photo in full, upright; Image may be smaller
	EXIF          EXIF
}

// Decode reads a photo in full and without help: Decoder's zero value, within
// limits.
func Decode(data []byte, limits Limits) (*Photo, error) {
	return Decoder{Limits: limits}.Decode(data, Need{})
}

// A Decoder reads photos. Its zero value is ready for use.
type Decoder struct {
	Limits Limits
	JPEG   ScaledJPEG // decodes JPEG files where it can; nil: Go's own decoder does, in full
	HEIC   Sandbox    // decodes HEIC files and turns them as their container says; nil: they are refused, by name
	AVIF   Sandbox    // decodes AVIF files and leaves them as they lie; nil: they are refused, by name
}

// Decode reads a JPEG, PNG, GIF (its first frame), WebP or, with help, HEIC or AVIF
// file. Image may have fewer pixels than the photo, but no fewer than need says. Every
// error is an *Error, whose message can be shown to the person who sent the file;
// so is what a decoder's panic is turned into. EXIF that cannot be read counts as
// absent; it never fails a photo.
func (d Decoder) Decode(data []byte, need Need) (p *Photo, err error) {
	defer recovered(&err)
	f, config, memory, err := d.open(data)
	if err != nil {
		return nil, err
	}
	pixels, full, err := d.pixels(f, data, config, memory, need)
	if err != nil {
		return nil, f.fail(err)
	}
	exif := readEXIF(f.exifBlock(data))
	if f.boxed() { // the container says it, and what EXIF says does not count
		exif.Orientation = f.heifOrientation(data)
	}
	if quarterTurn(exif.Orientation) {
		full.X, full.Y = full.Y, full.X
	}
	return &Photo{
		Image:     orient(pixels, exif.Orientation),
		Format:    f.name,
		MediaType: f.mediaType(),
		Width:     full.X,
		Height:    full.Y,
		EXIF:      exif,
	}, nil
}

// pixels decodes the file, not turned yet; full is the size that it would have
// at full scale. A sandbox may take so much memory.
func (d Decoder) pixels(f *format, data []byte, config image.Config, memory int64, need Need) (img *image.RGBA, full image.Point, err error) {
	if f.name == "jpeg" && d.JPEG != nil {
		w, h := config.Width, config.Height
		if img, err := d.JPEG.DecodeJPEG(data, w, h, need.denominator(w, h)); err == nil {
			return img, image.Pt(w, h), nil
		}
		// What is amiss, and whether it matters, Go's decoder decides, so that
		// the same files are taken, for the same reasons, with and without help.
	}
	if f.boxed() {
		return d.heif(f, data, config, memory)
	}
	decoded, err := f.decode(bytes.NewReader(data))
	if err != nil {
		return nil, image.Point{}, err
	}
	img = f.rgba(decoded, image.Rect(0, 0, config.Width, config.Height))
	return img, img.Rect.Size(), nil
}

// Hash is the name under which a file is stored: the SHA-256 of its bytes, in
// lower-case hexadecimal.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
