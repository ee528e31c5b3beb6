package onnx

import "errors"

// node is one operation.
type node struct {
	whole           []byte
	op              string
	inputs, outputs []string
	outer           []string // names that its subgraphs read
	value           *tensor  // of a Constant
}

// input is the i-th input's name, "" where there is none.
func (n *node) input(i int) string {
	if i >= len(n.inputs) {
		return ""
	}
	return n.inputs[i]
}

// maxDepth is how many graphs may lie within one another. ONNX Runtime's own
// reader takes 100 messages within one another, three to a graph.
const maxDepth = 33

func readNode(f field, depth int) (n node, err error) {
	if depth > maxDepth {
		return n, errors.New("too many graphs lie within one another")
	}
	n.whole = f.whole
	err = fields(f.bytes, func(f field) error {
		switch f.number {
		case 1:
			n.inputs = append(n.inputs, string(f.bytes))
		case 2:
			n.outputs = append(n.outputs, string(f.bytes))
		case 4:
			n.op = string(f.bytes)
		case 5:
			return n.readAttribute(f.bytes, depth)
		}
		return nil
	})
	return n, err
}

// readAttribute keeps a constant's value, and what subgraphs read from outside.
func (n *node) readAttribute(attribute []byte, depth int) error {
	return fields(attribute, func(f field) error {
		switch f.number {
		case 2: // value_float
			n.value = &tensor{kind: Float, scalar: &f.fixed}
		case 5:
			t, err := readTensor(f)
			n.value = &t
			return err
		case 6, 11: // graphs of If, Loop and Scan
			return fields(f.bytes, func(f field) error {
				if f.number != graphNode {
					return nil
				}
				inner, err := readNode(f, depth+1)
				n.outer = append(append(n.outer, inner.inputs...), inner.outer...)
				return err
			})
		}
		return nil
	})
}
