package adopt

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// tokenizer finds the files that turn text into ids, and what they are.
func (d *draft) tokenizer(c *configs) error {
	folder, dirs := d.folder, c.tokenizers
	if d.said.Tokenizer != nil {
		folder, dirs = d.said.Tokenizer, []string{"."}
	}
	d.manifest.Text.Tokenizer.PadID = -1
	for _, dir := range dirs {
		t := tokenizerFiles{folder, dir}
		for _, try := range []func(*draft) (bool, error){t.json, t.vocabAndMerges, t.openAI} {
			found, err := try(d)
			if err != nil {
				return fmt.Errorf("its tokenizer in %s: %w", dir, err)
			}
			if found {
				return d.padding(t)
			}
		}
	}
	d.ask("the tokenizer: tokenizer.json, or vocab.json and merges.txt, or bpe_simple_vocab_16e6.txt.gz, beside the graph or in a folder named with " +
		"--tokenizer; OpenAI's CLIP, OpenCLIP, BioCLIP and MobileCLIP all use the files of openai/clip-vit-base-patch32")
	return nil
}

// tokenizerFiles is a folder that may hold a tokenizer.
type tokenizerFiles struct {
	folder fs.FS
	dir    string
}

func (t tokenizerFiles) read(name string) ([]byte, error) {
	return fs.ReadFile(t.folder, path.Join(t.dir, name))
}

// padding takes the padding id: said, or that of the configuration's pad_token,
// or 0 with CLIP's tokenizer, whose causal towers don't look at it.
func (d *draft) padding(t tokenizerFiles) error {
	spec := &d.manifest.Text.Tokenizer
	switch {
	case d.said.Pad != nil:
		spec.PadID = *d.said.Pad
	case spec.PadID >= 0:
	case spec.Kind == "clip-bpe":
		spec.PadID = 0
	default:
		d.ask("the id that fills up short texts: --pad 1 for SigLIP")
	}
	if spec.PadID < -1 || spec.PadID > 1<<30 {
		return fmt.Errorf("%d is no padding id", spec.PadID)
	}
	d.note("tokenizer: %s from %s, start %q, end %q, padding %d", spec.Kind, t.dir, spec.Start, spec.End, spec.PadID)
	return nil
}

// specialIDs looks the padding token up that special_tokens_map.json or
// tokenizer_config.json names.
func (t tokenizerFiles) specialIDs(d *draft, id func(string) (int64, bool)) error {
	for _, file := range []string{"special_tokens_map.json", "tokenizer_config.json"} {
		raw, err := t.read(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		var j struct {
			Pad json.RawMessage `json:"pad_token"`
		}
		if err := json.Unmarshal(raw, &j); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if pad, ok := id(tokenName(j.Pad)); ok {
			d.manifest.Text.Tokenizer.PadID = pad
			return nil
		}
	}
	return nil
}

// tokenName reads a token as configurations write it: its name, or an object
// with its content.
func tokenName(raw json.RawMessage) string {
	var name string
	if json.Unmarshal(raw, &name) == nil {
		return name
	}
	var object struct {
		Content string `json:"content"`
	}
	_ = json.Unmarshal(raw, &object) // what is neither is no name
	return object.Content
}
