package photo

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"io"
)

// A Sandbox decodes pictures of one kind where a decoder that a file made for that
// purpose has broken can do no harm.
type Sandbox interface {
	Decode(data []byte) (image.Image, error)
}

const heicName = "heic"

// isHEIC reports whether a file says that it holds a HEIC still.
func isHEIC(data []byte) bool {
	if len(data) < 12 || string(data[4:8]) != "ftyp" {
		return false
	}
	size := binary.BigEndian.Uint32(data)
	brands := data[8:min(len(data), 64, int(max(size, 12)))]
	for _, is := range []string{"heic", "heix", "heim", "heis"} {
		if bytes.Contains(brands, []byte(is)) {
			return true
		}
	}
	return false
}

// heicFormat counts what decoding takes in WebAssembly's memory, which grows by
// copying, and in RGBA.
func heicFormat() *format {
	return &format{name: heicName, title: "HEIC", config: heicConfig, exifBlock: heicEXIF, memory: 40}
}

// heicConfig is the size of the largest picture that the file declares: whichever
// is decoded, it has no more pixels.
func heicConfig(r io.Reader) (image.Config, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return image.Config{}, err
	}
	largest := image.Config{ColorModel: color.YCbCrModel}
	properties, found := boxAt(data, "meta", "iprp", "ipco")
	if !found {
		return largest, io.ErrUnexpectedEOF
	}
	eachBox(properties, func(kind string, content []byte) {
		const sides = 4 // after version and flags
		if kind != "ispe" || len(content) < sides+8 {
			return
		}
		w, h := int(binary.BigEndian.Uint32(content[sides:])), int(binary.BigEndian.Uint32(content[sides+4:]))
		largest.Width, largest.Height = max(largest.Width, w), max(largest.Height, h)
	})
	return largest, nil
}

// boxAt finds the content of a box by the kinds of those that it is in.
func boxAt(data []byte, path ...string) (content []byte, found bool) {
	for _, kind := range path {
		found = false
		eachBox(data, func(k string, c []byte) {
			if k == kind && !found {
				content, found = c, true
			}
		})
		if !found {
			return nil, false
		}
		if kind == "meta" { // a box with version and flags
			content = content[min(4, len(content)):]
		}
		data = content
	}
	return content, true
}

// eachBox visits the boxes that stand one after another, until one is not whole.
func eachBox(data []byte, visit func(kind string, content []byte)) {
	for len(data) >= 8 {
		size, head := uint64(binary.BigEndian.Uint32(data)), 8
		switch {
		case size == 0: // to the end
			size = uint64(len(data))
		case size == 1 && len(data) >= 16:
			size, head = binary.BigEndian.Uint64(data[8:]), 16
		}
		if size < uint64(head) || size > uint64(len(data)) {
			return
		}
		visit(string(data[4:8]), data[head:size])
		data = data[size:]
	}
}

// heicEXIF finds the EXIF item by its beginning: how far it is to the TIFF header,
// in four bytes, then the prefix that cameras write, or nothing, and the header. It
// is no box of its own but a stretch of the file that two tables point to.
func heicEXIF(data []byte) []byte {
	for _, before := range []string{"\x00\x00\x00\x06Exif\x00\x00", "\x00\x00\x00\x00"} {
		for _, header := range []string{"II*\x00", "MM\x00*"} {
			if at := bytes.Index(data, []byte(before+header)); at >= 0 {
				return data[at+len(before):]
			}
		}
	}
	return nil
}

// heic decodes a HEIC file with the help that the decoder has.
func (d Decoder) heic(data []byte) (*image.RGBA, image.Point, error) {
	m, err := d.HEIC.Decode(data)
	if err != nil {
		return nil, image.Point{}, err
	}
	size := m.Bounds().Size()
	if size.X < 1 || size.Y < 1 {
		return nil, image.Point{}, errors.New("no pixels")
	}
	return heicFormat().rgba(m, m.Bounds()), size, nil
}

func withoutHEIC() error {
	return notAPhoto("This is a HEIC photo, which this Fieldmark cannot read: convert it to JPEG "+
		"(on an iPhone: Settings, Camera, Formats, Most Compatible).", nil)
}
