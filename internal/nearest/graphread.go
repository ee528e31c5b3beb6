package nearest

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math/bits"
	"sync"
	"sync/atomic"
)

// ReadGraph reads what WriteTo wrote of a graph of v, or of its first vectors.
// Bytes that are something else, cut short or changed give ErrGraph; an error of r
// itself is returned as it is. No more memory is used than a graph of v needs.
func ReadGraph(r io.Reader, v *Vectors, workers int) (*Graph, error) {
	in := &summedReader{from: bufio.NewReaderSize(r, 1<<16), sum: crc32.New(castagnoli)}
	magic := in.bytes(len(graphMagic))
	if in.err == nil && string(magic) != graphMagic {
		return nil, fmt.Errorf("nearest: graph begins with %q: %w", magic, ErrGraph)
	}
	var h graphHeader
	h.Dim, h.M, h.Width, h.N, h.Seed = in.uint32(), in.uint32(), in.uint32(), in.uint32(), in.uint64()
	if in.err != nil {
		return nil, in.failure()
	}
	if int64(h.Dim) != int64(v.Dim()) || int64(h.N) > int64(v.Len()) || h.N%batchNodes != 0 || h.M > maxM || h.Width > maxBuildWidth {
		return nil, fmt.Errorf("nearest: graph of %d vectors of %d elements with %d links, for %d of %d: %w",
			h.N, h.Dim, h.M, v.Len(), v.Dim(), ErrGraph)
	}
	g, err := NewGraph(v.Dim(), GraphParams{M: int(h.M), Width: int(h.Width), Seed: h.Seed})
	if err != nil || g.params.M != int(h.M) || g.params.Width != int(h.Width) {
		return nil, fmt.Errorf("nearest: graph with %d links, width %d: %w", h.M, h.Width, ErrGraph)
	}
	if err := g.read(in, int32(h.N)); err != nil {
		return nil, err
	}
	g.encodeAll(v, int32(h.N), workers)
	g.publish(int32(h.N))
	if now := g.view(); in.codes != now.sumOfCodes() {
		return nil, fmt.Errorf("nearest: graph of other vectors: %w", ErrGraph)
	}
	return g, nil
}

// read reads what follows the header.
func (g *Graph) read(in *summedReader, n int32) error {
	for id := int32(0); id < n && in.err == nil; id++ {
		g.grow(id)
		now := g.view()
		in.list(now.links(id, 0), func(to int32) bool { return to < n && to != id })
	}
	now := g.view()
	for id := int32(0); id < n && in.err == nil; id++ {
		for level := 1; level <= g.level(id); level++ {
			in.list(now.links(id, level), func(to int32) bool { return to < n && to != id && g.level(to) >= level })
		}
	}
	for id := int32(0); id < n && in.err == nil; id += 64 {
		gone := in.uint64()
		now.blocks[id>>blockBits].gone[id&blockMask>>6].Store(gone)
		g.removed.Add(int32(bits.OnesCount64(gone)))
	}
	in.codes = in.uint32()
	want := in.sum.Sum32()
	if got := in.uint32(); in.err == nil && got != want {
		return fmt.Errorf("nearest: graph has checksum %08x, want %08x: %w", want, got, ErrGraph)
	}
	return in.failure()
}

// encodeAll makes the codes of the first n vectors.
func (g *Graph) encodeAll(v *Vectors, n int32, workers int) {
	now := g.view()
	workers = max(1, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			var row []float32
			for id := int(n) * w / workers; id < int(n)*(w+1)/workers; id++ {
				row = now.encode(v, int32(id), row)
			}
		})
	}
	wg.Wait()
}

// summedReader reads numbers, and remembers their checksum and the first error.
type summedReader struct {
	from  *bufio.Reader
	sum   hash.Hash32
	buf   []byte
	codes uint32 // the checksum of the codes that was read
	err   error
}

// bytes are the next n bytes, until it is called again; zeros after an error.
func (r *summedReader) bytes(n int) []byte {
	if cap(r.buf) < n {
		r.buf = make([]byte, n)
	}
	r.buf = r.buf[:n]
	if r.err == nil {
		_, r.err = io.ReadFull(r.from, r.buf)
	}
	if r.err != nil {
		clear(r.buf)
	}
	r.sum.Write(r.buf)
	return r.buf
}

func (r *summedReader) uint32() uint32 { return binary.LittleEndian.Uint32(r.bytes(4)) }
func (r *summedReader) uint64() uint64 { return binary.LittleEndian.Uint64(r.bytes(8)) }

// list reads a list, whose links must lead where allowed says.
func (r *summedReader) list(list []atomic.Uint32, allowed func(to int32) bool) {
	raw, ended := r.bytes(4*len(list)), false
	for i := range list {
		l := link(binary.LittleEndian.Uint32(raw[4*i:]))
		if r.err == nil && l != 0 && (ended || l.id() < 0 || !allowed(l.id())) {
			r.err = fmt.Errorf("link %#x: %w", l, ErrGraph)
			return
		}
		ended = ended || l == 0
		list[i].Store(uint32(l))
	}
}

// failure is the error of reading, as ReadGraph returns it.
func (r *summedReader) failure() error {
	if errors.Is(r.err, io.EOF) || errors.Is(r.err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("nearest: graph ends too soon: %w", ErrGraph)
	}
	if r.err != nil {
		return fmt.Errorf("nearest: read graph: %w", r.err)
	}
	return nil
}
