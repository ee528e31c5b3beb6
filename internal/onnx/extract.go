package onnx

import (
	"fmt"
	"io/fs"
	"slices"
)

// maxBytes is the most that protocol buffers can hold.
const maxBytes = 1<<31 - 1

// External lists the files beside the model that hold its weights.
func (m *Model) External() []string {
	var names []string
	for _, t := range m.constants {
		if name := t.external["location"]; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Needs lists the inputs that an output depends on, in the graph's order.
func (m *Model) Needs(output string) []Value {
	needed, _ := m.reach(output)
	var in []Value
	for _, v := range m.Inputs {
		if needed[v.Name] {
			in = append(in, v)
		}
	}
	return in
}

// reach gives the names that an output depends on, and which nodes.
func (m *Model) reach(output string) (names map[string]bool, nodes []bool) {
	names, nodes = map[string]bool{}, make([]bool, len(m.nodes))
	for todo := []string{output}; len(todo) > 0; {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if names[name] {
			continue
		}
		names[name] = true
		if i, ok := m.producers[name]; ok && !nodes[i] {
			nodes[i] = true
			todo = append(append(todo, m.nodes[i].inputs...), m.nodes[i].outer...)
		}
	}
	return names, nodes
}

// Part is the model of one output alone: the nodes and weights that lead to it,
// and the inputs that those need. Weights in other files are taken in, from
// beside the model in folder. The model itself is returned where nothing is to
// be left out or taken in.
func (m *Model) Part(output string, folder fs.FS) ([]byte, error) {
	if !slices.ContainsFunc(m.Outputs, func(v Value) bool { return v.Name == output }) {
		return nil, fmt.Errorf("it has no output %q", output)
	}
	if len(m.Outputs) == 1 && len(m.Needs(output)) == len(m.Inputs) && len(m.External()) == 0 {
		return m.raw, nil
	}
	names, nodes := m.reach(output)
	if !slices.Contains(nodes, true) {
		return nil, fmt.Errorf("no operation gives its output %q", output)
	}
	part := make([]byte, 0, len(m.raw))
	err := fields(m.raw, func(f field) error {
		if f.number != modelGraph {
			part = append(part, f.whole...)
			return nil
		}
		graph, err := m.partOfGraph(f.bytes, output, names, nodes, weights{folder, map[string][]byte{}})
		part = appendMessage(part, modelGraph, graph)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(part) > maxBytes {
		return nil, fmt.Errorf("it has %.1f GB in one graph, and 2 are the most that ONNX Runtime reads: take the export in half precision", float64(len(part))/1e9)
	}
	return part, nil
}

func (m *Model) partOfGraph(graph []byte, output string, names map[string]bool, nodes []bool, w weights) ([]byte, error) {
	part := make([]byte, 0, len(graph))
	at := -1
	err := fields(graph, func(f field) (err error) {
		keep := true
		switch f.number {
		case graphNode:
			at++
			keep = nodes[at]
		case graphInitializer:
			t, err := readTensor(f)
			if err != nil || !names[t.name] {
				return err
			}
			part, err = t.inline(part, w)
			return err
		case graphInput, graphOutput:
			var v Value
			if v, err = readValue(f.bytes); err != nil {
				return err
			}
			keep = f.number == graphInput && names[v.Name] || v.Name == output
		case graphValueInfo, graphQuantized, graphSparse: // hints; what they hint at may be gone
			keep = f.number == graphSparse
		}
		if keep {
			part = append(part, f.whole...)
		}
		return nil
	})
	return part, err
}
