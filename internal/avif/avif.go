// Package avif decodes AVIF photos by libavif and libaom, compiled to WebAssembly and
// run in a sandbox.
package avif

import (
	"bytes"
	"image"

	"fieldmark/internal/sandbox"
)

// Open finds the module where `make setup` put it, or beside the executable. Where
// there is none, the error is sandbox.ErrNotFound.
//
// What it decodes is an *image.NRGBA of 8 bits, the colours that are under its
// transparency as they are, neither cropped nor turned as the container says.
func Open() (*sandbox.Decoder, error) { return sandbox.OpenDecoder("avif.wasm.gz", "libavif", decode) }

// still hides two things from libavif: the animation of a file that has a still beside
// it, which libavif would prefer, and transparency, into which it would mix black.
func still(data []byte) []byte {
	const brand = 8
	data = bytes.Clone(data)
	if len(data) >= brand+4 && string(data[brand:brand+4]) == "avis" {
		copy(data[brand:], "avif")
	}
	for _, alpha := range []string{"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1"} {
		data = bytes.ReplaceAll(data, []byte(alpha), bytes.Repeat([]byte("-"), len(alpha)))
	}
	return data
}

// decode asks the module for the picture's form, then for its samples.
func decode(i sandbox.Instance, data []byte) (image.Image, error) {
	p, err := i.Picture(still(data))
	if err != nil {
		return nil, err
	}
	c := call{Picture: p}
	if c.numbers, err = i.Alloc(4 * numbers); err != nil {
		return nil, err
	}
	width, height, depth, err := c.form()
	if err != nil {
		return nil, err
	}
	size := 4 * width * height
	if depth > 8 {
		size *= 2
	}
	samples, err := c.samples(size)
	if err != nil {
		return nil, err
	}
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	if depth > 8 {
		halve(img.Pix, samples)
	} else {
		copy(img.Pix, samples)
	}
	return img, nil
}

// numbers is how many the module writes: width, height, depth and how many pictures.
const numbers = 4

// call is of the module's function, for one file.
type call struct {
	sandbox.Picture
	numbers uint32 // where it writes those
}

// ask calls decode(file, its length, config only, all pictures, width*, height*, depth*,
// count*, delay*, out).
func (c call) ask(formOnly, delay, out uint32) error {
	n := c.numbers
	return c.Decode(formOnly, 0, n, n+4, n+8, n+12, delay, out)
}

func (c call) form() (width, height, depth int, err error) {
	if err := c.ask(1, 0, 0); err != nil {
		return 0, 0, 0, err
	}
	v, err := c.Form(c.numbers, numbers)
	if err != nil {
		return 0, 0, 0, err
	}
	return int(v[0]), int(v[1]), int(v[2]), nil
}

// samples are the picture's, as long as the instance is there. The module says that
// all is well of a file whose form it could read; of what it could decode it writes how
// long that is to be shown, too.
func (c call) samples(size int) ([]byte, error) {
	unwritten := bytes.Repeat([]byte{0xff}, 8) // no number
	delay, err := c.Put(unwritten)
	if err != nil {
		return nil, err
	}
	out, err := c.Alloc(size)
	if err != nil {
		return nil, err
	}
	if err := c.ask(0, delay, out); err != nil {
		return nil, err
	}
	shown, err := c.Bytes(delay, len(unwritten))
	if err != nil {
		return nil, err
	}
	if bytes.Equal(shown, unwritten) {
		return nil, sandbox.ErrRefused
	}
	return c.Bytes(out, size)
}

// halve rounds samples of 16 bits to 8: 0 is 0, 65535 is 255.
func halve(to, from []byte) {
	for i := range to {
		v := uint32(from[2*i]) | uint32(from[2*i+1])<<8
		to[i] = uint8((v*255 + 1<<15 - 1) / (1<<16 - 1))
	}
}
