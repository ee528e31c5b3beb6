// Package heif decodes HEIC photos by libheif and libde265, compiled to WebAssembly
// and run in a sandbox.
package heif

import (
	"fmt"
	"image"

	"fieldmark/internal/sandbox"
)

// A Decoder decodes HEIC photos. Its methods may be called from many goroutines.
type Decoder struct{ *sandbox.Module }

// Open finds the module where `make setup` put it, or beside the executable. Where
// there is none, the error is sandbox.ErrNotFound.
func Open() (*Decoder, error) {
	m, err := sandbox.Open("heif.wasm.gz")
	if err != nil {
		return nil, err
	}
	return &Decoder{m}, nil
}

// Decode decodes the main picture of a HEIC file, turned as its container says:
// *image.YCbCr, *image.Gray or *image.NRGBA. It may take so many bytes of memory.
func (d *Decoder) Decode(data []byte, memory int64) (img image.Image, err error) {
	err = d.Run(memory, func(i sandbox.Instance) error {
		img, err = decode(i, data)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("heif: %w", err)
	}
	return img, nil
}
