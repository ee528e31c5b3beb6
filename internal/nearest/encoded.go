package nearest

import (
	"encoding/binary"
	"fmt"
	"math"

	"fieldmark/internal/vec"
)

// Encoded appends the vector numbered id to b, bit for bit as it is kept:
// EncodedLen bytes, little-endian. AppendEncoded takes it back.
func (v *Vectors) Encoded(id int, b []byte) []byte {
	v.check(id)
	c, at := v.chunks[id>>chunkBits], (id&chunkMask)*v.dim
	if v.format == Float32 {
		for _, x := range c.rows[at : at+v.dim] {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
		return b
	}
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(c.scales[id&chunkMask]))
	for _, h := range c.halves[at : at+v.dim] {
		b = binary.LittleEndian.AppendUint16(b, h)
	}
	return b
}

// EncodedLen is the number of bytes of an encoded vector.
func (v *Vectors) EncodedLen() int {
	if v.format == Float32 {
		return 4 * v.dim
	}
	return 4 + 2*v.dim
}

// AppendEncoded is Append for a vector that Encoded wrote, of the same dimension
// and format. It refuses what Encoded cannot have written.
func (v *Vectors) AppendEncoded(b []byte) (*Vectors, error) {
	if len(b) != v.EncodedLen() {
		return nil, fmt.Errorf("an encoded vector has %d bytes, want %d: %w", len(b), v.EncodedLen(), ErrDimension)
	}
	if v.format == Half {
		return v.appendHalves(b)
	}
	row := make([]float32, v.dim)
	for i := range row {
		row[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v.Append(row)
}

func (v *Vectors) appendHalves(b []byte) (*Vectors, error) {
	scale := math.Float32frombits(binary.LittleEndian.Uint32(b))
	if fraction, _ := math.Frexp(float64(scale)); fraction != 0.5 {
		return nil, fmt.Errorf("an encoded vector is in units of %v, want a power of two: %w", scale, ErrNotFinite)
	}
	halves := make([]uint16, v.dim)
	for i := range halves {
		halves[i] = binary.LittleEndian.Uint16(b[4+2*i:])
		if halves[i]&0x7c00 == 0x7c00 {
			return nil, fmt.Errorf("an encoded vector: %w", ErrNotFinite)
		}
	}
	row := make([]float32, v.dim)
	vec.FromHalf(row, halves, scale)
	norm := vec.Norm(row)
	if !(norm >= minNorm/2 && norm <= 2*maxNorm) { // Append checks what it is given, before that is rounded
		return nil, fmt.Errorf("an encoded vector of length %g: %w", norm, ErrNorm)
	}
	w, at := v.longer(), v.n&chunkMask
	c := w.chunks[len(w.chunks)-1]
	copy(c.halves[at*v.dim:], halves)
	c.scales[at], c.norms[at] = scale, norm
	return w, nil
}
