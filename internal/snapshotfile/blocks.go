package snapshotfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// A snapshot is a magic line and blocks: the length of the content (4 bytes,
// little-endian), a CRC-32C (4) over the block's number, its length and its
// content, and the content. An empty block ends it. So a block that was damaged,
// left out, repeated or moved is noticed before a byte of it is handed on, and a
// torn file by its missing end.
const (
	magic     = "Fieldmark snapshot 1\n"
	blockSize = 1 << 20
	headSize  = 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrDamaged is the error about a file that is not what was written.
var ErrDamaged = errors.New("the snapshot is damaged")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// checksum of the block with the given number.
func checksum(number uint64, content []byte) uint32 {
	var head [12]byte
	binary.LittleEndian.PutUint64(head[:8], number)
	binary.LittleEndian.PutUint32(head[8:], uint32(len(content)))
	return crc32.Update(crc32.Checksum(head[:], castagnoli), castagnoli, content)
}

// blockWriter gathers what is written in blocks. end completes the file.
type blockWriter struct {
	w      io.Writer
	block  []byte // headSize bytes to be filled in, then the content so far
	number uint64
}

func newBlockWriter(w io.Writer) (*blockWriter, error) {
	if _, err := io.WriteString(w, magic); err != nil {
		return nil, err
	}
	return &blockWriter{w: w, block: make([]byte, headSize, headSize+blockSize)}, nil
}

func (b *blockWriter) Write(p []byte) (n int, err error) {
	for len(p) > 0 {
		take := min(len(p), cap(b.block)-len(b.block))
		b.block = append(b.block, p[:take]...)
		p, n = p[take:], n+take
		if len(b.block) == cap(b.block) {
			if err := b.flush(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

func (b *blockWriter) flush() error {
	content := b.block[headSize:]
	binary.LittleEndian.PutUint32(b.block, uint32(len(content)))
	binary.LittleEndian.PutUint32(b.block[4:], checksum(b.number, content))
	_, err := b.w.Write(b.block)
	b.number++
	b.block = b.block[:headSize]
	return err
}

func (b *blockWriter) end() error {
	if len(b.block) > headSize {
		if err := b.flush(); err != nil {
			return err
		}
	}
	return b.flush()
}

// blockReader gives the content of a file's blocks, each checked first.
type blockReader struct {
	r      io.Reader
	block  []byte
	rest   []byte // of block, not yet read
	number uint64
	err    error // what every Read returns from now on
}

func newBlockReader(r io.Reader) (*blockReader, error) {
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(r, head); err != nil || !bytes.Equal(head, []byte(magic)) {
		return nil, damaged("it does not begin as one")
	}
	return &blockReader{r: r, block: make([]byte, blockSize)}, nil
}

func (b *blockReader) Read(p []byte) (int, error) {
	for len(b.rest) == 0 && b.err == nil {
		b.next()
	}
	if len(b.rest) == 0 {
		return 0, b.err
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// next reads a block.
func (b *blockReader) next() {
	var head [headSize]byte
	if _, err := io.ReadFull(b.r, head[:]); err != nil {
		b.err = torn(err)
		return
	}
	size := binary.LittleEndian.Uint32(head[:])
	if size > blockSize {
		b.err = damaged("block %d claims %d bytes", b.number, size)
		return
	}
	content := b.block[:size]
	if _, err := io.ReadFull(b.r, content); err != nil {
		b.err = torn(err)
		return
	}
	if checksum(b.number, content) != binary.LittleEndian.Uint32(head[4:]) {
		b.err = damaged("the checksum of block %d is wrong", b.number)
		return
	}
	b.number++
	if b.rest = content; size == 0 {
		b.err = b.last()
	}
}

// last checks that nothing follows.
func (b *blockReader) last() error {
	var more [1]byte
	if _, err := io.ReadFull(b.r, more[:]); !errors.Is(err, io.EOF) {
		return damaged("something follows its end")
	}
	return io.EOF
}

func torn(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged("it ends early")
	}
	return err
}
