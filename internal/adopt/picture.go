package adopt

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"

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
	all := append([]pictureConfig{{"what you said", d.said.Size, d.said.Resize, d.said.Interpolation, d.said.Mean, d.said.Std},
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

// readPreprocess reads OpenCLIP's preprocess_cfg, which immich keeps too.
func (c *configs) readPreprocess(file string, raw []byte) error {
	var j struct {
		Size          json.RawMessage `json:"size"`
		Mean          []float64       `json:"mean"`
		Std           []float64       `json:"std"`
		Interpolation string          `json:"interpolation"`
		Resize        string          `json:"resize_mode"`
	}
	if err := json.Unmarshal(raw, &j); err != nil {
		return err
	}
	p := pictureConfig{source: file, mean: j.Mean, std: j.Std, interpolation: j.Interpolation}
	// OpenCLIP leaves out what is as it always was: bicubic, shorter side, crop.
	p.interpolation = cmp.Or(j.Interpolation, "bicubic")
	switch j.Resize {
	case "", "shortest":
		p.resize = "crop"
	case "squash":
		p.resize = "squash"
	default:
		return fmt.Errorf("resize_mode %q is not supported, only shortest and squash", j.Resize)
	}
	if p.interpolation != "bicubic" && p.interpolation != "bilinear" {
		return fmt.Errorf("interpolation %q is not supported, only bicubic and bilinear", j.Interpolation)
	}
	sides, err := readSides(j.Size)
	if err != nil {
		return err
	}
	p.size = sides.square()
	if p.size < 0 {
		return fmt.Errorf("photos of %d × %d pixels: only squares can be used", sides.Width, sides.Height)
	}
	c.pictures = append(c.pictures, p)
	return nil
}

// sides is a size as configuration files write it: a number, a pair, or an
// object.
type sides struct {
	Shortest int `json:"shortest_edge"`
	Height   int `json:"height"`
	Width    int `json:"width"`
}

func readSides(raw json.RawMessage) (s sides, err error) {
	var pair []int
	switch {
	case len(raw) == 0 || string(raw) == "null":
	case json.Unmarshal(raw, &s.Shortest) == nil:
	case json.Unmarshal(raw, &pair) == nil && len(pair) == 2:
		s.Height, s.Width = pair[0], pair[1]
	default:
		err = json.Unmarshal(raw, &s)
	}
	return s, err
}

// square is the side of a square, 0 if it is not said, -1 if it is none.
func (s sides) square() int {
	if s.Height != s.Width {
		return -1
	}
	return cmp.Or(s.Shortest, s.Height)
}

// readPreprocessor reads the preprocessor_config.json of transformers.
func (c *configs) readPreprocessor(file string, raw []byte) error {
	var j struct {
		Size      json.RawMessage `json:"size"`
		CropSize  json.RawMessage `json:"crop_size"`
		Crop      *bool           `json:"do_center_crop"`
		Normalize *bool           `json:"do_normalize"`
		Rescale   *bool           `json:"do_rescale"`
		Factor    float64         `json:"rescale_factor"`
		Resample  *int            `json:"resample"`
		Mean      []float64       `json:"image_mean"`
		Std       []float64       `json:"image_std"`
	}
	if err := json.Unmarshal(raw, &j); err != nil {
		return err
	}
	p := pictureConfig{source: file, mean: j.Mean, std: j.Std}
	if j.Normalize != nil && !*j.Normalize {
		p.mean, p.std = []float64{0, 0, 0}, []float64{1, 1, 1}
	}
	if j.Rescale != nil && !*j.Rescale {
		j.Factor = 1
	}
	if j.Factor != 0 {
		p.mean, p.std = rescaled(p.mean, 255*j.Factor), rescaled(p.std, 255*j.Factor)
	}
	if j.Resample != nil {
		name, ok := map[int]string{2: "bilinear", 3: "bicubic"}[*j.Resample] // Pillow's numbers
		if !ok {
			return fmt.Errorf("resample %d is not supported, only 2 (bilinear) and 3 (bicubic)", *j.Resample)
		}
		p.interpolation = name
	}
	size, err := readSides(j.Size)
	if err != nil {
		return err
	}
	crop, err := readSides(j.CropSize)
	if err != nil {
		return err
	}
	if err := p.readSize(size, crop, j.Crop); err != nil {
		return err
	}
	c.pictures = append(c.pictures, p)
	return nil
}

// rescaled makes up for pixels that are not scaled to [0, 1] but to [0, factor]:
// (factor·x - mean)/std = (x - mean/factor)/(std/factor).
func rescaled(values []float64, factor float64) []float64 {
	if values == nil || math.Abs(factor-1) < 1e-6 {
		return values
	}
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v / factor
	}
	return out
}

// readSize tells a crop from a squash.
func (p *pictureConfig) readSize(size, crop sides, doCrop *bool) error {
	p.size = size.square()
	cut := crop.square()
	switch {
	case p.size < 0 || cut < 0:
		return errors.New("its size is no square: only squares can be used")
	case size.Height > 0: // both sides are given: no crop is left to do
		p.resize = "squash"
	case p.size > 0:
		p.resize = "crop"
		if doCrop != nil && !*doCrop && cut == 0 {
			return errors.New("photos of any shape (do_center_crop false with shortest_edge) can't be given to the tower: name --size and --resize")
		}
	}
	if cut > 0 && p.size > 0 && cut != p.size && (doCrop == nil || *doCrop) {
		return fmt.Errorf("photos are resized to %d and cut to %d: only a cut of the same size is supported", p.size, cut)
	}
	return nil
}
