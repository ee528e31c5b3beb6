package nearest

import (
	"math"
	"sync/atomic"

	"fieldmark/internal/vec"
)

// chunk holds up to chunkRows vectors, in rows or in halves. Those below used are
// never written again; whoever moves used from n to n+1 owns row n.
type chunk struct {
	rows   []float32 // Float32: chunkRows × dim, row-major
	halves []uint16  // Half: chunkRows × dim, row-major, in units of scales
	scales []float32 // Half: of each row, a power of two
	norms  []float64 // length of each row
	used   atomic.Int32
}

func newChunk(dim int, format Format, used int) *chunk {
	c := &chunk{norms: make([]float64, chunkRows)}
	if format == Half {
		c.halves, c.scales = make([]uint16, chunkRows*dim), make([]float32, chunkRows)
	} else {
		c.rows = make([]float32, chunkRows*dim)
	}
	c.used.Store(int32(used))
	return c
}

// branch copies the first n rows of c into a chunk whose row n is owned by the
// caller. It looks at no others: their owners may be writing them.
func (c *chunk) branch(dim int, format Format, n int) *chunk {
	d := newChunk(dim, format, n+1)
	copy(d.rows, c.rows[:min(len(c.rows), n*dim)])
	copy(d.halves, c.halves[:min(len(c.halves), n*dim)])
	copy(d.scales, c.scales[:min(len(c.scales), n)])
	copy(d.norms, c.norms[:n])
	return d
}

// put writes row number at, which the caller owns.
func (c *chunk) put(at int, row []float32) {
	dim := len(row)
	if c.halves == nil {
		copy(c.rows[at*dim:(at+1)*dim], row)
		c.norms[at] = vec.Norm(row)
		return
	}
	var most float32
	for _, x := range row {
		most = max(most, x, -x)
	}
	// The greatest element comes to lie between 2¹⁴ and 2¹⁵, so that halves are at
	// their most precise for all elements down to 2⁻²⁸ of it.
	_, exponent := math.Frexp(float64(most))
	scaled := make([]float32, dim)
	copy(scaled, row)
	vec.Scale(math.Ldexp(1, 15-exponent), scaled)
	vec.ToHalf(c.halves[at*dim:(at+1)*dim], scaled)
	c.scales[at] = float32(math.Ldexp(1, exponent-15))
	c.norms[at] = vec.Norm(c.row(at, dim, scaled))
}

// row is row number at; a half is decoded into dst, or a new slice if that is too
// short.
func (c *chunk) row(at, dim int, dst []float32) []float32 {
	if c.halves == nil {
		return c.rows[at*dim : (at+1)*dim : (at+1)*dim]
	}
	if len(dst) < dim {
		dst = make([]float32, dim)
	}
	vec.FromHalf(dst[:dim], c.halves[at*dim:(at+1)*dim], c.scales[at])
	return dst[:dim]
}

// cos is the cosine of row number at to a unit vector, within the rounding that
// Exact allows for.
func (c *chunk) cos(at int, unit []float32) float32 {
	dim := len(unit)
	if c.halves == nil {
		return float32(float64(vec.Dot(unit, c.rows[at*dim:(at+1)*dim])) / c.norms[at])
	}
	dot := vec.DotHalf(c.halves[at*dim:(at+1)*dim], unit)
	return float32(float64(dot) * float64(c.scales[at]) / c.norms[at])
}
