package adopt

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
)

// configs is what the configuration files beside the graphs say. What they do
// not say is zero.
type configs struct {
	pictures    []pictureConfig // the one that goes before the others first
	dim         int
	context     int
	scaleAtInit bool // there is a logit_scale_init_value, which is no logit scale
	tokenizers  []string
}

// readConfigs reads what there is in folders.
func readConfigs(folder fs.FS, folders []string) (*configs, error) {
	c := &configs{}
	for _, dir := range append(folders, "visual", "textual", "tokenizer") {
		if !slices.Contains(c.tokenizers, dir) {
			c.tokenizers = append(c.tokenizers, dir)
		}
	}
	for _, step := range []struct {
		file string
		read func(file string, raw []byte) error
	}{
		{"preprocessor_config.json", c.readPreprocessor},
		{"preprocess_cfg.json", c.readPreprocess},
		{"open_clip_config.json", c.readOpenCLIP},
		{"config.json", c.readConfig},
		{"tokenizer_config.json", c.readTokenizerConfig},
	} {
		for _, dir := range c.tokenizers {
			file := path.Join(dir, step.file)
			raw, err := fs.ReadFile(folder, file)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil {
				err = step.read(file, raw)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			break
		}
	}
	return c, nil
}

// modelConfig is OpenCLIP's, which immich keeps as config.json.
type modelConfig struct {
	EmbedDim  int `json:"embed_dim"`
	VisionCfg struct {
		ImageSize json.RawMessage `json:"image_size"`
	} `json:"vision_cfg"`
	TextCfg struct {
		ContextLength int `json:"context_length"`
	} `json:"text_cfg"`
}

func (c *configs) readModel(file string, m modelConfig) error {
	c.dim, c.context = m.EmbedDim, m.TextCfg.ContextLength
	return c.addSize(file, m.VisionCfg.ImageSize)
}

// addSize takes the size that a model was made for, where nothing says more.
func (c *configs) addSize(file string, raw json.RawMessage) error {
	s, err := readSides(raw)
	if err != nil {
		return err
	}
	size := s.square()
	if size < 0 {
		return errors.New("its photos are no squares: only squares can be used")
	}
	if size > 0 {
		c.pictures = append(c.pictures, pictureConfig{source: file, size: size})
	}
	return nil
}

// readOpenCLIP reads open_clip_config.json.
func (c *configs) readOpenCLIP(file string, raw []byte) error {
	var j struct {
		Model      modelConfig     `json:"model_cfg"`
		Preprocess json.RawMessage `json:"preprocess_cfg"`
	}
	if err := json.Unmarshal(raw, &j); err != nil {
		return err
	}
	if len(j.Preprocess) > 0 {
		if err := c.readPreprocess(file, j.Preprocess); err != nil {
			return err
		}
	}
	return c.readModel(file, j.Model)
}

// readConfig reads the config.json of transformers, or OpenCLIP's.
func (c *configs) readConfig(file string, raw []byte) error {
	var j struct {
		modelConfig
		ProjectionDim int `json:"projection_dim"`
		TextConfig    struct {
			Positions int `json:"max_position_embeddings"`
		} `json:"text_config"`
		VisionConfig struct {
			ImageSize json.RawMessage `json:"image_size"`
		} `json:"vision_config"`
		ScaleAtInit *float64 `json:"logit_scale_init_value"`
	}
	if err := json.Unmarshal(raw, &j); err != nil {
		return err
	}
	if c.dim == 0 && c.context == 0 {
		if err := c.readModel(file, j.modelConfig); err != nil {
			return err
		}
	}
	if c.dim == 0 {
		c.dim = j.ProjectionDim
	}
	if c.context == 0 {
		c.context = j.TextConfig.Positions
	}
	c.scaleAtInit = j.ScaleAtInit != nil
	return c.addSize(file, j.VisionConfig.ImageSize)
}

// readTokenizerConfig takes the length of a text, if it is one: where none was
// set transformers writes 10^30.
func (c *configs) readTokenizerConfig(_ string, raw []byte) error {
	var j struct {
		Length float64 `json:"model_max_length"`
	}
	if err := json.Unmarshal(raw, &j); err != nil {
		return err
	}
	if c.context == 0 && j.Length >= 3 && j.Length <= 4096 {
		c.context = int(j.Length)
	}
	return nil
}
