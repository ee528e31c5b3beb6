// Package onnxtest writes small ONNX models, for tests.
package onnxtest

import (
	"encoding/binary"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"fieldmark/internal/onnx"
	"fieldmark/internal/vec"
)

// Message is a protocol buffer in the making.
type Message []byte

// Number appends a field that holds a whole number.
func (m Message) Number(field, v int) Message {
	return protowire.AppendVarint(protowire.AppendTag(m, protowire.Number(field), protowire.VarintType), uint64(v))
}

// Text appends a field that holds text.
func (m Message) Text(field int, s string) Message {
	return protowire.AppendString(protowire.AppendTag(m, protowire.Number(field), protowire.BytesType), s)
}

// Sub appends a field that holds a message.
func (m Message) Sub(field int, inner Message) Message { return m.Text(field, string(inner)) }

// Graph is the graph of a model in the making (GraphProto). The zero value is
// empty.
type Graph struct{ Message Message }

// Model is the file (ModelProto, operator set 13).
func (g *Graph) Model() []byte {
	graph := append(Message{}.Text(2, "test"), g.Message...)
	return Message{}.Number(1, 8).Sub(7, graph).Sub(8, Message{}.Text(1, "").Number(2, 13))
}

// Input declares an input; a side of 0 is free.
func (g *Graph) Input(name string, t onnx.ElementType, shape ...int) {
	g.Message = g.Message.Sub(11, value(name, t, shape))
}

// Output declares an output; a side of 0 is free.
func (g *Graph) Output(name string, t onnx.ElementType, shape ...int) {
	g.Message = g.Message.Sub(12, value(name, t, shape))
}

func value(name string, t onnx.ElementType, shape []int) Message {
	var sides Message
	for i, side := range shape {
		if side == 0 {
			sides = sides.Sub(1, Message{}.Text(2, name+strconv.Itoa(i)))
			continue
		}
		sides = sides.Sub(1, Message{}.Number(1, side))
	}
	return Message{}.Text(1, name).Sub(2, Message{}.Sub(1, Message{}.Number(1, int(t)).Sub(2, sides)))
}

// Node appends an operation.
func (g *Graph) Node(op string, inputs, outputs []string, attributes ...Message) {
	var n Message
	for _, in := range inputs {
		n = n.Text(1, in)
	}
	for _, out := range outputs {
		n = n.Text(2, out)
	}
	n = n.Text(4, op)
	for _, a := range attributes {
		n = n.Sub(5, a)
	}
	g.Message = g.Message.Sub(1, n)
}

// Int is an attribute that is a whole number.
func Int(name string, v int) Message { return Message{}.Text(1, name).Number(3, v).Number(20, 2) }

// Ints is an attribute that is a list of whole numbers.
func Ints(name string, values ...int) Message {
	m := Message{}.Text(1, name)
	for _, v := range values {
		m = m.Number(8, v)
	}
	return m.Number(20, 7)
}

// Float appends weights; no shape makes a scalar.
func (g *Graph) Float(name string, values []float32, shape ...int) {
	g.Message = g.Message.Sub(5, header(name, onnx.Float, shape).Text(9, string(FloatBytes(values))))
}

// Half appends weights in half precision.
func (g *Graph) Half(name string, values []float32, shape ...int) {
	halves := make([]uint16, len(values))
	vec.ToHalf(halves, values)
	var raw []byte
	for _, h := range halves {
		raw = binary.LittleEndian.AppendUint16(raw, h)
	}
	g.Message = g.Message.Sub(5, header(name, onnx.Float16, shape).Text(9, string(raw)))
}

// External appends weights whose bytes are in another file.
func (g *Graph) External(name, file string, offset, length int, shape ...int) {
	m := header(name, onnx.Float, shape)
	for _, entry := range [][2]string{{"location", file}, {"offset", strconv.Itoa(offset)}, {"length", strconv.Itoa(length)}} {
		m = m.Sub(13, Message{}.Text(1, entry[0]).Text(2, entry[1]))
	}
	g.Message = g.Message.Sub(5, m.Number(14, 1))
}

// FloatBytes is how weights are written.
func FloatBytes(values []float32) []byte {
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return raw
}

func header(name string, t onnx.ElementType, shape []int) Message {
	var m Message
	for _, side := range shape {
		m = m.Number(1, side)
	}
	return m.Number(2, int(t)).Text(8, name)
}
