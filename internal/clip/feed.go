package clip

import (
	"encoding/binary"
	"errors"
	"fmt"

	ort "github.com/yalue/onnxruntime_go"

	"fieldmark/internal/vec"
)

// A feed is what one input of a tower is given for n photos or texts.
type feed interface {
	// tensor holds rows from to to-1.
	tensor(from, to int) (ort.Value, error)
}

// rows are numbers as they are, each row of the given shape.
type rows[T float32 | int64 | int32] struct {
	data  []T
	shape []int64
}

func (r rows[T]) tensor(from, to int) (ort.Value, error) {
	size := volume(r.shape)
	return ort.NewTensor(append(ort.Shape{int64(to - from)}, r.shape...), r.data[from*size:to*size])
}

// halfRows are given in half precision, rounded to the nearest.
type halfRows rows[float32]

func (r halfRows) tensor(from, to int) (ort.Value, error) {
	size := volume(r.shape)
	halves := make([]uint16, (to-from)*size)
	vec.ToHalf(halves, r.data[from*size:to*size])
	raw := make([]byte, 0, 2*len(halves))
	for _, h := range halves {
		raw = binary.LittleEndian.AppendUint16(raw, h)
	}
	return ort.NewCustomDataTensor(append(ort.Shape{int64(to - from)}, r.shape...), raw, ort.TensorElementDataTypeFloat16)
}

func volume(shape []int64) int {
	n := 1
	for _, d := range shape {
		n *= int(d)
	}
	return n
}

// halfResult is the place of a float16 output of n rows: the binding cannot make
// it, and a graph that gives another shape is refused by ONNX Runtime itself.
func halfResult(n, dim int) (ort.Value, error) {
	return ort.NewCustomDataTensor(ort.Shape{int64(n), int64(dim)}, make([]byte, 2*n*dim), ort.TensorElementDataTypeFloat16)
}

// numbers gives an output's n rows of dim numbers, one after another.
func numbers(out ort.Value, n, dim int) ([]float32, error) {
	if got := out.GetShape(); len(got) != 2 || got[0] != int64(n) || got[1] != int64(dim) {
		return nil, fmt.Errorf("it gives a tensor of shape %v, where %v is expected", got, []int{n, dim})
	}
	switch t := out.(type) {
	case *ort.Tensor[float32]:
		return append([]float32(nil), t.GetData()...), nil // the tensor's memory goes with it
	case *ort.CustomDataTensor:
		raw := t.GetData()
		halves, flat := make([]uint16, n*dim), make([]float32, n*dim)
		for i := range halves {
			halves[i] = binary.LittleEndian.Uint16(raw[2*i:])
			if halves[i]&0x7c00 == 0x7c00 {
				return nil, errors.New("it gives numbers that are not finite")
			}
		}
		vec.FromHalf(flat, halves, 1)
		return flat, nil
	}
	return nil, errors.New("it gives neither float32 nor float16")
}
