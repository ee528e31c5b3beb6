package photo

import (
	"bytes"
	"encoding/binary"
)

// Where each kind of file keeps its EXIF. All hold the same TIFF structure;
// the functions return it, or nil.

var exifPrefix = []byte("Exif\x00\x00")

func noEXIF([]byte) []byte { return nil }

// jpegEXIF finds the first APP1 segment that holds EXIF (EXIF 2.32, 4.7.2).
func jpegEXIF(data []byte) []byte {
	const app1, startOfScan = 0xe1, 0xda
	for i := 2; i+4 <= len(data) && data[i] == 0xff; {
		marker, size := data[i+1], int(binary.BigEndian.Uint16(data[i+2:]))
		if marker == 0xff { // a fill byte
			i++
			continue
		}
		if marker == startOfScan || size < 2 || i+2+size > len(data) {
			return nil
		}
		segment := data[i+4 : i+2+size]
		if block, ok := bytes.CutPrefix(segment, exifPrefix); ok && marker == app1 {
			return block
		}
		i += 2 + size
	}
	return nil
}

// pngEXIF finds the eXIf chunk (PNG, third edition, 11.3.2.3), which may stand
// before or after the pixels.
func pngEXIF(data []byte) []byte {
	const signature, frame = 8, 12 // a chunk's length, type and checksum
	for i := signature; i+frame <= len(data); {
		size := int(binary.BigEndian.Uint32(data[i:]))
		if size > len(data)-i-frame {
			return nil
		}
		if string(data[i+4:i+8]) == "eXIf" {
			return data[i+8 : i+8+size]
		}
		i += frame + size
	}
	return nil
}

// webpEXIF finds the EXIF chunk (RFC 9649, 2.7.1.5); some writers put JPEG's
// prefix before it.
func webpEXIF(data []byte) []byte {
	const header, frame = 12, 8
	for i := header; i+frame <= len(data); {
		size := int(binary.LittleEndian.Uint32(data[i+4:]))
		if size > len(data)-i-frame {
			return nil
		}
		if string(data[i:i+4]) == "EXIF" {
			return bytes.TrimPrefix(data[i+frame:i+frame+size], exifPrefix)
		}
		i += frame + size + size&1
	}
	return nil
}
