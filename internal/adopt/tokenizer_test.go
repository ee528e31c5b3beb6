package adopt

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// tokenizerOf drafts the tokenizer in a folder and makes its files.
func tokenizerOf(t testing.TB, folder fs.FS) (*draft, map[string]string, error) {
	t.Helper()
	d := &draft{folder: folder}
	if err := d.tokenizer(&configs{tokenizers: []string{"."}}); err != nil {
		return d, nil, err
	}
	made := map[string]string{}
	for _, f := range d.files {
		data, err := f.make()
		if err != nil {
			return d, nil, err
		}
		made[f.entry.File] = string(data)
	}
	return d, made, nil
}

// TestThreeFormsOfOneVocabulary: from CLIP's tokenizer.json, from vocab.json
// with merges.txt, and from bpe_simple_vocab_16e6.txt.gz the same two files are
// made. Package clip tests that those give CLIP's own tokens, all of them.
func TestThreeFormsOfOneVocabulary(t *testing.T) {
	pack := filepath.Join("..", "..", "..", "shared", "data", "parity", "tokenizer")
	if _, err := os.Stat(pack); err != nil {
		t.Skip("the shared data folder has no parity/tokenizer on this machine")
	}
	var first map[string]string
	for _, names := range [][]string{{"vocab.json", "merges.txt"}, {"tokenizer.json"}, {"bpe_simple_vocab_16e6.txt.gz"}} {
		folder := fstest.MapFS{}
		for _, n := range names {
			data, err := os.ReadFile(filepath.Join(pack, n))
			if err != nil {
				t.Fatal(err)
			}
			folder[n] = &fstest.MapFile{Data: data}
		}
		d, made, err := tokenizerOf(t, folder)
		if err != nil {
			t.Fatal(err)
		}
		if spec := d.manifest.Text.Tokenizer; spec.Kind != "clip-bpe" || spec.Start != clipStart || spec.End != clipEnd || spec.PadID != 0 {
			t.Errorf("%s: %+v", names, spec)
		}
		if first == nil {
			first = made
			var vocab map[string]int
			if err := json.Unmarshal([]byte(made["vocab.json"]), &vocab); err != nil || len(vocab) != 49_408 {
				t.Fatalf("%d entries, %v", len(vocab), err)
			}
			if n := strings.Count(made["merges.txt"], "\n"); n != 48_895 {
				t.Errorf("%d lines of merges", n)
			}
		}
		for file, want := range first {
			if made[file] != want {
				t.Errorf("%s makes another %s", names, file)
			}
		}
	}
}

func TestMergesInBothForms(t *testing.T) {
	for _, raw := range []string{`["a b", "c d</w>"]`, `[["a", "b"], ["c", "d</w>"]]`} {
		lines, err := readMerges([]byte(raw))
		if err != nil || strings.Join(lines, "|") != "a b|c d</w>" {
			t.Errorf("%s: %q, %v", raw, lines, err)
		}
	}
	if _, err := readMerges([]byte(`[1]`)); err == nil {
		t.Error("a number is a merge")
	}
}

func TestPaddingIsRead(t *testing.T) {
	for _, c := range []struct {
		name, file string
		want       int64
	}{
		{"an object", `{"pad_token": {"content": "<|endoftext|>"}}`, 513},
		{"a name", `{"pad_token": "!"}`, 0},
		{"none", `{}`, 0},
		{"unknown", `{"pad_token": "<pad>"}`, 0},
	} {
		d, _, err := tokenizerOf(t, fstest.MapFS{"tokenizer.json": {Data: bpeJSON(t)}, "special_tokens_map.json": {Data: []byte(c.file)}})
		if err != nil || d.manifest.Text.Tokenizer.PadID != c.want {
			t.Errorf("%s: %d, %v; want %d", c.name, d.manifest.Text.Tokenizer.PadID, err, c.want)
		}
	}
}

// FuzzTokenizerJSON: whatever the file says, reading it ends in files, in
// something to ask for, or in an error.
func FuzzTokenizerJSON(f *testing.F) {
	f.Add(bpeJSON(f))
	f.Add(unigramJSON(f))
	f.Add([]byte(`{"post_processor": {"type": "TemplateProcessing", "single": [{}, {"Sequence": null}]}, "model": {"type": "Unigram"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, made, err := tokenizerOf(t, fstest.MapFS{"tokenizer.json": {Data: raw}})
		if err == nil && len(made) == 0 && d.missing == nil {
			t.Fatal("nothing was made of it")
		}
	})
}

// FuzzConfigs: whatever the files beside a graph say, a photo is made ready in
// a way that the encoder can follow, or the folder is refused.
func FuzzConfigs(f *testing.F) {
	f.Add("preprocessor_config.json", []byte(clipPreprocessor))
	f.Add("preprocess_cfg.json", []byte(openClipPrep))
	f.Add("open_clip_config.json", []byte(`{"model_cfg": `+openClipCfg+`, "preprocess_cfg": `+openClipPrep+`}`))
	f.Add("config.json", []byte(clipConfig))
	f.Add("config.json", []byte(openClipCfg))
	f.Add("tokenizer_config.json", []byte(`{"model_max_length": 1e30}`))
	f.Add("preprocessor_config.json", []byte(`{"size": [1, 2], "rescale_factor": 0, "do_rescale": false, "image_mean": [1]}`))
	f.Fuzz(func(t *testing.T, name string, raw []byte) {
		if !fs.ValidPath(name) {
			return
		}
		c, err := readConfigs(fstest.MapFS{name: {Data: raw}}, []string{"."})
		if err != nil {
			return
		}
		for _, p := range c.pictures {
			if p.size < 0 || p.resize != "" && p.resize != "crop" && p.resize != "squash" {
				t.Fatalf("%+v", p)
			}
		}
		if c.context < 0 || c.dim < 0 {
			return // refused by the manifest's own check
		}
	})
}
