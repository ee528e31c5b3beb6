package sandbox

import (
	"bytes"
	"encoding/binary"
)

// code rewrites the code section, to which it adds the functions that copy and fill.
func (m *metering) code(section []byte) ([]byte, error) {
	r := reader{b: section}
	n := r.u32()
	out := binary.AppendUvarint(nil, uint64(n)+2)
	add := func(body []byte) {
		out = binary.AppendUvarint(out, uint64(len(body)))
		out = append(out, body...)
	}
	for ; n > 0 && r.err == nil; n-- {
		body, err := m.function(r.bytes(r.u32()))
		if err != nil {
			return nil, err
		}
		add(body)
	}
	add(m.bulkFunction(opMemoryCopy, 0, 0))
	add(m.bulkFunction(opMemoryFill, 0))
	return out, r.err
}

// function counts where the function begins and where its loops do, and calls the
// functions that were added in place of the instructions that copy and fill.
func (m *metering) function(body []byte) ([]byte, error) {
	r := reader{b: body}
	for n := r.u32(); n > 0 && r.err == nil; n-- { // local variables
		r.u32()
		r.byte()
	}
	one := m.count(opI64Const, 1)
	done := len(body) - len(r.b)
	out := append(bytes.Clone(body[:done]), one...)
	for len(r.b) > 0 && r.err == nil {
		from := len(body) - len(r.b)
		op, err := r.instruction()
		if err != nil {
			return nil, err
		}
		at := len(body) - len(r.b)
		switch op {
		case opLoop:
			out = append(append(out, body[done:at]...), one...)
		case opMemoryCopy:
			out = append(append(out, body[done:from]...), m.call(m.bulk)...)
		case opMemoryFill:
			out = append(append(out, body[done:from]...), m.call(m.bulk+1)...)
		default:
			continue
		}
		done = at
	}
	return append(out, body[done:]...), r.err
}

// bulkFunction is a function that counts and then copies or fills: its third argument
// is how many bytes.
func (m *metering) bulkFunction(op uint32, memories ...byte) []byte {
	body := []byte{0} // no local variables
	body = append(body, m.count(opLocalGet, 2, opI32Const, 6, opI32ShrU, opI64ExtendI32U)...)
	body = append(body, opLocalGet, 0, opLocalGet, 1, opLocalGet, 2, byte(op>>8), byte(op))
	body = append(body, memories...)
	return append(body, opEnd)
}

// count is: fuel -= amount; if fuel < 0 { unreachable }. Amount is code that leaves 64
// bits on the stack.
func (m *metering) count(amount ...byte) []byte {
	code := m.global(opGlobalGet)
	code = append(code, amount...)
	code = append(code, opI64Sub)
	code = append(code, m.global(opGlobalSet)...)
	code = append(code, m.global(opGlobalGet)...)
	return append(code, opI64Const, 0, opI64LtS, opIf, noResult, opUnreachable, opEnd)
}

func (m *metering) global(op byte) []byte { return binary.AppendUvarint([]byte{op}, uint64(m.fuel)) }

func (m *metering) call(function uint32) []byte {
	return binary.AppendUvarint([]byte{opCall}, uint64(function))
}
