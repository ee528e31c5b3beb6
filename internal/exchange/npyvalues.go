package exchange

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"
)

// floats decodes len(into) numbers of a floating-point array.
func (h npyHeader) floats(into []float32, raw []byte) {
	switch h.size {
	case 2:
		for i := range into {
			into[i] = half(h.order.Uint16(raw[2*i:]))
		}
	case 4:
		for i := range into {
			into[i] = math.Float32frombits(h.order.Uint32(raw[4*i:]))
		}
	case 8:
		for i := range into {
			into[i] = float32(math.Float64frombits(h.order.Uint64(raw[8*i:])))
		}
	}
}

// half widens IEEE 754 binary16: 1 sign bit, 5 of the exponent (bias 15), 10 of
// the fraction.
func half(b uint16) float32 {
	sign, exponent, fraction := uint32(b>>15)<<31, uint32(b>>10)&0x1f, uint32(b)&0x3ff
	switch exponent {
	case 0: // zero, or subnormal: fraction · 2⁻²⁴
		return math.Float32frombits(math.Float32bits(float32(fraction)*0x1p-24) | sign)
	case 0x1f: // infinity, or not a number
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// integer decodes one whole number; ok says that it fits into an int64.
func (h npyHeader) integer(raw []byte) (n int64, ok bool) {
	var u uint64
	switch h.size {
	case 1:
		u = uint64(raw[0])
	case 2:
		u = uint64(h.order.Uint16(raw))
	case 4:
		u = uint64(h.order.Uint32(raw))
	default:
		u = h.order.Uint64(raw)
	}
	if h.kind == 'u' {
		return int64(u), u <= math.MaxInt64
	}
	shift := 64 - 8*h.size
	return int64(u<<shift) >> shift, true
}

// string decodes one item of a text array, which NumPy fills up with zeros; ok
// says that it is valid text. A whole number is its digits.
func (h npyHeader) string(raw []byte) (text string, ok bool) {
	switch h.kind {
	case 'S':
		raw = bytes.TrimRight(raw, "\x00")
		return string(raw), utf8.Valid(raw)
	case 'U':
		runes := make([]rune, 0, len(raw)/4)
		for i := 0; i+4 <= len(raw); i += 4 {
			r := rune(h.order.Uint32(raw[i:]))
			if !utf8.ValidRune(r) {
				return "", false
			}
			runes = append(runes, r)
		}
		for len(runes) > 0 && runes[len(runes)-1] == 0 {
			runes = runes[:len(runes)-1]
		}
		return string(runes), true
	}
	n, ok := h.integer(raw)
	return strconv.FormatInt(n, 10), ok
}
