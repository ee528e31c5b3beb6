package adopt

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"fieldmark/internal/clip"
	"fieldmark/internal/onnx"
	"fieldmark/internal/onnx/onnxtest"
)

// toy is an encoder that knows red from blue. Its photo tower takes the mean of
// each channel and multiplies it by toyColours; its text tower adds up a row of
// a table for every token, over the length of the text.
type toy struct {
	size, batch, context int  // of the graphs' inputs; 0: free
	half                 bool // photos go in and out in half precision
	unit                 bool // embeddings have length 1
	ids                  onnx.ElementType
	mask                 string // name of the mask's input; "": none
	pixels, photo        string // names of input and output
	text, name           string
	table                []float32 // [tokens, toyDim]
}

const toyDim = 3

// toyColours has a row for red, green and blue, and a column for "red", "blue"
// and neither.
var toyColours = []float32{1, -1, 0, -1, -1, .5, -1, 1, 0}

func newToy() toy {
	return toy{ids: onnx.Int64, pixels: "pixel_values", photo: "image_embeds", text: "input_ids", name: "text_embeds", table: bpeTable()}
}

// imageNodes declares the photo's side in g.
func (y toy) imageNodes(g *onnxtest.Graph) {
	kind := onnx.Float
	if y.half {
		kind = onnx.Float16
	}
	g.Input(y.pixels, kind, y.batch, 3, y.size, y.size)
	g.Node("Cast", []string{y.pixels}, []string{"pf"}, onnxtest.Int("to", int(onnx.Float)))
	g.Node("ReduceMean", []string{"pf"}, []string{"means"}, onnxtest.Ints("axes", 2, 3), onnxtest.Int("keepdims", 0))
	g.Float("colours", toyColours, 3, toyDim)
	g.Node("MatMul", []string{"means", "colours"}, []string{"photo.raw"})
	y.embedding(g, "photo.raw", y.photo, kind)
	g.Output("last_hidden_state", kind, 0, 50, 7)
	g.Node("Identity", []string{y.pixels}, []string{"last_hidden_state"})
	g.Output(y.photo, kind, y.batch, toyDim)
}

func (y toy) textNodes(g *onnxtest.Graph) {
	g.Input(y.text, y.ids, y.batch, y.context)
	ids := y.text
	if y.mask != "" {
		g.Input(y.mask, y.ids, y.batch, y.context)
		g.Node("Mul", []string{ids, y.mask}, []string{"masked"})
		ids = "masked"
	}
	g.Float("table", y.table, len(y.table)/toyDim, toyDim)
	g.Node("Gather", []string{"table", ids}, []string{"rows"}, onnxtest.Int("axis", 0))
	g.Node("ReduceMean", []string{"rows"}, []string{"text.raw"}, onnxtest.Ints("axes", 1), onnxtest.Int("keepdims", 0))
	y.embedding(g, "text.raw", y.name, onnx.Float)
	g.Output(y.name, onnx.Float, y.batch, toyDim)
}

// embedding gives what was computed under its name, in its type and length.
func (y toy) embedding(g *onnxtest.Graph, raw, name string, kind onnx.ElementType) {
	if y.unit {
		g.Node("ReduceL2", []string{raw}, []string{raw + ".norm"}, onnxtest.Ints("axes", 1), onnxtest.Int("keepdims", 1))
		g.Node("Div", []string{raw, raw + ".norm"}, []string{raw + ".unit"})
		raw += ".unit"
	}
	g.Node("Cast", []string{raw}, []string{name}, onnxtest.Int("to", int(kind)))
}

func (y toy) imageGraph() []byte {
	var g onnxtest.Graph
	y.imageNodes(&g)
	return g.Model()
}

func (y toy) textGraph() []byte {
	var g onnxtest.Graph
	y.textNodes(&g)
	return g.Model()
}

// whole is both in one file, as transformers exports a CLIP, with a scale and a
// bias of its logits.
func (y toy) whole(logScale, bias float32) []byte {
	var g onnxtest.Graph
	y.textNodes(&g)
	y.imageNodes(&g)
	g.Float("logit_scale", []float32{logScale})
	g.Float("logit_bias", []float32{bias})
	g.Node("Exp", []string{"logit_scale"}, []string{"tau"})
	g.Node("Transpose", []string{y.photo}, []string{"photos"})
	g.Node("MatMul", []string{y.name, "photos"}, []string{"cosines"})
	g.Node("Mul", []string{"cosines", "tau"}, []string{"scaled"})
	g.Node("Add", []string{"scaled", "logit_bias"}, []string{"logits_per_text"})
	g.Node("Transpose", []string{"logits_per_text"}, []string{"logits_per_image"})
	g.Output("logits_per_image", onnx.Float, 0, 0)
	g.Output("logits_per_text", onnx.Float, 0, 0)
	return g.Model()
}

// bpeVocab is CLIP's vocabulary without merges: every byte, every byte at a
// word's end, start and end.
func bpeVocab() map[string]int64 {
	vocab := map[string]int64{}
	for i, l := range clip.ByteLetters() {
		vocab[l], vocab[l+"</w>"] = int64(i), int64(256+i)
	}
	vocab[clipStart], vocab[clipEnd] = 512, 513
	return vocab
}

// bpeTable gives "d" at a word's end to red, "u" to blue, and the start token to
// neither. Padding with 513, the end, or 0, "!", adds nothing.
func bpeTable() []float32 {
	table := make([]float32, 514*toyDim)
	vocab := bpeVocab()
	table[vocab["d</w>"]*toyDim] = 1
	table[vocab["u"]*toyDim+1] = 1
	table[vocab[clipStart]*toyDim+2] = 1
	return table
}

func asJSON(t testing.TB, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// bpeJSON is the same vocabulary as transformers keeps it, with its special
// tokens beside it.
func bpeJSON(t testing.TB) []byte {
	vocab := bpeVocab()
	delete(vocab, clipEnd)
	return asJSON(t, map[string]any{
		"added_tokens":   []any{map[string]any{"id": 512, "content": clipStart}, map[string]any{"id": 513, "content": clipEnd}},
		"normalizer":     map[string]any{"type": "Sequence", "normalizers": []any{map[string]any{"type": "NFC"}, map[string]any{"type": "Lowercase"}}},
		"pre_tokenizer":  map[string]any{"type": "ByteLevel"},
		"post_processor": map[string]any{"type": "RobertaProcessing", "sep": []any{clipEnd, 513}, "cls": []any{clipStart, 512}},
		"model":          map[string]any{"type": "BPE", "end_of_word_suffix": "</w>", "vocab": vocab, "merges": []string{}},
	})
}

// unigramWords are the pieces of a small vocabulary of SigLIP's kind.
var unigramWords = []string{"<unk>", "</s>", "▁a", "▁red", "▁blue", "▁circle", "▁square", "▁"}

func unigramTable() []float32 {
	table := make([]float32, len(unigramWords)*toyDim)
	table[slices.Index(unigramWords, "▁red")*toyDim] = 1
	table[slices.Index(unigramWords, "▁blue")*toyDim+1] = 1
	table[slices.Index(unigramWords, "▁a")*toyDim+2] = 1
	return table
}

func unigramJSON(t testing.TB) []byte {
	var vocab []any
	for i, w := range unigramWords {
		vocab = append(vocab, []any{w, -float64(i)})
	}
	return asJSON(t, map[string]any{
		"added_tokens":  []any{map[string]any{"id": 1, "content": "</s>"}},
		"normalizer":    map[string]any{"type": "Lowercase"},
		"pre_tokenizer": map[string]any{"type": "Metaspace", "replacement": "▁", "add_prefix_space": true},
		"post_processor": map[string]any{"type": "TemplateProcessing", "single": []any{
			map[string]any{"Sequence": map[string]any{"id": "A", "type_id": 0}}, map[string]any{"SpecialToken": map[string]any{"id": "</s>", "type_id": 0}}}},
		"model": map[string]any{"type": "Unigram", "unk_id": 0, "vocab": vocab},
	})
}

// npy writes a NumPy array of float32 [rows, toyDim].
func npy(rows ...[]float32) []byte {
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (" + string(rune('0'+len(rows))) + ", 3), }"
	for (10+len(header)+1)%64 != 0 {
		header += " "
	}
	header += "\n"
	out := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	out = append(out, header...)
	for _, r := range rows {
		out = append(out, onnxtest.FloatBytes(r)...)
	}
	return out
}

func log(x float64) float32 { return float32(math.Log(x)) }
