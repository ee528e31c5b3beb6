package onnx

import (
	"errors"
	"fmt"
)

// ElementType is what a tensor is made of (TensorProto.DataType).
type ElementType int

// The types that towers take and give.
const (
	Float   ElementType = 1
	Int32   ElementType = 6
	Int64   ElementType = 7
	Float16 ElementType = 10
	Double  ElementType = 11
)

func (t ElementType) String() string {
	switch t {
	case Float:
		return "float32"
	case Int32:
		return "int32"
	case Int64:
		return "int64"
	case Float16:
		return "float16"
	case Double:
		return "float64"
	}
	return fmt.Sprintf("element type %d of onnx.proto", int(t))
}

// Free is a side of a shape that is not fixed.
const Free = -1

// A Value is an input or output of a graph.
type Value struct {
	Name  string
	Type  ElementType
	Shape []int // sides, or Free; nil: the graph does not say
}

// Side is the length of a side of the shape, or Free.
func (v Value) Side(i int) int {
	if i >= len(v.Shape) {
		return Free
	}
	return v.Shape[i]
}

// A Model is an ONNX file. It keeps the bytes that it was read from.
type Model struct {
	Inputs, Outputs []Value // Inputs without those that are constants

	raw       []byte
	nodes     []node
	constants map[string]tensor // initializers by name
	producers map[string]int    // index of the node that gives a name
}

var errNoGraph = errors.New("it is no ONNX model: it has no graph")

// Parse reads an ONNX file.
func Parse(data []byte) (*Model, error) {
	m := &Model{raw: data, constants: map[string]tensor{}, producers: map[string]int{}}
	var inputs []Value
	found := false
	err := fields(data, func(f field) error {
		if f.number != modelGraph {
			return nil
		}
		found = true
		return fields(f.bytes, func(f field) error { return m.read(f, &inputs) })
	})
	if err != nil {
		return nil, fmt.Errorf("it is no ONNX model, or damaged: %w", err)
	}
	if !found || len(m.nodes) == 0 {
		return nil, errNoGraph
	}
	for _, in := range inputs { // before IR version 4 constants were inputs too
		if _, constant := m.constants[in.Name]; !constant {
			m.Inputs = append(m.Inputs, in)
		}
	}
	return m, nil
}

// Numbers of fields in onnx.proto.
const (
	modelGraph = 7

	graphNode        = 1
	graphInitializer = 5
	graphInput       = 11
	graphOutput      = 12
	graphValueInfo   = 13
	graphQuantized   = 14
	graphSparse      = 15
)

func (m *Model) read(f field, inputs *[]Value) error {
	switch f.number {
	case graphNode:
		n, err := readNode(f, 0)
		if err != nil {
			return err
		}
		for _, out := range n.outputs {
			m.producers[out] = len(m.nodes)
		}
		m.nodes = append(m.nodes, n)
	case graphInitializer:
		t, err := readTensor(f)
		if err != nil {
			return err
		}
		m.constants[t.name] = t
	case graphInput, graphOutput:
		v, err := readValue(f.bytes)
		if err != nil {
			return err
		}
		if f.number == graphInput {
			*inputs = append(*inputs, v)
		} else {
			m.Outputs = append(m.Outputs, v)
		}
	}
	return nil
}

// readValue reads a ValueInfoProto; of what is no tensor only the name.
func readValue(message []byte) (v Value, err error) {
	err = fields(message, func(f field) error {
		switch f.number {
		case 1:
			v.Name = string(f.bytes)
		case 2:
			return fields(f.bytes, func(f field) error {
				if f.number != 1 { // tensor_type
					return nil
				}
				return fields(f.bytes, v.readType)
			})
		}
		return nil
	})
	return v, err
}

func (v *Value) readType(f field) error {
	switch f.number {
	case 1:
		v.Type = ElementType(f.varint)
	case 2:
		v.Shape = []int{}
		return fields(f.bytes, func(f field) error {
			side := Free
			err := fields(f.bytes, func(f field) error {
				if f.number == 1 && int64(f.varint) > 0 {
					side = int(f.varint)
				}
				return nil
			})
			v.Shape = append(v.Shape, side)
			return err
		})
	}
	return nil
}
