package adopt

import (
	"fmt"
	"slices"
	"strings"

	"fieldmark/internal/onnx"
)

// isPixels tells an image input: floating-point, four sides.
func isPixels(v onnx.Value) bool {
	return (v.Type == onnx.Float || v.Type == onnx.Float16) && (len(v.Shape) == 4 || v.Shape == nil)
}

// isIDs tells an input of token ids, or of their mask.
func isIDs(v onnx.Value) bool {
	return (v.Type == onnx.Int32 || v.Type == onnx.Int64) && (len(v.Shape) == 2 || v.Shape == nil)
}

func takesIDs(m *onnx.Model) bool { return slices.ContainsFunc(m.Inputs, isIDs) }

// Names of outputs that are embeddings, the likeliest first: Hugging Face's
// projections, immich's and others' exports, and SigLIP's, whose pooled output
// is projected already.
var (
	imageOutputs = []string{"image_embeds", "image_features", "image_embedding", "embedding", "embeddings", "pooler_output", "output"}
	textOutputs  = []string{"text_embeds", "text_features", "text_embedding", "embedding", "embeddings", "pooler_output", "output"}
)

// chooseOutput finds the embedding among the outputs that need no other inputs
// than those that ours accepts.
func chooseOutput(m *onnx.Model, said string, known []string, ours func(onnx.Value) bool, flag string) (onnx.Value, error) {
	var fit []onnx.Value
	var names []string
	for _, out := range m.Outputs {
		if out.Name == said {
			return out, nil
		}
		needs := m.Needs(out.Name)
		foreign := slices.ContainsFunc(needs, func(v onnx.Value) bool { return !ours(v) })
		vectors := (len(out.Shape) == 2 || out.Shape == nil) && (out.Type == onnx.Float || out.Type == onnx.Float16)
		if vectors && !foreign && len(needs) > 0 {
			fit = append(fit, out)
			names = append(names, out.Name)
		}
	}
	switch {
	case said != "":
		return onnx.Value{}, fmt.Errorf("it has no output %q (%s)", said, flag)
	case len(fit) == 0:
		return onnx.Value{}, fmt.Errorf("it has no output of one vector for each input (outputs: %s): export the tower with its projection", describe(m.Outputs))
	case len(fit) == 1:
		return fit[0], nil
	}
	for _, name := range known {
		if i := slices.Index(names, name); i >= 0 {
			return fit[i], nil
		}
	}
	return onnx.Value{}, fmt.Errorf("several outputs may be the embedding: %s; name one with %s", strings.Join(names, ", "), flag)
}

func describe(values []onnx.Value) string {
	var all []string
	for _, v := range values {
		all = append(all, fmt.Sprintf("%s %v %v", v.Name, v.Type, v.Shape))
	}
	return strings.Join(all, ", ")
}
