package tree

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"fieldmark/internal/vec"
)

// encoder writes numbers in little-endian order. After an error it writes
// nothing more.
type encoder struct {
	w   *bufio.Writer
	buf []byte
	err error
}

func (e *encoder) put(b []byte) {
	if e.err == nil {
		_, e.err = e.w.Write(b)
	}
	e.buf = b[:0]
}

func (e *encoder) byte(v byte)     { e.put(append(e.buf, v)) }
func (e *encoder) int32(v int32)   { e.put(binary.LittleEndian.AppendUint32(e.buf, uint32(v))) }
func (e *encoder) uint64(v uint64) { e.put(binary.LittleEndian.AppendUint64(e.buf, v)) }
func (e *encoder) float(v float64) { e.uint64(math.Float64bits(v)) }
func (e *encoder) length(n int)    { e.uint64(uint64(n)) }
func (e *encoder) bool(v bool)     { e.byte(byte(btoi(v))) }
func (e *encoder) floats(v []float64) {
	for _, x := range v {
		e.float(x)
	}
}

func (e *encoder) row(v []float32) {
	b := e.buf
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	e.put(b)
}

func btoi(v bool) int {
	if v {
		return 1
	}
	return 0
}

// decoder reads what encoder wrote. It trusts no number: what it allocates is at
// most a small multiple of what it has read. After an error it gives zeros.
type decoder struct {
	r   *bufio.Reader
	buf []byte
	err error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("tree: snapshot: "+format, args...)
	}
}

// take is the next n bytes, valid until the next call; zeros after an error.
func (d *decoder) take(n int) []byte {
	if cap(d.buf) < n {
		d.buf = make([]byte, n)
	}
	b := d.buf[:n]
	if d.err == nil {
		if _, err := io.ReadFull(d.r, b); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			d.fail("%w", err)
		}
	}
	if d.err != nil {
		clear(b)
	}
	return b
}

func (d *decoder) byte() byte     { return d.take(1)[0] }
func (d *decoder) int32() int32   { return int32(binary.LittleEndian.Uint32(d.take(4))) }
func (d *decoder) uint64() uint64 { return binary.LittleEndian.Uint64(d.take(8)) }
func (d *decoder) float() float64 { return math.Float64frombits(d.uint64()) }

func (d *decoder) bool() bool {
	b := d.byte()
	if b > 1 {
		d.fail("a truth value is %d", b)
	}
	return b == 1
}

// length is a number of things, each of which gets a number that fits an int32.
func (d *decoder) length(what string) int {
	n := d.uint64()
	if n > math.MaxInt32 {
		d.fail("%d %s", n, what)
		return 0
	}
	return int(n)
}

// floats are n finite numbers.
func (d *decoder) floats(n int) []float64 {
	b := d.take(8 * n)
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	if !vec.Finite(out) {
		d.fail("a number is not finite")
	}
	return out
}

// row reads len(out) single precision numbers into out.
func (d *decoder) row(out []float32) {
	b := d.take(4 * len(out))
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
}
