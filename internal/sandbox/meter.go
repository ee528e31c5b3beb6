package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// fuelName is what the global of a metered module is exported as.
const fuelName = "fuel"

// meter rewrites a module so that it stops after a given amount of work: a global of
// 64 bits, which the module exports as fuel and which is 0 at first, counts down by 1
// at the beginning of every function and of every turn of a loop, and by 1 for every
// 64 bytes that one instruction copies or fills; below 0 the module traps. So the
// limit is the same however busy the machine is. (wazero can end a module when its
// context is done, but asks at the same places by leaving the compiled code: libheif
// takes five times as long then.)
//
// Sections and instructions are those of the WebAssembly Core Specification 2.0,
// chapter 5. A module with others, such as vectors of 128 bits, is refused.
func meter(module []byte) ([]byte, error) {
	const header = 8
	if len(module) < header || string(module[:4]) != "\x00asm" {
		return nil, errors.New("not a WebAssembly module")
	}
	out := bytes.Clone(module[:header])
	r := reader{b: module[header:]}
	var m metering
	for len(r.b) > 0 && r.err == nil {
		id := r.byte()
		content, err := m.section(id, r.bytes(r.u32()))
		if err != nil {
			return nil, err
		}
		out = append(out, id)
		out = binary.AppendUvarint(out, uint64(len(content)))
		out = append(out, content...)
	}
	if r.err == nil && !m.counted {
		return nil, errors.New("the module lacks a section that every program has")
	}
	return out, r.err
}

// metering is what the sections of a module hold, as far as it has been read.
type metering struct {
	threeNumbers uint32 // the type (i32, i32, i32) → (), which is added
	imported     uint32 // functions
	bulk         uint32 // the function that copies, which is added; the next one fills
	fuel         uint32 // the global, which is added
	exported     bool
	counted      bool
}

const (
	typeSection     = 1
	importSection   = 2
	functionSection = 3
	globalSection   = 6
	exportSection   = 7
	codeSection     = 10

	functionKind = 0
	globalKind   = 3

	typeFunction = 0x60
	typeI32      = 0x7f
	typeI64      = 0x7e
	mutable      = 1
)

// section rewrites one section. They come in the order of their numbers, custom ones
// (0) among them.
func (m *metering) section(id byte, content []byte) (out []byte, err error) {
	switch id {
	case typeSection:
		m.threeNumbers, out, err = appended(content, []byte{typeFunction, 3, typeI32, typeI32, typeI32, 0})
	case importSection:
		out = content
		m.imported, err = importedFunctions(content)
	case functionSection:
		kind := binary.AppendUvarint(nil, uint64(m.threeNumbers))
		m.bulk, out, err = appended(content, kind, kind)
		m.bulk += m.imported
	case globalSection:
		m.fuel, out, err = appended(content, []byte{typeI64, mutable, opI64Const, 0, opEnd})
	case exportSection:
		entry := append([]byte{byte(len(fuelName))}, fuelName...)
		_, out, err = appended(content, binary.AppendUvarint(append(entry, globalKind), uint64(m.fuel)))
		m.exported = true
	case codeSection:
		if !m.exported || m.fuel == 0 || m.bulk == 0 || m.threeNumbers == 0 {
			return nil, errors.New("the module lacks a section that every program has")
		}
		out, err = m.code(content)
		m.counted = true
	default:
		out = content
	}
	return out, err
}

// importedFunctions counts them, and refuses a module that imports anything else, by
// which the numbers of globals would shift.
func importedFunctions(imports []byte) (uint32, error) {
	r := reader{b: imports}
	n := r.u32()
	for i := uint32(0); i < n && r.err == nil; i++ {
		r.bytes(r.u32())
		r.bytes(r.u32())
		if kind := r.byte(); kind != functionKind {
			return 0, fmt.Errorf("the module imports something of kind %d", kind)
		}
		r.u32()
	}
	return n, r.err
}

// appended adds elements to a vector. First is the number of the first of them.
func appended(vector []byte, elements ...[]byte) (first uint32, out []byte, err error) {
	r := reader{b: vector}
	first = r.u32()
	out = binary.AppendUvarint(nil, uint64(first)+uint64(len(elements)))
	out = append(out, r.b...)
	return first, append(out, bytes.Join(elements, nil)...), r.err
}
