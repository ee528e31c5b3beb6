package onnx

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"fieldmark/internal/vec"
)

// tensor is a TensorProto.
type tensor struct {
	name     string
	whole    []byte // as a field of its graph
	body     []byte
	kind     ElementType
	items    int64
	data     []byte  // raw, or packed
	scalar   *uint32 // the bits of one float32 that is written as a number
	external map[string]string
}

// Numbers of TensorProto's fields.
const (
	tensorRaw      = 9
	tensorExternal = 13
	tensorLocation = 14
)

func readTensor(f field) (tensor, error) {
	t := tensor{whole: f.whole, body: f.bytes, items: 1}
	err := fields(f.bytes, func(f field) error {
		switch f.number {
		case 1:
			sides, err := f.integers()
			if err != nil {
				return err
			}
			for _, side := range sides {
				t.items *= side
			}
		case 2:
			t.kind = ElementType(f.varint)
		case 4: // float_data
			if f.packed {
				t.data = f.bytes
			} else {
				t.scalar = &f.fixed
			}
		case 8:
			t.name = string(f.bytes)
		case tensorRaw:
			t.data = f.bytes
		case tensorExternal:
			return t.readExternal(f.bytes)
		}
		return nil
	})
	return t, err
}

func (t *tensor) readExternal(entry []byte) error {
	var key, value string
	err := fields(entry, func(f field) error {
		switch f.number {
		case 1:
			key = string(f.bytes)
		case 2:
			value = string(f.bytes)
		}
		return nil
	})
	if t.external == nil {
		t.external = map[string]string{}
	}
	t.external[key] = value
	return err
}

// number is the tensor's value if it is a single floating-point number.
func (t tensor) number() (float64, bool) {
	switch {
	case t.items != 1 || t.external != nil:
		return 0, false
	case t.scalar != nil && t.kind == Float:
		return float64(math.Float32frombits(*t.scalar)), true
	case t.kind == Float && len(t.data) == 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(t.data))), true
	case t.kind == Double && len(t.data) == 8:
		return math.Float64frombits(binary.LittleEndian.Uint64(t.data)), true
	case t.kind == Float16 && len(t.data) == 2:
		var v [1]float32
		half := binary.LittleEndian.Uint16(t.data)
		vec.FromHalf(v[:], []uint16{half}, 1)
		return float64(v[0]), half&0x7c00 != 0x7c00
	}
	return 0, false
}

// inline appends the tensor with its weights in it, which are in files of
// folder if it says so.
func (t tensor) inline(b []byte, folder weights) ([]byte, error) {
	if t.external == nil {
		return append(b, t.whole...), nil
	}
	data, err := folder.read(t.external)
	if err != nil {
		return nil, err
	}
	var body []byte
	err = fields(t.body, func(f field) error {
		if f.number != tensorExternal && f.number != tensorLocation {
			body = append(body, f.whole...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	size := len(body) + protowire.SizeTag(tensorRaw) + protowire.SizeBytes(len(data))
	b = protowire.AppendTag(b, graphInitializer, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(size))
	return appendMessage(append(b, body...), tensorRaw, data), nil
}

// weights are files beside a model, by name.
type weights struct {
	folder fs.FS
	known  map[string][]byte
}

// read gives the bytes that an external_data entry means.
func (w weights) read(entry map[string]string) ([]byte, error) {
	name := entry["location"]
	data, ok := w.known[name]
	if !ok {
		if w.folder == nil || !fs.ValidPath(name) {
			return nil, fmt.Errorf("its weights are in another file, %q, which is not in its folder", name)
		}
		var err error
		if data, err = fs.ReadFile(w.folder, name); err != nil {
			return nil, fmt.Errorf("its weights are in another file: %w", err)
		}
		w.known[name] = data
	}
	from, length := 0, len(data)
	for key, into := range map[string]*int{"offset": &from, "length": &length} {
		if s := entry[key]; s != "" {
			v, err := strconv.Atoi(s)
			if err != nil || v < 0 || v > len(data) {
				return nil, fmt.Errorf("its weights are in %s, which has %d bytes: %s %q is not there", name, len(data), key, s)
			}
			*into = v
		}
	}
	if entry["length"] == "" {
		length = len(data) - from
	}
	if from+length > len(data) {
		return nil, fmt.Errorf("its weights are in %s, which is cut short: fetch it again", name)
	}
	return data[from : from+length], nil
}
