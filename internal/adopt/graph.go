package adopt

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fieldmark/internal/clip"
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

// graph fills in what the manifest says of a graph, and keeps count of D.
func (d *draft) graph(g *clip.Graph, in, out onnx.Value) error {
	g.Input, g.Output = in.Name, out.Name
	if out.Type == onnx.Float16 {
		g.OutputType = "float16"
	}
	switch batch := in.Side(0); batch {
	case onnx.Free:
	case 1:
		g.Batch = 1
	default:
		return fmt.Errorf("it takes exactly %d inputs in a run: export it with a free batch size", batch)
	}
	dim := out.Side(1)
	if dim == onnx.Free {
		return nil
	}
	if have := d.manifest.Dim; have != 0 && have != dim {
		return fmt.Errorf("its output %q has %d numbers, where %d are expected of this encoder: the towers do not share one space, or one lacks its projection",
			out.Name, dim, have)
	}
	d.manifest.Dim = dim
	return nil
}

// imageTower reads the image tower and how photos are made ready for it.
func (d *draft) imageTower(t *towers, c *configs) error {
	m := t.image.model
	out, err := chooseOutput(m, d.said.ImageOutput, imageOutputs, isPixels, "--image-output")
	if err != nil {
		return err
	}
	needs := m.Needs(out.Name)
	if len(needs) != 1 || !isPixels(needs[0]) {
		return fmt.Errorf("its output %q needs %s, where one input of pixels is expected", out.Name, describe(needs))
	}
	in := needs[0]
	if channels := in.Side(1); channels != 3 && channels != onnx.Free {
		return fmt.Errorf("its input %q has shape %v: only [n, 3, height, width] can be used; export it so", in.Name, in.Shape)
	}
	d.manifest.Dim = cmp.Or(d.said.Dim, c.dim)
	tower := &d.manifest.Image
	if err := d.graph(&tower.Graph, in, out); err != nil {
		return err
	}
	if d.manifest.Dim == 0 {
		d.ask("the embedding's length, which neither the graph nor config.json says: --dim 512, say")
	}
	if in.Type == onnx.Float16 {
		tower.InputType = "float16"
	}
	d.write(&tower.File, "visual.onnx", t.image.part(d.folder, out.Name))
	d.note("photos: %s, %s %v to %s, %d numbers", t.image.path, in.Name, in.Type, out.Name, d.manifest.Dim)
	return d.picture(in, c)
}

// textTower reads the text tower and its tokenizer.
func (d *draft) textTower(t *towers, c *configs) error {
	m := t.text.model
	out, err := chooseOutput(m, d.said.TextOutput, textOutputs, isIDs, "--text-output")
	if err != nil {
		return err
	}
	tower := &d.manifest.Text
	var ids onnx.Value
	for _, in := range m.Needs(out.Name) {
		switch {
		case !isIDs(in):
			return fmt.Errorf("its output %q needs %q, which is no input of text", out.Name, in.Name)
		case strings.Contains(in.Name, "mask"):
			tower.Mask = in.Name
		case ids.Name == "":
			ids = in
		default:
			return fmt.Errorf("it takes %s: only token ids and an attention mask can be given; export it without the others", describe(m.Inputs))
		}
	}
	if ids.Name == "" {
		return errors.New("it takes no token ids")
	}
	for _, in := range m.Needs(out.Name) {
		if in.Type != ids.Type {
			return fmt.Errorf("%q is %v and %q is %v: both must be of one type; export it so", ids.Name, ids.Type, in.Name, in.Type)
		}
	}
	tower.IDType = ids.Type.String()
	if err := d.graph(&tower.Graph, ids, out); err != nil {
		return err
	}
	if err := d.context(ids, c); err != nil {
		return err
	}
	d.write(&tower.File, "text.onnx", t.text.part(d.folder, out.Name))
	d.note("names: %s, %s %v to %s, %d tokens", t.text.path, ids.Name, ids.Type, out.Name, tower.Context)
	return d.tokenizer(c)
}

// context is how many tokens a text has.
func (d *draft) context(ids onnx.Value, c *configs) error {
	fixed := ids.Side(1)
	n := cmp.Or(d.said.Context, max(fixed, 0), c.context)
	if n == 0 {
		d.ask("how many tokens a text has: --context 77 for CLIP, OpenCLIP, BioCLIP and MobileCLIP, --context 64 for SigLIP")
	}
	if fixed != onnx.Free && n != fixed {
		return fmt.Errorf("its input %q has %d tokens, not %d", ids.Name, fixed, n)
	}
	d.manifest.Text.Context = n
	return nil
}
