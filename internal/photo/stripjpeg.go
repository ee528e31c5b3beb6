package photo

import (
	"bytes"
	"encoding/binary"
)

// stripJPEG keeps what the picture is decoded from, and of the application
// segments those that say what its numbers mean.
func stripJPEG(data []byte, orientation int) ([]byte, error) {
	const startOfScan, endOfImage = 0xda, 0xd9
	out := make([]byte, 0, len(data)+64)
	out = append(out, data[:2]...)
	turned := orientation == 1
	for i := 2; ; {
		marker, at := nextMarker(data, i)
		if at < 0 {
			return nil, errParts
		}
		// A JFIF segment has to come first.
		if marker != 0xe0 && !turned {
			out = appendSegment(out, 0xe1, append(bytes.Clone(exifPrefix), orientationOnly(orientation)...))
			turned = true
		}
		if marker == endOfImage {
			return append(out, 0xff, endOfImage), nil
		}
		if i = at + 2; standsAlone(marker) {
			continue // outside of a scan's data these mean nothing
		}
		if i+2 > len(data) {
			return nil, errParts
		}
		size := int(binary.BigEndian.Uint16(data[i:]))
		if size < 2 || i+size > len(data) {
			return nil, errParts
		}
		content := data[i+2 : i+size]
		i += size
		if !jpegKept(marker, content) {
			continue
		}
		out = appendSegment(out, marker, content)
		if marker == startOfScan {
			end := scanEnd(data, i)
			out = append(out, data[i:end]...)
			i = end
		}
	}
}

func appendSegment(out []byte, marker byte, content []byte) []byte {
	out = append(out, 0xff, marker)
	out = binary.BigEndian.AppendUint16(out, uint16(len(content)+2))
	return append(out, content...)
}

// jpegKept reports whether a segment is needed to show the picture.
func jpegKept(marker byte, content []byte) bool {
	const app0, app2, app14, app15, comment = 0xe0, 0xe2, 0xee, 0xef, 0xfe
	switch {
	case marker == app0:
		return bytes.HasPrefix(content, []byte("JFIF\x00"))
	case marker == app2:
		return bytes.HasPrefix(content, []byte("ICC_PROFILE\x00"))
	case marker == app14:
		return bytes.HasPrefix(content, []byte("Adobe"))
	case marker > app0 && marker <= app15, marker == comment:
		return false
	}
	return marker >= 0xc0 // what is below is reserved
}

// scanEnd is where the data of a scan that begin at i end: at the next marker that
// is no restart.
func scanEnd(data []byte, i int) int {
	for {
		marker, at := nextMarker(data, i)
		if at < 0 {
			return len(data)
		}
		if marker < 0xd0 || marker > 0xd7 {
			return at
		}
		i = at + 2
	}
}
