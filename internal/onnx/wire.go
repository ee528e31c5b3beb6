package onnx

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

// A field of a message: whole is it as it stands, tag included.
type field struct {
	number protowire.Number
	whole  []byte
	bytes  []byte // of a string, a message or packed numbers
	number64
}

// number64 is what a numeric field holds.
type number64 struct {
	varint uint64
	fixed  uint32
	packed bool // the field has bytes in place of one number
}

// fields visits the fields of a message in their order.
func fields(message []byte, visit func(field) error) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return protowire.ParseError(n)
		}
		value := message[n:]
		size := protowire.ConsumeFieldValue(number, kind, value)
		if size < 0 {
			return protowire.ParseError(size)
		}
		f := field{number: number, whole: message[:n+size]}
		switch kind {
		case protowire.BytesType:
			f.bytes, _ = protowire.ConsumeBytes(value)
			f.packed = true
		case protowire.VarintType:
			f.varint, _ = protowire.ConsumeVarint(value)
		case protowire.Fixed32Type:
			f.fixed, _ = protowire.ConsumeFixed32(value)
		}
		if err := visit(f); err != nil {
			return err
		}
		message = message[n+size:]
	}
	return nil
}

// integers gives the numbers of a repeated integer field, packed or not.
func (f field) integers() ([]int64, error) {
	if !f.packed {
		return []int64{int64(f.varint)}, nil
	}
	var all []int64
	for rest := f.bytes; len(rest) > 0; {
		v, n := protowire.ConsumeVarint(rest)
		if n < 0 {
			return nil, errors.New("packed numbers are cut short")
		}
		all, rest = append(all, int64(v)), rest[n:]
	}
	return all, nil
}

// appendMessage appends a field that holds a message.
func appendMessage(b []byte, number protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), message)
}
