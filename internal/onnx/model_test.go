package onnx_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"google.golang.org/protobuf/encoding/protowire"

	"fieldmark/internal/onnx"
	"fieldmark/internal/onnx/onnxtest"
)

// pair is a model of two towers, as transformers exports a CLIP whole: each
// input times its weights, and the logits of every text against every photo.
func pair(scale func(*onnxtest.Graph)) *onnxtest.Graph {
	g := &onnxtest.Graph{}
	g.Input("pixels", onnx.Float, 0, 2)
	g.Input("ids", onnx.Int64, 0, 2)
	g.Float("wi", []float32{1, 2, 3, 4}, 2, 2)
	g.Float("wt", []float32{5, 6, 7, 8}, 2, 2)
	g.Node("MatMul", []string{"pixels", "wi"}, []string{"image_embeds"})
	g.Node("Cast", []string{"ids"}, []string{"x"}, onnxtest.Int("to", int(onnx.Float)))
	g.Node("MatMul", []string{"x", "wt"}, []string{"text_embeds"})
	g.Node("Transpose", []string{"image_embeds"}, []string{"it"})
	g.Node("MatMul", []string{"text_embeds", "it"}, []string{"cosines"})
	scale(g)
	g.Node("Transpose", []string{"logits_per_text"}, []string{"logits_per_image"})
	g.Output("logits_per_image", onnx.Float, 0, 0)
	g.Output("logits_per_text", onnx.Float, 0, 0)
	g.Output("image_embeds", onnx.Float, 0, 2)
	g.Output("text_embeds", onnx.Float, 0, 2)
	return g
}

func parse(t *testing.T, data []byte) *onnx.Model {
	t.Helper()
	m, err := onnx.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func names(values []onnx.Value) (list []string) {
	for _, v := range values {
		list = append(list, v.Name)
	}
	return list
}

// TestGraphsWithinGraphsEnd: ten are read, but not so many that the stack would
// overflow, which nothing can recover from.
func TestGraphsWithinGraphsEnd(t *testing.T) {
	// nested is a model of one node whose attribute is a graph of one node, and
	// so on. Numbers of fields in onnx.proto: a model's graph is 7, a graph's
	// node 1, a node's attribute 5, an attribute's graph 6.
	nested := func(depth int) []byte {
		var message []byte
		wrap := func(number protowire.Number) {
			message = protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), message)
		}
		wrap(1)
		for range depth {
			wrap(6)
			wrap(5)
			wrap(1)
		}
		wrap(7)
		return message
	}
	parse(t, nested(10))
	if _, err := onnx.Parse(nested(1000)); err == nil || !strings.Contains(err.Error(), "within one another") {
		t.Errorf("1,000 graphs within one another: %v", err)
	}
}

func noScale(g *onnxtest.Graph) { g.Node("Identity", []string{"cosines"}, []string{"logits_per_text"}) }

func TestInputsAndOutputsAreRead(t *testing.T) {
	m := parse(t, pair(noScale).Model())
	pixels, ids := m.Inputs[0], m.Inputs[1]
	if pixels.Name != "pixels" || pixels.Type != onnx.Float || !slices.Equal(pixels.Shape, []int{onnx.Free, 2}) {
		t.Errorf("pixels: %+v", pixels)
	}
	if ids.Type != onnx.Int64 || ids.Side(0) != onnx.Free || ids.Side(1) != 2 || ids.Side(2) != onnx.Free {
		t.Errorf("ids: %+v", ids)
	}
	if got := names(m.Needs("text_embeds")); !slices.Equal(got, []string{"ids"}) {
		t.Errorf("text_embeds needs %v", got)
	}
	if got := names(m.Needs("logits_per_image")); len(got) != 2 {
		t.Errorf("logits_per_image needs %v", got)
	}
}

// TestPartHoldsWhatItsOutputNeeds: the photo's tower alone has neither the
// other's input nor its weights, and is itself whole.
func TestPartHoldsWhatItsOutputNeeds(t *testing.T) {
	g := pair(noScale)
	m := parse(t, g.Model())
	part, err := m.Part("image_embeds", nil)
	if err != nil {
		t.Fatal(err)
	}
	p := parse(t, part)
	if got := names(p.Inputs); !slices.Equal(got, []string{"pixels"}) {
		t.Errorf("inputs %v", got)
	}
	if got := names(p.Outputs); !slices.Equal(got, []string{"image_embeds"}) {
		t.Errorf("outputs %v", got)
	}
	for name, want := range map[string]bool{"wi": true, "wt": false, "Cast": false, "it": false} {
		if strings.Contains(string(part), name) != want {
			t.Errorf("%q in the part: %v", name, !want)
		}
	}
	again, err := p.Part("image_embeds", nil)
	if err != nil || !slices.Equal(again, part) {
		t.Errorf("a model of one output is changed by taking that output's part: %v", err)
	}
	if _, err := m.Part("logits", nil); err == nil {
		t.Error("an output that is not there has a part")
	}
}

func TestWeightsInOtherFilesAreTakenIn(t *testing.T) {
	build := func(weights func(*onnxtest.Graph)) []byte {
		g := &onnxtest.Graph{}
		g.Input("x", onnx.Float, 0, 2)
		weights(g)
		g.Node("MatMul", []string{"x", "w"}, []string{"y"})
		g.Output("y", onnx.Float, 0, 2)
		return g.Model()
	}
	values := []float32{1, 2, 3, 4}
	outside := build(func(g *onnxtest.Graph) { g.External("w", "model.onnx_data", 4, 16, 2, 2) })
	data := append([]byte("pad."), onnxtest.FloatBytes(values)...)
	m := parse(t, outside)
	if got := m.External(); !slices.Equal(got, []string{"model.onnx_data"}) {
		t.Errorf("other files: %v", got)
	}
	got, err := m.Part("y", fstest.MapFS{"model.onnx_data": {Data: data}})
	if err != nil {
		t.Fatal(err)
	}
	if want := build(func(g *onnxtest.Graph) { g.Float("w", values, 2, 2) }); !slices.Equal(got, want) {
		t.Errorf("\ngot  %q\nwant %q", got, want)
	}
	for what, folder := range map[string]fstest.MapFS{
		"missing":   {},
		"cut short": {"model.onnx_data": {Data: data[:12]}},
	} {
		if _, err := m.Part("y", folder); err == nil {
			t.Errorf("%s weights are accepted", what)
		}
	}
	above := parse(t, build(func(g *onnxtest.Graph) { g.External("w", "../secret", 0, 16, 2, 2) }))
	if _, err := above.Part("y", fstest.MapFS{}); err == nil || !strings.Contains(err.Error(), "not in its folder") {
		t.Errorf("weights above the folder: %v", err)
	}
}

func TestLogitScale(t *testing.T) {
	mul := func(a, b string) func(*onnxtest.Graph) {
		return func(g *onnxtest.Graph) { g.Node("Mul", []string{a, b}, []string{"logits_per_text"}) }
	}
	log100 := float32(math.Log(100))
	for name, c := range map[string]struct {
		scale func(*onnxtest.Graph)
		want  float64
	}{
		"none": {noScale, 0},
		"a learned logarithm": {func(g *onnxtest.Graph) {
			g.Float("logit_scale", []float32{log100})
			g.Node("Exp", []string{"logit_scale"}, []string{"tau"})
			mul("cosines", "tau")(g)
		}, 100},
		"folded by the exporter": {func(g *onnxtest.Graph) {
			g.Half("tau", []float32{100})
			mul("tau", "cosines")(g)
		}, 100},
		"SigLIP's, with a bias": {func(g *onnxtest.Graph) {
			g.Float("t", []float32{117.25}, 1)
			g.Float("b", []float32{-12.9}, 1)
			g.Node("Mul", []string{"cosines", "t"}, []string{"scaled"})
			g.Node("Add", []string{"scaled", "b"}, []string{"logits_per_text"})
		}, 117.25},
		"an output of OpenCLIP's": {func(g *onnxtest.Graph) {
			g.Float("s", []float32{log100})
			g.Node("Exp", []string{"s"}, []string{"logit_scale"})
			g.Output("logit_scale", onnx.Float)
			noScale(g)
		}, 100},
		"an output that is a logarithm": {func(g *onnxtest.Graph) {
			g.Float("s", []float32{log100})
			g.Node("Identity", []string{"s"}, []string{"logit_scale"})
			g.Output("logit_scale", onnx.Float)
			noScale(g)
		}, 0},
		"a parameter that nothing uses": {func(g *onnxtest.Graph) {
			g.Float("clip.logit_scale", []float32{log100})
			noScale(g)
		}, 100},
	} {
		got, ok := parse(t, pair(c.scale).Model()).LogitScale()
		if ok != (c.want != 0) || math.Abs(got-c.want) > 1e-3 {
			t.Errorf("%s: %v, %v; want %v", name, got, ok, c.want)
		}
	}
}

// A program that multiplies the photo before it takes cosines (OpenAI's).
func TestLogitScaleBeforeTheProduct(t *testing.T) {
	g := &onnxtest.Graph{}
	g.Input("i", onnx.Float, 0, 2)
	g.Input("t", onnx.Float, 0, 2)
	g.Float("tau", []float32{50})
	g.Node("Mul", []string{"tau", "i"}, []string{"scaled"})
	g.Node("MatMul", []string{"scaled", "t"}, []string{"logits"})
	g.Output("logits", onnx.Float, 0, 0)
	if got, ok := parse(t, g.Model()).LogitScale(); !ok || got != 50 {
		t.Errorf("%v, %v", got, ok)
	}
}

func TestWhatIsNoModelIsSaid(t *testing.T) {
	for _, data := range []string{"", "hello", "\x08\x08", "<html>not found</html>", "\x3a\x00"} {
		if _, err := onnx.Parse([]byte(data)); err == nil || !strings.Contains(err.Error(), "no ONNX model") {
			t.Errorf("%q: %v", data, err)
		}
	}
}

// FuzzParse: whatever the bytes, reading ends, and a part of what was read can
// be read.
func FuzzParse(f *testing.F) {
	f.Add(pair(noScale).Model())
	g := pair(func(g *onnxtest.Graph) {
		g.Float("logit_scale", []float32{4})
		g.Node("Exp", []string{"logit_scale"}, []string{"tau"})
		g.Node("Mul", []string{"cosines", "tau"}, []string{"logits_per_text"})
	})
	g.External("e", "data", 0, 4, 1)
	f.Add(g.Model())
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := onnx.Parse(data)
		if err != nil {
			return
		}
		m.LogitScale()
		for _, out := range m.Outputs {
			part, err := m.Part(out.Name, fstest.MapFS{"data": {Data: []byte("1234")}})
			if err != nil {
				continue
			}
			if _, err := onnx.Parse(part); err != nil {
				t.Fatalf("the part of %q: %v", out.Name, err)
			}
		}
	})
}
