package adopt

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"fieldmark/internal/clip"
	"fieldmark/internal/onnx"
)

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
