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
// turned as the container says.
func (d *Decoder) Decode(data []byte) (img image.Image, err error) {
	err = d.Run(func(i sandbox.Instance) error {
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
	const numbers = 4 // width, height, depth, how many pictures
	in, err := i.Put(data)
	if err != nil {
		return nil, err
	}
	at, err := i.Alloc(4 * numbers)
	if err != nil {
		return nil, err
	}
	// decode(in, size, config only, all pictures, width*, height*, depth*, count*, delay*, out)
	ask := func(formOnly, delay, out uint64) error {
		a := uint64(at)
		ok, err := i.Call("decode", uint64(in), uint64(len(data)), formOnly, 0, a, a+4, a+8, a+12, delay, out)
		if err == nil && ok == 0 {
			err = errRefused
		}
		return err
	}
	if err := ask(1, 0, 0); err != nil {
		return nil, err
	}
	v, err := i.Numbers(at, numbers)
	if err != nil {
		return nil, err
	}
	width, height, sample := int(v[0]), int(v[1]), 1
	if width < 1 || height < 1 || width > maxSide || height > maxSide {
		return nil, fmt.Errorf("a picture of %d × %d", v[0], v[1])
	}
	if v[2] > 8 {
		sample = 2
	}
	size := 4 * width * height * sample
	const delay = 8 // a number of 64 bits for how long the picture is shown
	out, err := i.Alloc(delay + size)
	if err != nil {
		return nil, err
	}
	if err := ask(0, uint64(out), uint64(out)+delay); err != nil {
		return nil, err
	}
	samples, err := i.Bytes(out+delay, size)
	if err != nil {
		return nil, err
	}
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	if sample == 1 {
		copy(img.Pix, samples)
	} else {
		halve(img.Pix, samples)
	}
	return img, nil
}

// halve rounds samples of 16 bits to 8: 0 is 0, 65535 is 255.
func halve(to, from []byte) {
	for i := range to {
		v := uint32(from[2*i]) | uint32(from[2*i+1])<<8
		to[i] = uint8((v*255 + 1<<15 - 1) / (1<<16 - 1))
	}
}
