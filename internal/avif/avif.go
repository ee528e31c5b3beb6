// Package avif decodes AVIF photos by libavif and libaom, compiled to WebAssembly and
// run in a sandbox.
package avif

import (
	"bytes"
	"errors"
	"fmt"
	"image"

	"fieldmark/internal/sandbox"
)

// maxSide bounds what the module may say a side has, so that no product overflows.
const maxSide = 1 << 15

var errRefused = errors.New("libavif cannot decode it")

// A Decoder decodes AVIF photos. Its methods may be called from many goroutines.
type Decoder struct{ *sandbox.Module }

// Open finds the module where `make setup` put it, or beside the executable. Where
// there is none, the error is sandbox.ErrNotFound.
func Open() (*Decoder, error) {
	m, err := sandbox.Open("avif.wasm.gz")
	if err != nil {
		return nil, err
	}
	return &Decoder{m}, nil
}

// Decode decodes the main picture of an AVIF file, the colours that are under its
// transparency as they are, to 8 bits. It is an *image.NRGBA, neither cropped nor
// turned as the container says. It may take so many bytes of memory.
func (d *Decoder) Decode(data []byte, memory int64) (img image.Image, err error) {
	err = d.Run(memory, func(i sandbox.Instance) error {
		img, err = decode(i, still(data))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("avif: %w", err)
	}
	return img, nil
}

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
	c := call{Instance: i, size: len(data)}
	var err error
	if c.in, err = i.Put(data); err != nil {
		return nil, err
	}
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
	sandbox.Instance
	in      uint32 // where the file is
	size    int
	numbers uint32 // where it writes those
}

// ask calls decode(in, size, config only, all pictures, width*, height*, depth*,
// count*, delay*, out).
func (c call) ask(formOnly, delay, out uint32) error {
	n := uint64(c.numbers)
	ok, err := c.Call("decode", uint64(c.in), uint64(c.size), uint64(formOnly), 0, n, n+4, n+8, n+12, uint64(delay), uint64(out))
	if err == nil && ok == 0 {
		err = errRefused
	}
	return err
}

func (c call) form() (width, height, depth int, err error) {
	if err := c.ask(1, 0, 0); err != nil {
		return 0, 0, 0, err
	}
	v, err := c.Numbers(c.numbers, numbers)
	if err != nil {
		return 0, 0, 0, err
	}
	if v[0] < 1 || v[1] < 1 || v[0] > maxSide || v[1] > maxSide {
		return 0, 0, 0, fmt.Errorf("a picture of %d × %d", v[0], v[1])
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
		return nil, errRefused
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
