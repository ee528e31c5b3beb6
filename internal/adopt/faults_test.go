package adopt

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fieldmark/internal/clip"
	"fieldmark/internal/onnx"
	"fieldmark/internal/onnx/onnxtest"
)

// sound is a folder that needs nothing said but the logit scale.
func sound(t *testing.T, y toy) map[string][]byte {
	return map[string][]byte{"vision_model.onnx": y.imageGraph(), "text_model.onnx": y.textGraph(), "tokenizer.json": bpeJSON(t),
		"preprocessor_config.json": []byte(clipPreprocessor), "config.json": []byte(clipConfig)}
}

// with changes some files; nil removes one.
func with(files map[string][]byte, changes map[string]string) map[string][]byte {
	files = maps.Clone(files)
	for name, data := range changes {
		if files[name] = []byte(data); data == "" {
			delete(files, name)
		}
	}
	return files
}

// nothingLeft checks that a models folder holds no encoder, whole or begun.
func nothingLeft(t *testing.T, models string) {
	t.Helper()
	entries, err := os.ReadDir(models)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			t.Errorf("left behind: %s", e.Name())
		}
	}
}

// TestBadFoldersAreExplained: each failure says what is wrong and, where a flag
// mends it, names the flag; and nothing is left behind.
func TestBadFoldersAreExplained(t *testing.T) {
	tau := Options{LogitScale: 100}
	good := sound(t, newToy())
	graph := func(build func(g *onnxtest.Graph)) string {
		var g onnxtest.Graph
		build(&g)
		return string(g.Model())
	}
	fixed := newToy()
	fixed.batch = 4
	training := newToy()
	for _, c := range []struct {
		name  string
		files map[string][]byte
		said  Options
		want  []string
	}{
		{"empty", nil, tau, []string{"no .onnx file", "export"}},
		{"no logit scale", good, Options{}, []string{"--logit-scale 100", "logit_scale_init_value"}},
		{"nothing but graphs", map[string][]byte{"vision_model.onnx": good["vision_model.onnx"], "text_model.onnx": good["text_model.onnx"]}, Options{},
			[]string{"--size 224", "--resize crop", "--interpolation bicubic", "--mean 0.48145466", "--context 77", "--tokenizer", "--logit-scale"}},
		{"no tokenizer", with(good, map[string]string{"tokenizer.json": ""}), tau, []string{"the tokenizer: tokenizer.json"}},
		{"Git LFS pointer", with(good, map[string]string{"vision_model.onnx": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"}), tau,
			[]string{"Git LFS", "git lfs pull"}},
		{"a page in place of a model", with(good, map[string]string{"text_model.onnx": "<html>Not found</html>"}), tau, []string{"text_model.onnx", "no ONNX model", "fetch"}},
		{"two that would do", with(good, map[string]string{"other/vision_model.onnx": "x"}), tau, []string{"several files", "--image"}},
		{"precision that is not there", good, Options{LogitScale: 100, Precision: "fp16"}, []string{"--weights fp16", "vision_model.onnx"}},
		{"two whole files", map[string][]byte{"a/model.onnx": good["text_model.onnx"], "b/model.onnx": good["text_model.onnx"]}, tau, []string{"a/model.onnx, b/model.onnx", "--image"}},
		{"text without photos", with(good, map[string]string{"vision_model.onnx": ""}), tau, []string{"no image tower", "--image"}},
		{"photos without text", with(good, map[string]string{"text_model.onnx": ""}), tau, []string{"no text tower", "names.tsv", "vectors.npy"}},
		{"no such output", good, Options{LogitScale: 100, ImageOutput: "pooled"}, []string{`no output "pooled"`, "--image-output"}},
		{"no such file", good, Options{LogitScale: 100, ImageFile: "photos.onnx"}, []string{"there is no file", "photos.onnx"}},
		{"a file outside", good, Options{LogitScale: 100, ImageFile: "../vision_model.onnx"}, []string{"there is no file", "../vision_model.onnx"}},
		{"fixed batch", sound(t, fixed), tau, []string{"exactly 4", "free batch"}},
		{"other space", with(good, map[string]string{"config.json": `{"projection_dim": 4}`}), tau, []string{"3 numbers, where 4", "projection"}},
		{"no vectors", with(good, map[string]string{"vision_model.onnx": graph(func(g *onnxtest.Graph) {
			g.Input("pixel_values", onnx.Float, 0, 3, 16, 16)
			g.Node("Identity", []string{"pixel_values"}, []string{"last_hidden_state"})
			g.Output("last_hidden_state", onnx.Float, 0, 3, 16, 16)
		})}), tau, []string{"last_hidden_state", "with its projection"}},
		{"channels last", with(good, map[string]string{"vision_model.onnx": graph(func(g *onnxtest.Graph) {
			g.Input("image", onnx.Float, 0, 16, 16, 3)
			g.Node("Flatten", []string{"image"}, []string{"embedding"})
			g.Output("embedding", onnx.Float, 0, 768)
		})}), tau, []string{"[n, 3, height, width]"}},
		{"position ids", with(good, map[string]string{"text_model.onnx": graph(func(g *onnxtest.Graph) {
			g.Input("input_ids", onnx.Int64, 0, 16)
			g.Input("position_ids", onnx.Int64, 0, 16)
			g.Node("Add", []string{"input_ids", "position_ids"}, []string{"s"})
			g.Node("Cast", []string{"s"}, []string{"text_embeds"}, onnxtest.Int("to", 1))
			g.Output("text_embeds", onnx.Float, 0, 3)
		})}), tau, []string{"position_ids", "export it without"}},
		{"lanczos", with(good, map[string]string{"preprocessor_config.json": strings.Replace(clipPreprocessor, `"resample": 3`, `"resample": 1`, 1)}), tau,
			[]string{"preprocessor_config.json", "resample 1", "bicubic"}},
		{"cut smaller", with(good, map[string]string{"preprocessor_config.json": strings.Replace(clipPreprocessor, `{"shortest_edge": 16}`, `{"shortest_edge": 18}`, 1)}), tau,
			[]string{"resized to 18 and cut to 16"}},
		{"no square", with(good, map[string]string{"preprocessor_config.json": `{"size": {"height": 16, "width": 20}, "resample": 2, "do_normalize": false}`}), tau, []string{"square"}},
		{"broken JSON", with(good, map[string]string{"preprocessor_config.json": `{"size": `}), tau, []string{"preprocessor_config.json"}},
		{"zero spread", with(good, map[string]string{"preprocessor_config.json": strings.Replace(clipPreprocessor, `[0.5, 0.55, 0.45]`, `[0.5, 0, 0.45]`, 1)}), tau, []string{"image.std[1]"}},
		{"WordPiece", with(good, map[string]string{"tokenizer.json": `{"model": {"type": "WordPiece"}}`}), tau, []string{"tokenizer", "WordPiece"}},
		{"another BPE", with(good, map[string]string{"tokenizer.json": `{"model": {"type": "BPE", "vocab": {}}}`}), tau, []string{"not CLIP's"}},
		{"another vocab.json", with(good, map[string]string{"tokenizer.json": "", "vocab.json": `{"a": 1}`, "merges.txt": "a b\n"}), tau, []string{`"a</w>"`}},
		{"no merges", with(good, map[string]string{"tokenizer.json": "", "vocab.json": `{"a</w>": 1}`}), tau, []string{"merges.txt"}},
		{"Unigram without padding", with(good, map[string]string{"tokenizer.json": string(unigramJSON(t))}), tau, []string{"--pad 1"}},
		{"a tokenizer for more tokens than it has rows", with(good, map[string]string{"text_model.onnx": string(func() []byte {
			y := training
			y.table = y.table[:100*toyDim]
			return y.textGraph()
		}())}), tau, []string{"does not work"}},
		{"always the same", with(good, map[string]string{"vision_model.onnx": graph(func(g *onnxtest.Graph) {
			g.Input("pixel_values", onnx.Float, 0, 3, 16, 16)
			g.Float("zero", make([]float32, 768*3), 768, 3)
			g.Float("one", []float32{1, 2, 3}, 3)
			g.Node("Flatten", []string{"pixel_values"}, []string{"x"})
			g.Node("MatMul", []string{"x", "zero"}, []string{"y"})
			g.Node("Add", []string{"y", "one"}, []string{"image_embeds"})
			g.Output("image_embeds", onnx.Float, 0, 3)
		})}), tau, []string{"same embedding"}},
		{"random", with(good, map[string]string{"vision_model.onnx": graph(func(g *onnxtest.Graph) {
			g.Input("pixel_values", onnx.Float, 0, 3, 16, 16)
			g.Node("ReduceMean", []string{"pixel_values"}, []string{"means"}, onnxtest.Ints("axes", 2, 3), onnxtest.Int("keepdims", 0))
			g.Node("RandomNormalLike", []string{"means"}, []string{"noise"})
			g.Node("Add", []string{"means", "noise"}, []string{"image_embeds"})
			g.Output("image_embeds", onnx.Float, 0, 3)
		})}), tau, []string{"another embedding each time"}},
		{"not finite", with(good, map[string]string{"vision_model.onnx": graph(func(g *onnxtest.Graph) {
			g.Input("pixel_values", onnx.Float, 0, 3, 16, 16)
			g.Node("ReduceMean", []string{"pixel_values"}, []string{"means"}, onnxtest.Ints("axes", 2, 3), onnxtest.Int("keepdims", 0))
			g.Float("below", []float32{-1000})
			g.Node("Add", []string{"means", "below"}, []string{"low"})
			g.Node("Log", []string{"low"}, []string{"image_embeds"})
			g.Output("image_embeds", onnx.Float, 0, 3)
		})}), tau, []string{"not finite"}},
		{"table of another length", tableFolder("red\nblue\n", npy([]float32{1, 0, 0})), tau, []string{"2 lines", "1 rows"}},
		{"table with a gap", tableFolder("red\n\n", npy([]float32{1, 0, 0}, []float32{0, 1, 0})), tau, []string{"line 2 has no name"}},
		{"table that is no array", tableFolder("red\n", []byte("1 2 3")), tau, []string{"vectors.npy"}},
		{"name", good, Options{Name: "../x", LogitScale: 100}, []string{"--name"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.said.Name == "" {
				c.said.Name = "toy"
			}
			models := t.TempDir()
			_, err := Add(t.Context(), models, folderOf(c.files), c.said, clip.Options{Threads: 1})
			if err == nil {
				t.Fatal("it is accepted")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
			nothingLeft(t, models)
		})
	}
}

func tableFolder(names string, vectors []byte) map[string][]byte {
	return map[string][]byte{"vision.onnx": newToy().imageGraph(), "names.tsv": []byte(names), "vectors.npy": vectors, "preprocessor_config.json": []byte(clipPreprocessor)}
}

func TestANameIsGivenOnce(t *testing.T) {
	models := t.TempDir()
	add := func() error {
		_, err := Add(t.Context(), models, folderOf(sound(t, newToy())), Options{Name: "toy", LogitScale: 100}, clip.Options{Threads: 1})
		return err
	}
	if err := add(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(models, "toy", clip.ManifestFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := add(); !errors.Is(err, ErrExists) {
		t.Errorf("the second: %v", err)
	}
	if after, _ := os.ReadFile(filepath.Join(models, "toy", clip.ManifestFile)); string(after) != string(before) {
		t.Error("the first was touched")
	}
}

// TestWhatAKilledProcessLeftIsRemoved, and one that is still at work is waited
// for.
func TestWhatAKilledProcessLeftIsRemoved(t *testing.T) {
	models := t.TempDir()
	left := filepath.Join(models, unfinished+"123")
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(left, "visual.onnx"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	unlock, err := lock(models)
	if err != nil {
		t.Fatal(err)
	}
	nothingLeft(t, models)
	said := Options{Name: "toy", LogitScale: 100}
	if _, err := Add(t.Context(), models, folderOf(sound(t, newToy())), said, clip.Options{}); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("two at once: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if _, err := Add(t.Context(), models, folderOf(sound(t, newToy())), said, clip.Options{}); err != nil {
		t.Error(err)
	}
}

func TestCancelledLeavesNothing(t *testing.T) {
	models := t.TempDir()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Add(gone, models, folderOf(sound(t, newToy())), Options{Name: "toy", LogitScale: 100}, clip.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	nothingLeft(t, models)
}

// TestCompanyThatMattersIsKeptAway: a tower whose embeddings depend on the rest
// of the batch, as with dynamic quantisation, gets one photo a run.
func TestCompanyThatMattersIsKeptAway(t *testing.T) {
	var g onnxtest.Graph
	g.Input("pixel_values", onnx.Float, 0, 3, 16, 16)
	g.Node("ReduceMean", []string{"pixel_values"}, []string{"means"}, onnxtest.Ints("axes", 2, 3), onnxtest.Int("keepdims", 0))
	g.Node("ReduceMax", []string{"means"}, []string{"most"}, onnxtest.Int("keepdims", 0))
	g.Node("Add", []string{"means", "most"}, []string{"image_embeds"})
	g.Output("image_embeds", onnx.Float, 0, 3)
	files := with(sound(t, newToy()), map[string]string{"vision_model.onnx": string(g.Model())})
	models := t.TempDir()
	added, err := Add(t.Context(), models, folderOf(files), Options{Name: "toy", LogitScale: 100}, clip.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if added.Manifest.Image.Batch != 1 {
		t.Errorf("batch %d; %q", added.Manifest.Image.Batch, added.Notes)
	}
	m, err := clip.ReadManifest(os.DirFS(added.Folder))
	if err != nil || m.Image.Batch != 1 {
		t.Errorf("written: %+v, %v", m.Image, err)
	}
}
