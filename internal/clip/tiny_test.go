package clip

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
	"testing/fstest"
)

// A tiny is an encoder of two matrices, small enough to be written here: the
// image tower multiplies the flattened photo [3·size·size] by image, the text
// tower the ids [context] by text.
type tiny struct {
	manifest    Manifest
	image, text []float32 // row-major, dim columns
}

const (
	tinySize    = 8
	tinyContext = 16
	tinyDim     = 6
)

func newTiny() *tiny {
	random := rand.New(rand.NewPCG(1, 2))
	weights := func(rows int) []float32 {
		w := make([]float32, rows*tinyDim)
		for i := range w {
			w[i] = float32(random.NormFloat64())
		}
		return w
	}
	m := Manifest{
		Format: 1, Name: "tiny", Dim: tinyDim, LogitScale: 10, MeanNorm: 1,
		Prompts: []string{"a {}.", "the {}"}, Names: []string{"scientific"},
		Image: ImageTower{File: File{File: "visual.onnx"}, Graph: Graph{Input: "image", Output: "embedding"}, Size: tinySize,
			Resize: "squash", Interpolation: "bilinear", Mean: [3]float64{.5, .5, .5}, Std: [3]float64{.5, .5, .5}},
		Text: TextTower{File: File{File: "text.onnx"}, Graph: Graph{Input: "input_ids", Output: "embedding"}, IDType: "int64",
			Context: tinyContext, Tokenizer: clipSpec},
	}
	m.Seen = &File{File: "seen.txt"}
	return &tiny{manifest: m, image: weights(3 * tinySize * tinySize), text: weights(tinyContext)}
}

// folder writes the encoder out, with sizes and digests.
func (e *tiny) folder(t testing.TB) fstest.MapFS {
	t.Helper()
	vocab, merges := byteVocabulary(t)
	folder := fstest.MapFS{}
	put := func(f *File, data []byte) {
		sum := sha256.Sum256(data)
		f.SHA256, f.Bytes = hex.EncodeToString(sum[:]), int64(len(data))
		folder[f.File] = &fstest.MapFile{Data: data}
	}
	m := e.manifest
	put(&m.Image.File, matrixModel("image", "embedding", "Flatten", []int{3, m.Image.Size, m.Image.Size}, onnxFloat, e.image))
	idType := map[string]int{"int64": onnxInt64, "int32": onnxInt32}[m.Text.IDType]
	put(&m.Text.File, matrixModel("input_ids", "embedding", "Cast", []int{tinyContext}, idType, e.text))
	put(&m.Text.Tokenizer.Vocab, vocab)
	put(&m.Text.Tokenizer.Merges, []byte(merges))
	seen := *m.Seen
	put(&seen, []byte("Parus major\nPica pica\n"))
	m.Seen = &seen
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	folder[ManifestFile] = &fstest.MapFile{Data: raw}
	return folder
}

func (e *tiny) open(t testing.TB) *Encoder {
	t.Helper()
	if _, err := FindRuntime(""); err != nil {
		t.Fatal(err)
	}
	enc, err := Open(e.folder(t), Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := enc.Close(); err != nil {
			t.Error(err)
		}
	})
	return enc
}

// times is x·w, what the towers compute.
func times(x, w []float32) []float64 {
	y := make([]float64, tinyDim)
	for i, v := range x {
		for j := range y {
			y[j] += float64(v) * float64(w[i*tinyDim+j])
		}
	}
	return y
}

const (
	onnxFloat = 1
	onnxInt32 = 6
	onnxInt64 = 7
)

// matrixModel is an ONNX model (onnx.proto, opset 13): the input [n, shape…]
// through prepare, "Flatten" or "Cast" to float, then times w.
func matrixModel(input, output, prepare string, shape []int, inputType int, w []float32) []byte {
	attribute := map[string]message{
		"Flatten": message{}.text(1, "axis").number(3, 1).number(20, 2),
		"Cast":    message{}.text(1, "to").number(3, onnxFloat).number(20, 2),
	}[prepare]
	raw := make([]byte, 0, 4*len(w))
	for _, v := range w {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	weights := message{}.number(1, len(w)/tinyDim).number(1, tinyDim).number(2, onnxFloat).text(8, "w").text(9, string(raw))
	graph := message{}.
		sub(1, message{}.text(1, input).text(2, "x").text(4, prepare).sub(5, attribute)).
		sub(1, message{}.text(1, "x").text(1, "w").text(2, output).text(4, "MatMul")).
		text(2, "tiny").
		sub(5, weights).
		sub(11, valueInfo(input, inputType, shape)).
		sub(12, valueInfo(output, onnxFloat, []int{tinyDim}))
	return message{}.number(1, 8).sub(7, graph).sub(8, message{}.text(1, "").number(2, 13))
}

func valueInfo(name string, kind int, shape []int) message {
	dims := message{}.sub(1, message{}.text(2, "n"))
	for _, d := range shape {
		dims = dims.sub(1, message{}.number(1, d))
	}
	tensor := message{}.number(1, kind).sub(2, dims)
	return message{}.text(1, name).sub(2, message{}.sub(1, tensor))
}

// A message is a protocol buffer in the making.
type message []byte

func (m message) number(field, v int) message {
	return binary.AppendUvarint(binary.AppendUvarint(m, uint64(field)<<3), uint64(v))
}

func (m message) text(field int, s string) message {
	m = binary.AppendUvarint(binary.AppendUvarint(m, uint64(field)<<3|2), uint64(len(s)))
	return append(m, s...)
}

func (m message) sub(field int, inner message) message { return m.text(field, string(inner)) }
