package bundle

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
)

// npyHeader is what numpy.save writes before the numbers of a float32 array
// [rows, dim] in C order: magic, version 1.0, the length of the dictionary, which
// spaces bring to a multiple of 64, and the dictionary.
func npyHeader(rows, dim int) []byte {
	dict := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", rows, dim)
	total := (10 + len(dict) + 1 + 63) / 64 * 64
	dict += strings.Repeat(" ", total-10-len(dict)-1) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	binary.LittleEndian.PutUint16(b[8:], uint16(len(dict)))
	return append(b, dict...)
}

// npySize is how long such a member is.
func npySize(rows, dim int) int64 {
	return int64(len(npyHeader(rows, dim))) + int64(rows)*int64(dim)*4
}

// appendFloats appends numbers as they are stored: float32, little-endian.
func appendFloats(b []byte, v []float32) []byte {
	from := len(b)
	b = slices.Grow(b, 4*len(v))[:from+4*len(v)]
	for i, x := range v {
		binary.LittleEndian.PutUint32(b[from+4*i:], math.Float32bits(x))
	}
	return b
}

// readFloats fills v from what appendFloats wrote, and reports whether all of them
// are finite and not all are zero.
func readFloats(v []float32, b []byte) bool {
	var any uint32
	finite := true
	for i := range v {
		bits := binary.LittleEndian.Uint32(b[4*i:])
		any |= bits << 1
		if bits&0x7f800000 == 0x7f800000 {
			finite = false
		}
		v[i] = math.Float32frombits(bits)
	}
	return finite && any != 0
}
