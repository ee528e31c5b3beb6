package nearest

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"math"
	"sync/atomic"
)

// ErrGraph is the error of ReadGraph about bytes that are not, or no longer
// wholly, a graph of the given vectors. The graph can be made again from these.
var ErrGraph = errors.New("not a graph of these vectors")

// A written graph is, all little-endian: graphMagic; a graphHeader; level 0's
// lists by node; the upper levels' lists by node and level; the bits of the removed
// nodes; the CRC-32C of the codes and scales; and the CRC-32C of all that. Codes
// are made again from the vectors: that is as fast as reading them.
const graphMagic = "fmgraph1"

type graphHeader struct {
	Dim, M, Width, N uint32
	Seed             uint64
}

// WriteTo writes the graph for ReadGraph; searches may go on meanwhile.
func (g *Graph) WriteTo(w io.Writer) (int64, error) {
	g.writer.Lock()
	defer g.writer.Unlock()
	v := g.view()
	out := &summed{sum: crc32.New(castagnoli), to: bufio.NewWriterSize(w, 1<<16)}
	out.Write([]byte(graphMagic))
	p := g.params
	out.put(graphHeader{uint32(g.dim), uint32(p.M), uint32(p.Width), uint32(v.n), p.Seed})
	for id := range v.n {
		out.list(v.links(id, 0))
	}
	for id := range v.n {
		for level := range g.level(id) {
			out.list(v.links(id, level+1))
		}
	}
	for id := int32(0); id < v.n; id += 64 {
		out.put(v.blocks[id>>blockBits].gone[id&blockMask>>6].Load())
	}
	out.put(v.sumOfCodes())
	out.put(out.sum.Sum32())
	if out.err == nil {
		out.err = out.to.Flush()
	}
	return out.n, out.err
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// summed is a writer that remembers its checksum and its first error.
type summed struct {
	sum hash.Hash32
	to  *bufio.Writer
	buf []byte
	n   int64
	err error
}

func (s *summed) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	s.sum.Write(p)
	n, err := s.to.Write(p)
	s.n, s.err = s.n+int64(n), err
	return n, err
}

func (s *summed) put(x any) {
	if s.err == nil {
		s.err = binary.Write(s, binary.LittleEndian, x)
	}
}

func (s *summed) list(list []atomic.Uint32) {
	s.buf = s.buf[:0]
	for i := range list {
		s.buf = binary.LittleEndian.AppendUint32(s.buf, list[i].Load())
	}
	s.Write(s.buf)
}

// sumOfCodes is the checksum of all codes and scales.
func (v *view) sumOfCodes() uint32 {
	sum := crc32.New(castagnoli)
	var buf []byte
	for id := range v.n {
		code, scale := v.code(id)
		buf = buf[:0]
		for _, c := range code {
			buf = append(buf, byte(c))
		}
		buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(scale))
		sum.Write(buf)
	}
	return sum.Sum32()
}
