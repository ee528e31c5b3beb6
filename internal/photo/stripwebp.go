package photo

import "encoding/binary"

// stripWebP keeps the chunks that the picture is made of (RFC 9649, 2.7).
func stripWebP(data []byte, orientation int) ([]byte, error) {
	const header, frame = 12, 8
	const hasEXIF, hasXMP = 1 << 3, 1 << 2
	if len(data) < header {
		return nil, errParts
	}
	// What follows the RIFF chunk does not belong to the file.
	whole := uint64(binary.LittleEndian.Uint32(data[4:])) + frame
	if whole > uint64(len(data)) || whole < header {
		return nil, errParts
	}
	data = data[:whole]
	out := make([]byte, 0, len(data)+64)
	out = append(out, data[:header]...)
	for i := header; i+frame <= len(data); {
		kind, size := string(data[i:i+4]), int(binary.LittleEndian.Uint32(data[i+4:]))
		if size > len(data)-i-frame {
			return nil, errParts
		}
		from := len(out)
		switch kind {
		case "VP8X", "VP8 ", "VP8L", "ALPH", "ICCP", "ANIM", "ANMF":
			out = appendRIFF(out, kind, data[i+frame:i+frame+size])
		}
		if kind == "VP8X" && size > 0 {
			if out[from+frame] &^= hasEXIF | hasXMP; orientation != 1 {
				out[from+frame] |= hasEXIF
			}
		}
		i += frame + size + size&1
	}
	if orientation != 1 {
		out = appendRIFF(out, "EXIF", orientationOnly(orientation))
	}
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-frame))
	return out, nil
}

// appendRIFF adds a chunk, padded to an even length.
func appendRIFF(out []byte, kind string, content []byte) []byte {
	out = binary.LittleEndian.AppendUint32(append(out, kind...), uint32(len(content)))
	if out = append(out, content...); len(content)%2 == 1 {
		out = append(out, 0)
	}
	return out
}
