package photo

import "image"

// A ScaledJPEG decodes a JPEG of width × height pixels, which its header has
// been read to say, at 1/denominator of its size (1, 2, 4 or 8), each side
// rounded up, into opaque RGB. It must give an error for every file in which
// it finds anything amiss: such a file is decoded again, by Go's decoder, which
// has the last word. (libjpeg looks at a little less than Go's decoder does:
// some files with a fault in a table that no block uses are taken only with
// it.)
type ScaledJPEG interface {
	DecodeJPEG(data []byte, width, height, denominator int) (*image.RGBA, error)
}

// Need says how many pixels must be left of a photo that is decoded at a
// smaller scale. A photo that has no more than these is decoded in full. The
// zero value asks for every pixel.
type Need struct {
	Shorter int // least pixels of the shorter side
	Longer  int // and of the longer side
}

// denominator is the largest of 8, 4 and 2 that leaves what is needed, or 1.
// The scales between, which libjpeg has too, are not used: its SIMD code knows
// only these, and 3/8 takes longer than 1/2.
func (n Need) denominator(width, height int) int {
	if n == (Need{}) {
		return 1
	}
	for d := 8; d > 1; d /= 2 {
		if min(width, height) >= d*n.Shorter && max(width, height) >= d*n.Longer {
			return d
		}
	}
	return 1
}

// A Scaled is a photo as it was decoded, which may be at a smaller scale: for
// those whose result depends on the size in full to the pixel.
type Scaled struct {
	*image.RGBA
	full image.Point
}

// Scaled gives the photo's picture together with its size in full.
func (p *Photo) Scaled() Scaled { return Scaled{RGBA: p.Image, full: image.Pt(p.Width, p.Height)} }

// FullSize is the size that the picture would have at full scale.
func (s Scaled) FullSize() image.Point { return s.full }

// Decoded is the picture.
func (s Scaled) Decoded() image.Image { return s.RGBA }
