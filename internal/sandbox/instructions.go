package sandbox

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Instructions that are written, or looked for. Those of two codes have the first in
// their second byte.
const (
	opUnreachable   = 0x00
	opBlock         = 0x02
	opLoop          = 0x03
	opIf            = 0x04
	opEnd           = 0x0b
	opCall          = 0x10
	opLocalGet      = 0x20
	opGlobalGet     = 0x23
	opGlobalSet     = 0x24
	opI32Const      = 0x41
	opI64Const      = 0x42
	opI64LtS        = 0x53
	opI32ShrU       = 0x76
	opI64Sub        = 0x7d
	opI64ExtendI32U = 0xad
	opMemoryCopy    = prefix<<8 | 10
	opMemoryFill    = prefix<<8 | 11

	prefix   = 0xfc
	noResult = 0x40 // the type of a block
)

// reader reads the parts of a module. Its first error stays.
type reader struct {
	b   []byte
	err error
}

func (r *reader) bytes(n uint32) []byte {
	if uint64(n) > uint64(len(r.b)) {
		r.b, r.err = nil, io.ErrUnexpectedEOF
		return nil
	}
	part := r.b[:n]
	r.b = r.b[n:]
	return part
}

func (r *reader) byte() byte {
	if b := r.bytes(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

// u32 reads a number in LEB128.
func (r *reader) u32() uint32 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > 1<<32-1 {
		r.b, r.err = nil, io.ErrUnexpectedEOF
		return 0
	}
	r.b = r.b[n:]
	return uint32(v)
}

// skip passes over numbers in LEB128, signed or not.
func (r *reader) skip(numbers uint32) {
	for ; numbers > 0 && r.err == nil; numbers-- {
		for r.byte()&0x80 != 0 {
		}
	}
}

// instruction reads one, with what follows its code (5.4 of the specification).
func (r *reader) instruction() (op uint32, err error) {
	op = uint32(r.byte())
	switch {
	case op == 0x0e: // br_table
		r.skip(r.u32())
		r.skip(1)
	case op == 0x1c: // select, with types
		r.bytes(r.u32())
	case op == 0x43: // f32.const
		r.bytes(4)
	case op == 0x44: // f64.const
		r.bytes(8)
	case op == prefix:
		return r.prefixed()
	default:
		n, known := immediates(op)
		if !known {
			return op, fmt.Errorf("instruction %#x cannot be metered", op)
		}
		r.skip(n)
	}
	return op, r.err
}

// immediates is how many numbers follow an instruction.
func immediates(op uint32) (numbers uint32, known bool) {
	switch {
	case op == 0x11, op >= 0x28 && op <= 0x3e: // call_indirect: type, table; memory: alignment, offset
		return 2, true
	case op >= opBlock && op <= opIf, op == 0x0c, op == 0x0d, op == opCall, op >= 0x20 && op <= 0x26,
		op >= 0x3f && op <= opI64Const, op == 0xd0, op == 0xd2: // a type, an index or a constant
		return 1, true
	case op <= 0x01, op == 0x05, op == opEnd, op == 0x0f, op == 0x1a, op == 0x1b, op >= 0x45 && op <= 0xc4, op == 0xd1:
		return 0, true
	}
	return 0, false
}

// prefixed reads what follows the first code of an instruction that has two.
func (r *reader) prefixed() (op uint32, err error) {
	second := r.u32()
	switch {
	case second <= 7: // conversions that saturate
	case second == 10: // memory.copy: two memories
		r.skip(2)
	case second == 11: // memory.fill
		r.skip(1)
	default:
		return 0, fmt.Errorf("instruction %#x %d cannot be metered", prefix, second)
	}
	return prefix<<8 | second, r.err
}
