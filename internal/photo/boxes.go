package photo

import "encoding/binary"

// The container of HEIC and AVIF files: boxes in boxes (ISO/IEC 14496-12, 4.2).

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

// fields reads a box's content from its beginning. Beyond its end there are zeros, and
// it is short from then on.
type fields struct {
	b     []byte
	short bool
}

func (f *fields) bytes(n uint64) []byte {
	if n > uint64(len(f.b)) {
		f.b, f.short = nil, true
		return nil
	}
	part := f.b[:n]
	f.b = f.b[n:]
	return part
}

// number reads one of 0 to 8 bytes.
func (f *fields) number(size int) (v uint64) {
	for _, b := range f.bytes(uint64(size)) {
		v = v<<8 | uint64(b)
	}
	return v
}

// version reads what full boxes begin with (4.2).
func (f *fields) version() (version int, flags uint64) {
	v := f.number(4)
	return int(v >> 24), v & 0xffffff
}

// wide is 4 if yes, else 2: how many bytes a number has.
func wide(yes bool) int {
	if yes {
		return 4
	}
	return 2
}
