package photo

import "slices"

// stripGIF keeps the frames and how they follow one another (GIF89a, appendix A).
func stripGIF(data []byte) ([]byte, error) {
	const screen, descriptor = 13, 10
	const extension, image, trailer = 0x21, 0x2c, 0x3b
	if len(data) < screen {
		return nil, errParts
	}
	i := screen + colourTable(data[10])
	if i > len(data) {
		return nil, errParts
	}
	out := append(make([]byte, 0, len(data)), data[:i]...)
	for i < len(data) {
		from, keep := i, true
		switch data[i] {
		case trailer:
			return append(out, trailer), nil
		case extension:
			if i += 2; i < len(data) {
				keep = gifKept(data[from+1], data[i:])
			}
		case image:
			if i += descriptor; i > len(data) {
				return nil, errParts
			}
			i += colourTable(data[i-1]) + 1 // and the least code size
		default:
			return nil, errParts
		}
		if i = afterBlocks(data, i); i < 0 {
			return nil, errParts
		}
		if keep {
			out = append(out, data[from:i]...)
		}
	}
	return nil, errParts
}

// colourTable is how many bytes the colour table takes that packed flags tell of.
func colourTable(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// gifKept reports whether an extension, whose blocks follow, is needed to show the
// picture: how long a frame stays, how often all are repeated, the colour profile.
func gifKept(label byte, blocks []byte) bool {
	const control, application = 0xf9, 0xff
	switch label {
	case control:
		return true
	case application:
		const name = 11
		return len(blocks) > name && slices.Contains([]string{"NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"}, string(blocks[1:1+name]))
	}
	return false
}

// afterBlocks is where the data blocks that begin at i have ended, -1 if they do
// not.
func afterBlocks(data []byte, i int) int {
	for i < len(data) {
		size := int(data[i])
		if i += 1 + size; size == 0 {
			return i
		}
	}
	return -1
}
