package adopt

import (
	"cmp"
	"errors"
	"fmt"

	"fieldmark/internal/clip"
	"fieldmark/internal/onnx"
)

// pictureConfig is how one file, or a person, says that a photo is made ready.
// What it does not say is zero.
type pictureConfig struct {
	source        string
	size          int
	resize        string
	interpolation string
	mean, std     []float64
}

// picture puts together what is said of photos, field by field.
func (d *draft) picture(in onnx.Value, c *configs) error {
	t := &d.manifest.Image
	height, width := in.Side(2), in.Side(3)
	if height != width {
		return fmt.Errorf("its input %q has %d × %d pixels: only squares can be used", in.Name, width, height)
	}
	all := append([]pictureConfig{{"the command line", d.said.Size, d.said.Resize, d.said.Interpolation, d.said.Mean, d.said.Std},
		{source: "the graph", size: max(height, 0)}}, c.pictures...)
	var mean, std []float64
	from := map[string]bool{}
	for _, p := range all {
		before := *t
		t.Size = cmp.Or(t.Size, p.size)
		t.Resize = cmp.Or(t.Resize, p.resize)
		t.Interpolation = cmp.Or(t.Interpolation, p.interpolation)
		if mean == nil && p.mean != nil {
			mean, from[p.source] = p.mean, true
		}
		if std == nil && p.std != nil {
			std, from[p.source] = p.std, true
		}
		if *t != before {
			from[p.source] = true
		}
	}
	if height != onnx.Free && t.Size != height {
		return fmt.Errorf("its input %q has %d pixels a side, not %d", in.Name, height, t.Size)
	}
	if err := d.askPicture(t, mean, std); err != nil {
		return err
	}
	for _, p := range all {
		if from[p.source] {
			d.note("photos made ready as %s says: %s", p.source, p)
		}
	}
	return nil
}

// askPicture asks for what is missing, and takes mean and std.
func (d *draft) askPicture(t *clip.ImageTower, mean, std []float64) error {
	if t.Size == 0 {
		d.ask("the photo's size in pixels: --size 224 for most, 256 for MobileCLIP-S")
	}
	if t.Resize == "" {
		d.ask("how a photo becomes a square: --resize crop (shorter side to the size, centre cut out: CLIP) or --resize squash (SigLIP)")
	}
	if t.Interpolation == "" {
		d.ask("how a photo is resized: --interpolation bicubic (CLIP, BioCLIP, SigLIP) or bilinear (MobileCLIP)")
	}
	if mean == nil || std == nil {
		d.ask("what the pixels' mean and spread are taken to be: --mean 0.48145466,0.4578275,0.40821073 --std 0.26862954,0.26130258,0.27577711 " +
			"for CLIP, OpenCLIP and BioCLIP; --mean 0.5,0.5,0.5 --std 0.5,0.5,0.5 for SigLIP; --mean 0,0,0 --std 1,1,1 for MobileCLIP")
		return nil
	}
	if len(mean) != 3 || len(std) != 3 {
		return errors.New("mean and std must have three numbers each")
	}
	t.Mean, t.Std = [3]float64(mean), [3]float64(std)
	return nil
}

func (p pictureConfig) String() string {
	s := ""
	if p.size > 0 {
		s += fmt.Sprintf("%d pixels ", p.size)
	}
	for _, word := range []string{p.resize, p.interpolation} {
		if word != "" {
			s += word + " "
		}
	}
	if p.mean != nil {
		s += fmt.Sprintf("mean %.4g ", p.mean)
	}
	if p.std != nil {
		s += fmt.Sprintf("std %.4g", p.std)
	}
	return s
}
