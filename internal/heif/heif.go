// Package heif decodes HEIC photos by libheif and libde265, compiled to WebAssembly
// and run in a sandbox.
package heif

import (
	"fmt"
	"image"

	"fieldmark/internal/sandbox"
)

// Open finds the module where `make setup` put it, or beside the executable. Where
// there is none, the error is sandbox.ErrNotFound.
//
// What it decodes is turned as its container says: *image.YCbCr, *image.Gray or
// *image.NRGBA.
func Open() (*sandbox.Decoder, error) { return sandbox.OpenDecoder("heif.wasm.gz", "libheif", decode) }

// Values of libheif's heif_colorspace and heif_chroma.
const (
	spaceYCbCr = 0
	spaceRGB   = 1
	spaceMono  = 2

	chroma420 = 1
	chroma422 = 2
	chroma444 = 3
)

// decode asks the module for the picture's form, then for its samples.
func decode(i sandbox.Instance, data []byte) (image.Image, error) {
	p, err := i.Picture(data)
	if err != nil {
		return nil, err
	}
	f, err := formOf(p)
	if err != nil {
		return nil, err
	}
	size, err := f.layout()
	if err != nil {
		return nil, err
	}
	out, err := i.Alloc(size)
	if err != nil {
		return nil, err
	}
	if err := ask(p, 0, f.at, out); err != nil {
		return nil, err
	}
	samples, err := i.Bytes(out, size)
	if err != nil {
		return nil, err
	}
	return f.image(samples), nil
}

// form is what the module says of a picture before it decodes it.
type form struct {
	at                           uint32 // where it writes the five numbers
	width, height, space, chroma int
	stride, chromaStride         int
	luma, sub                    int // bytes of the planes
}

func formOf(p sandbox.Picture) (form, error) {
	const numbers = 5 // width, height, colour space, chroma, whether alpha is premultiplied
	at, err := p.Alloc(4 * numbers)
	if err != nil {
		return form{}, err
	}
	if err := ask(p, 1, at, 0); err != nil {
		return form{}, err
	}
	v, err := p.Form(at, numbers)
	if err != nil {
		return form{}, err
	}
	return form{at: at, width: int(v[0]), height: int(v[1]), space: int(v[2]), chroma: int(v[3])}, nil
}

// ask calls decode(file, its length, config only, width*, height*, space*, chroma*,
// premultiplied*, out).
func ask(p sandbox.Picture, formOnly, at, out uint32) error {
	return p.Decode(formOnly, at, at+4, at+8, at+12, at+16, out)
}

// stride is how many bytes libheif gives a row of samples (ImagePlane::alloc): an even
// number of them, and no less than 64, up to a multiple of 16.
func stride(samples, bytes int) int {
	return (max(samples+samples&1, 64)*bytes + 15) &^ 15
}

// layout works out where the planes are, one after another. It returns how many bytes
// they have.
func (f *form) layout() (int, error) {
	rows, columns := f.height, f.width
	switch f.space {
	case spaceRGB:
		f.stride = stride(f.width, 4)
		f.luma = f.stride * f.height
		return f.luma, nil
	case spaceMono:
		f.stride = stride(f.width, 1)
		f.luma = f.stride * f.height
		return f.luma, nil
	case spaceYCbCr:
		switch f.chroma {
		case chroma420:
			rows, columns = (rows+1)/2, (columns+1)/2
		case chroma422:
			columns = (columns + 1) / 2
		case chroma444:
		default:
			return 0, fmt.Errorf("chroma of kind %d", f.chroma)
		}
		f.stride, f.chromaStride = stride(f.width, 1), stride(columns, 1)
		f.luma, f.sub = f.stride*f.height, f.chromaStride*rows
		return f.luma + 2*f.sub, nil
	}
	return 0, fmt.Errorf("colour space %d", f.space)
}

// image copies the samples: the module's memory goes with it.
func (f *form) image(samples []byte) image.Image {
	samples = append([]byte(nil), samples...)
	rect := image.Rect(0, 0, f.width, f.height)
	switch f.space {
	case spaceRGB:
		return &image.NRGBA{Pix: samples, Stride: f.stride, Rect: rect}
	case spaceMono:
		return &image.Gray{Pix: samples, Stride: f.stride, Rect: rect}
	}
	ratio := image.YCbCrSubsampleRatio444
	switch f.chroma {
	case chroma420:
		ratio = image.YCbCrSubsampleRatio420
	case chroma422:
		ratio = image.YCbCrSubsampleRatio422
	}
	return &image.YCbCr{
		Y: samples[:f.luma:f.luma], Cb: samples[f.luma : f.luma+f.sub : f.luma+f.sub], Cr: samples[f.luma+f.sub:],
		SubsampleRatio: ratio, YStride: f.stride, CStride: f.chromaStride, Rect: rect,
	}
}
