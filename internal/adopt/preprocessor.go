package adopt

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

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
