package photo

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"io"
)

// maxScans is how many scans a JPEG may have. Programs write about ten; each
// scan goes over the whole picture, so a small file of thousands of empty ones
// would keep a processor busy for hours.
const maxScans = 100

// surveyJPEG counts the scans. A progressive file's coefficients are all in
// memory until its end: 4 bytes for each sample, of up to four components.
func surveyJPEG(data []byte, _ image.Config) (survey, error) {
	const startOfScan, endOfImage = 0xda, 0xd9
	const sequential, progressive = 4 + 4 + 4, 16 + 4 + 4 + 4
	s := survey{memory: sequential}
	for scans, i := 0, 2; ; {
		marker, at := nextMarker(data, i)
		switch {
		case at < 0 || marker == endOfImage:
			return s, nil
		case marker == 0xc2 || marker == 0xc6 || marker == 0xca || marker == 0xce:
			s.memory = progressive
		case marker == startOfScan:
			if scans++; scans > maxScans {
				return s, tooManyScans(maxScans)
			}
		}
		if i = at + 2; standsAlone(marker) || i+2 > len(data) {
			continue
		}
		i += max(2, int(binary.BigEndian.Uint16(data[i:])))
	}
}

// nextMarker finds the first marker of a JPEG from i on, past the data of a scan:
// its code, and where its 0xff is; -1 if there is none.
func nextMarker(data []byte, i int) (marker byte, at int) {
	for i < len(data) {
		skip := bytes.IndexByte(data[i:], 0xff)
		if skip < 0 || i+skip+1 >= len(data) {
			return 0, -1
		}
		i += skip
		switch code := data[i+1]; code {
		case 0x00: // a byte 0xff of the data
			i += 2
		case 0xff: // a fill byte
			i++
		default:
			return code, i
		}
	}
	return 0, -1
}

// standsAlone reports whether a marker has no length after it: TEM, RST, SOI,
// EOI.
func standsAlone(marker byte) bool { return marker == 0x01 || marker >= 0xd0 && marker <= 0xd9 }

// surveyPNG tells samples of 16 bits and interlaced pictures by the header, which
// has been read.
func surveyPNG(data []byte, _ image.Config) (survey, error) {
	const depth, interlace = 24, 28
	sample := 4
	if data[depth] == 16 {
		sample = 8
	}
	memory := sample + 4 + 4
	if data[interlace] != 0 {
		memory += sample
	}
	return survey{memory: memory}, nil
}

// surveyWebP finds the picture itself, whose size must be the one that the file's
// header declares: by that its memory was counted.
func surveyWebP(data []byte, declared image.Config) (survey, error) {
	const title = "WebP"
	const header, frame = 12, 8
	whole := uint64(binary.LittleEndian.Uint32(data[4:])) + frame
	if whole > uint64(len(data)) {
		return survey{}, truncated(title, io.ErrUnexpectedEOF)
	}
	data = data[:whole]
	for i := header; i+frame <= len(data); {
		kind, size := string(data[i:i+4]), int(binary.LittleEndian.Uint32(data[i+4:]))
		if size > len(data)-i-frame {
			return survey{}, truncated(title, io.ErrUnexpectedEOF)
		}
		content := data[i+frame : i+frame+size]
		if kind == "VP8X" && len(content) > 0 && content[0]&webpAnimated != 0 {
			return survey{}, notAPhoto("This WebP file is an animation: save one picture of it.", nil)
		}
		if w, h, is := webpSize(kind, content); is {
			if w != declared.Width || h != declared.Height {
				return survey{}, truncated(title, fmt.Errorf("the picture has %d × %d pixels, the header says %d × %d", w, h, declared.Width, declared.Height))
			}
		}
		i += frame + size + size&1
	}
	return survey{}, nil
}

const webpAnimated = 1 << 1

// webpSize reads the size of a picture's own header (RFC 6386, 9.1; RFC 9649,
// 3.4). It is not ok for other chunks, and for what is cut: the decoder refuses
// that.
func webpSize(kind string, content []byte) (w, h int, ok bool) {
	const side = 1<<14 - 1
	switch {
	case kind == "VP8 " && len(content) >= 10:
		return int(binary.LittleEndian.Uint16(content[6:])) & side, int(binary.LittleEndian.Uint16(content[8:])) & side, true
	case kind == "VP8L" && len(content) >= 5:
		bits := binary.LittleEndian.Uint32(content[1:])
		return int(bits&side) + 1, int(bits>>14&side) + 1, true
	}
	return 0, 0, false
}
