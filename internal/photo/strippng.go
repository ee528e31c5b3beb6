package photo

import (
	"encoding/binary"
	"hash/crc32"
)

// stripPNG keeps the critical chunks, those whose names begin with a capital, and
// of the others those that say what the samples mean.
func stripPNG(data []byte, orientation int) ([]byte, error) {
	const signature, frame = 8, 12 // a chunk's length, type and checksum
	out := make([]byte, 0, len(data)+64)
	out = append(out, data[:signature]...)
	for i := signature; i+frame <= len(data); {
		size := int(binary.BigEndian.Uint32(data[i:]))
		if size > len(data)-i-frame {
			return nil, errParts
		}
		kind, chunk := string(data[i+4:i+8]), data[i:i+frame+size]
		i += len(chunk)
		if !pngKept(kind) {
			continue
		}
		out = append(out, chunk...)
		switch {
		case kind == "IEND":
			return out, nil
		case kind == "IHDR" && orientation != 1:
			out = appendChunk(out, "eXIf", orientationOnly(orientation))
		}
	}
	return nil, errParts
}

func pngKept(kind string) bool {
	switch kind {
	case "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "bKGD", "pHYs", "cICP", "mDCV", "cLLI":
		return true
	}
	const lowerCase = 0x20
	return kind[0]&lowerCase == 0
}

func appendChunk(out []byte, kind string, content []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(content)))
	from := len(out)
	out = append(append(out, kind...), content...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[from:]))
}
