package photo

import (
	"encoding/binary"
	"errors"
)

// Strip returns the file without what it says beside its picture: where and when
// it was taken, by whom, with what; comments, previews, and what follows its end.
// The picture is not coded anew: its pixels stay as they are, and so do their
// colour profile and how they are to be turned. A file whose parts cannot be told
// from one another is an error, and so is a HEIC file, whose parts refer to each
// other by their places.
func Strip(data []byte) ([]byte, error) {
	f, err := sniff(data)
	if err != nil {
		return nil, err
	}
	orientation := readEXIF(f.exifBlock(data)).Orientation
	var out []byte
	switch f.name {
	case "jpeg":
		out, err = stripJPEG(data, orientation)
	case "png":
		out, err = stripPNG(data, orientation)
	case "webp":
		out, err = stripWebP(data, orientation)
	case "gif":
		out, err = stripGIF(data)
	default:
		err = errors.New("its parts cannot be taken out one by one")
	}
	if err != nil {
		return nil, f.fail(err)
	}
	return out, nil
}

// Strippable reports whether files of a media type can be stripped.
func Strippable(mediaType string) bool {
	switch mediaType {
	case "image/jpeg", "image/png", "image/webp", "image/gif":
		return true
	}
	return false
}

// errParts means that the parts of a file do not follow one another as its format
// has them.
var errParts = errors.New("its parts do not fit together")

// orientationOnly is an EXIF record that says how to turn the picture and nothing
// else: TIFF 6.0, one directory of one entry.
func orientationOnly(orientation int) []byte {
	const tag, short = 0x0112, 3
	b := []byte("MM\x00*\x00\x00\x00\x08\x00\x01")
	b = binary.BigEndian.AppendUint16(b, tag)
	b = binary.BigEndian.AppendUint16(b, short)
	b = binary.BigEndian.AppendUint32(b, 1)
	b = binary.BigEndian.AppendUint16(b, uint16(orientation))
	return append(b, 0, 0, 0, 0, 0, 0) // the rest of the value, and no other directory
}
