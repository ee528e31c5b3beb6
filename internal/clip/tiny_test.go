package clip

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"fieldmark/internal/onnx"
	"fieldmark/internal/onnx/onnxtest"
)

// A tiny is an encoder of two matrices, small enough to be written here: the
// image tower multiplies the flattened photo [3·size·size] by image, the text
// tower the ids [context] by text.
type tiny struct {
	manifest    Manifest
	image, text []float32       // row-major, dim columns
	lie         func(*Manifest) // what the manifest says that the files don't bear out; or nil
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
		Prompts: []string{"a {}.", "the {}"}, Names: []string{"scientific"}, Near: Near{Slope: 10, Midpoint: 0.6},
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
		*f = fileOf(f.File, data)
		folder[f.File] = &fstest.MapFile{Data: data}
	}
	m := e.manifest
	kinds := map[string]onnx.ElementType{"": onnx.Float, "float16": onnx.Float16, "int64": onnx.Int64, "int32": onnx.Int32}
	put(&m.Image.File, m.Image.model("Flatten", []int{3, m.Image.Size, m.Image.Size}, kinds[m.Image.InputType], "", e.image))
	put(&m.Text.File, m.Text.model("Cast", []int{tinyContext}, kinds[m.Text.IDType], m.Text.Mask, e.text))
	put(&m.Text.Tokenizer.Vocab, vocab)
	put(&m.Text.Tokenizer.Merges, []byte(merges))
	seen := *m.Seen
	put(&seen, []byte("Parus major\nPica pica\n"))
	m.Seen = &seen
	if e.lie != nil {
		e.lie(&m)
	}
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	folder[ManifestFile] = &fstest.MapFile{Data: raw}
	return folder
}

// fileOf describes a file.
func fileOf(name string, data []byte) File {
	sum := sha256.Sum256(data)
	return File{File: name, SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(data))}
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

// model is the tower as a file: the input [n, shape…] through prepare, "Flatten"
// or "Cast" to float, then times w. A mask is multiplied to it before.
func (g Graph) model(prepare string, shape []int, kind onnx.ElementType, mask string, w []float32) []byte {
	var m onnxtest.Graph
	toFloat := onnxtest.Int("to", int(onnx.Float))
	side := append([]int{g.Batch}, shape...)
	m.Input(g.Input, kind, side...)
	from := g.Input
	if mask != "" {
		m.Input(mask, kind, side...)
		m.Node("Mul", []string{g.Input, mask}, []string{"masked"})
		from = "masked"
	}
	if kind != onnx.Float {
		m.Node("Cast", []string{from}, []string{"f"}, toFloat)
		from = "f"
	}
	if prepare == "Flatten" {
		m.Node("Flatten", []string{from}, []string{"flat"}, onnxtest.Int("axis", 1))
		from = "flat"
	}
	m.Float("w", w, len(w)/tinyDim, tinyDim)
	if g.OutputType == "float16" {
		m.Node("MatMul", []string{from, "w"}, []string{"y"})
		m.Node("Cast", []string{"y"}, []string{g.Output}, onnxtest.Int("to", int(onnx.Float16)))
		m.Output(g.Output, onnx.Float16, g.Batch, tinyDim)
	} else {
		m.Node("MatMul", []string{from, "w"}, []string{g.Output})
		m.Output(g.Output, onnx.Float, g.Batch, tinyDim)
	}
	return m.Model()
}
