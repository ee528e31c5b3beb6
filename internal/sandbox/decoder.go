package sandbox

import (
	"errors"
	"fmt"
	"image"
)

// A Decoder decodes pictures of one kind by a module that is a library with one function,
// decode. Its methods may be called from many goroutines.
type Decoder struct {
	*Module
	library string
	decode  func(Instance, []byte) (image.Image, error)
}

// OpenDecoder finds the module of a library, as Open does; decode is how that is asked for
// the main picture of a file.
func OpenDecoder(name, library string, decode func(Instance, []byte) (image.Image, error)) (*Decoder, error) {
	m, err := Open(name)
	if err != nil {
		return nil, err
	}
	return &Decoder{m, library, decode}, nil
}

// Decode decodes the main picture of a file. It may take so many bytes of memory.
func (d *Decoder) Decode(data []byte, memory int64) (img image.Image, err error) {
	err = d.Run(memory, func(i Instance) error {
		img, err = d.decode(i, data)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.library, err)
	}
	return img, nil
}

// ErrRefused means that a library cannot decode a file.
var ErrRefused = errors.New("it cannot be decoded")

// maxSide bounds what a module may say a side has, so that no product overflows.
const maxSide = 1 << 15

// A Picture is a file in an instance's memory that is to be decoded there.
type Picture struct {
	Instance
	at, size uint32
}

// Picture copies a file into the instance's memory.
func (i Instance) Picture(file []byte) (Picture, error) {
	at, err := i.Put(file)
	return Picture{i, at, uint32(len(file))}, err
}

// Decode calls the module's decode(file, its length, arguments…), which returns 0 for what
// it cannot decode.
func (p Picture) Decode(arguments ...uint32) error {
	args := []uint64{uint64(p.at), uint64(p.size)}
	for _, a := range arguments {
		args = append(args, uint64(a))
	}
	ok, err := p.Call("decode", args...)
	if err == nil && ok == 0 {
		err = ErrRefused
	}
	return err
}

// Form reads the numbers that the module wrote of a picture, of which the first two are
// its sides.
func (p Picture) Form(at uint32, numbers int) ([]uint32, error) {
	v, err := p.Numbers(at, numbers)
	if err != nil {
		return nil, err
	}
	if v[0] < 1 || v[1] < 1 || v[0] > maxSide || v[1] > maxSide {
		return nil, fmt.Errorf("a picture of %d × %d", v[0], v[1])
	}
	return v, nil
}
