package adopt

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"fieldmark/internal/clip"
	"fieldmark/internal/onnx"
)

const (
	clipPreprocessor = `{"do_resize": true, "size": {"shortest_edge": 16}, "do_center_crop": true, "crop_size": {"height": 16, "width": 16}, "resample": 3,
		"do_rescale": true, "rescale_factor": 0.00392156862745098, "do_normalize": true, "image_mean": [0.5, 0.4, 0.45], "image_std": [0.5, 0.55, 0.45]}`
	clipConfig   = `{"projection_dim": 3, "logit_scale_init_value": 2.6592, "text_config": {"max_position_embeddings": 16}}`
	openClipCfg  = `{"embed_dim": 3, "vision_cfg": {"image_size": 16}, "text_cfg": {"context_length": 16}}`
	openClipPrep = `{"size": [16, 16], "mode": "RGB", "mean": [0.5, 0.4, 0.45], "std": [0.5, 0.55, 0.45], "interpolation": "bicubic", "resize_mode": "shortest"}`
)

// A layout is a folder as one program or another exports it.
type layout struct {
	name  string
	files func(t *testing.T) map[string][]byte
	said  Options
	image clip.ImageTower // what must be read, but for files
	tau   float64
	unit  bool // embeddings come with length 1
}

// crop is how most of the layouts make photos ready.
var crop = clip.ImageTower{Size: 16, Resize: "crop", Interpolation: "bicubic", Mean: [3]float64{.5, .4, .45}, Std: [3]float64{.5, .55, .45}}

func layouts() []layout {
	text := func(s string) []byte { return []byte(s) }
	return []layout{
		{name: "transformers, two files", said: Options{LogitScale: 100}, image: crop, tau: 100,
			files: func(t *testing.T) map[string][]byte {
				y := newToy()
				return map[string][]byte{"onnx/vision_model.onnx": y.imageGraph(), "onnx/text_model.onnx": y.textGraph(), "tokenizer.json": bpeJSON(t),
					"preprocessor_config.json": text(clipPreprocessor), "config.json": text(clipConfig),
					"README.md": text("---\ntags:\n- clip\nlicense: mit\n---\n# CLIP\nlicense: no\n")}
			}},
		{name: "transformers, one file", image: crop, tau: 50, unit: true,
			files: func(t *testing.T) map[string][]byte {
				y := newToy()
				y.unit, y.mask = true, "attention_mask"
				return map[string][]byte{"model.onnx": y.whole(log(50), 0), "vocab.json": asJSON(t, bpeVocab()), "merges.txt": text("#version: 0.2\n"),
					"preprocessor_config.json": text(clipPreprocessor), "config.json": text(clipConfig)}
			}},
		{name: "transformers, half precision among others", said: Options{LogitScale: 100, Precision: "fp16"}, image: crop, tau: 100,
			files: func(t *testing.T) map[string][]byte {
				y := newToy()
				y.half = true
				other := []byte("not to be opened")
				return map[string][]byte{"onnx/vision_model_fp16.onnx": y.imageGraph(), "onnx/text_model_fp16.onnx": y.textGraph(),
					"onnx/vision_model.onnx": other, "onnx/text_model.onnx": other, "onnx/vision_model_quantized.onnx": other, "onnx/model.onnx": other,
					"tokenizer.json": bpeJSON(t), "preprocessor_config.json": text(clipPreprocessor), "config.json": text(clipConfig)}
			}},
		{name: "one of two whole files", said: Options{ImageFile: "a/model.onnx"}, image: crop, tau: 50,
			files: func(t *testing.T) map[string][]byte {
				whole := newToy().whole(log(50), 0)
				return map[string][]byte{"a/model.onnx": whole, "b/model.onnx": whole, "tokenizer.json": bpeJSON(t),
					"preprocessor_config.json": text(clipPreprocessor), "config.json": text(clipConfig)}
			}},
		{name: "immich", said: Options{LogitScale: 100}, image: crop, tau: 100, unit: true,
			files: func(t *testing.T) map[string][]byte {
				y := newToy()
				y.unit, y.ids, y.context, y.size = true, onnx.Int32, 16, 16
				y.pixels, y.photo, y.text, y.name = "image", "embedding", "text", "embedding"
				return map[string][]byte{"visual/model.onnx": y.imageGraph(), "textual/model.onnx": y.textGraph(), "config.json": text(openClipCfg),
					"visual/preprocess_cfg.json": text(openClipPrep), "textual/tokenizer.json": bpeJSON(t),
					"textual/tokenizer_config.json": text(`{"model_max_length": 1000000000000000019884624838656, "pad_token": "!"}`)}
			}},
		{name: "OpenCLIP, tokenizer elsewhere", image: crop, tau: 100,
			said: Options{LogitScale: 100, Tokenizer: fstest.MapFS{"tokenizer.json": {}}}, // filled below
			files: func(t *testing.T) map[string][]byte {
				y := newToy()
				y.pixels, y.photo, y.text, y.name = "pixels", "image_features", "tokens", "text_features"
				return map[string][]byte{"visual.onnx": y.imageGraph(), "textual.onnx": y.textGraph(),
					"open_clip_config.json": text(`{"model_cfg": ` + openClipCfg + `, "preprocess_cfg": {"mean": [0.5, 0.4, 0.45], "std": [0.5, 0.55, 0.45]}}`)}
			}},
		{name: "MobileCLIP", said: Options{LogitScale: 100}, tau: 100,
			image: clip.ImageTower{Size: 32, Resize: "crop", Interpolation: "bilinear", Std: [3]float64{1, 1, 1}},
			files: func(t *testing.T) map[string][]byte {
				y := newToy()
				return map[string][]byte{"onnx/vision_model.onnx": y.imageGraph(), "onnx/text_model.onnx": y.textGraph(), "tokenizer.json": bpeJSON(t),
					"preprocessor_config.json": text(`{"size": {"shortest_edge": 32}, "crop_size": 32, "do_center_crop": true, "do_normalize": false, "resample": 2}`),
					"tokenizer_config.json":    text(`{"model_max_length": 16}`)}
			}},
		{name: "SigLIP", tau: 117.25,
			image: clip.ImageTower{Size: 16, Resize: "squash", Interpolation: "bicubic", Mean: [3]float64{.5, .5, .5}, Std: [3]float64{.5, .5, .5}},
			files: func(t *testing.T) map[string][]byte {
				y := newToy()
				y.table, y.photo, y.name = unigramTable(), "image_embeds", "text_embeds"
				return map[string][]byte{"onnx/model.onnx": y.whole(log(117.25), -12.9), "tokenizer.json": unigramJSON(t),
					"preprocessor_config.json": text(`{"size": {"height": 16, "width": 16}, "do_resize": true, "resample": 3, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}`),
					"config.json":              text(`{"text_config": {"max_position_embeddings": 8}}`),
					"special_tokens_map.json":  text(`{"pad_token": {"content": "</s>"}}`)}
			}},
		{name: "a photo tower and names", tau: 100, unit: true,
			said:  Options{LogitScale: 100, Size: 16, Resize: "crop", Interpolation: "bicubic", Mean: []float64{.5, .4, .45}, Std: []float64{.5, .55, .45}},
			image: crop,
			files: func(t *testing.T) map[string][]byte {
				y := newToy()
				y.unit, y.batch, y.size, y.pixels, y.photo = true, 1, 16, "pixels", "embedding"
				return map[string][]byte{"bioclip-image-int8.onnx": y.imageGraph(), "names.tsv": text("red\tRed Thing\nblue\n"),
					"vectors.npy": npy([]float32{2, 0, 2}, []float32{0, 1, 0})}
			}},
	}
}

func folderOf(files map[string][]byte) fstest.MapFS {
	folder := fstest.MapFS{}
	for name, data := range files {
		folder[name] = &fstest.MapFile{Data: data}
	}
	return folder
}

// TestLayouts: every layout is read as it was made, and the encoder computes
// what the toy's two formulas say.
func TestLayouts(t *testing.T) {
	for _, l := range layouts() {
		t.Run(l.name, func(t *testing.T) {
			if l.said.Tokenizer != nil {
				l.said.Tokenizer = fstest.MapFS{"tokenizer.json": {Data: bpeJSON(t)}}
			}
			l.said.Name = "toy"
			models := t.TempDir()
			added, err := Add(t.Context(), models, folderOf(l.files(t)), l.said, clip.Options{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			if len(added.Warnings) > 0 {
				t.Error(added.Warnings)
			}
			l.check(t, added)
			enc, err := clip.Open(os.DirFS(filepath.Join(models, "toy")), clip.Options{Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer enc.Close()
			l.checkPhoto(t, enc)
			checkNames(t, enc)
		})
	}
}

func (l layout) check(t *testing.T, added *Added) {
	t.Helper()
	m := added.Manifest
	got := m.Image
	want := l.image
	want.File, want.Graph, want.InputType = got.File, got.Graph, got.InputType
	if l.unit {
		want.Scale = DefaultLength
		if m.MeanNorm != DefaultLength {
			t.Errorf("mean norm %v", m.MeanNorm)
		}
	}
	if got != want {
		t.Errorf("photos are made ready as\n%+v, want\n%+v", got, want)
	}
	if want := map[bool]string{true: "mit", false: "unknown"}[l.name == "transformers, two files"]; m.License != want {
		t.Errorf("licence %q, want %q", m.License, want)
	}
	if m.Dim != toyDim || math.Abs(m.LogitScale-l.tau) > 1e-3 {
		t.Errorf("dim %d, logit scale %v; want %d, %v", m.Dim, m.LogitScale, toyDim, l.tau)
	}
	if m.Text.Lookup == nil && !slices.ContainsFunc(added.Notes, func(n string) bool { return strings.Contains(n, "told apart") }) {
		t.Errorf("circle and square: %q", added.Notes)
	}
}

// checkPhoto embeds a photo of one colour, (204, 102, 51)/255 = (.8, .4, .2):
// whatever the resizing, channel c has the mean (v_c - mean_c)/std_c.
func (l layout) checkPhoto(t *testing.T, enc *clip.Encoder) {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 50, 40))
	draw.Draw(img, img.Rect, image.NewUniform(color.RGBA{204, 102, 51, 255}), image.Point{}, draw.Src)
	got, err := enc.EmbedImage(t.Context(), img)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]float64, toyDim)
	norm := 0.0
	for j := range want {
		for c, v := range []float64{.8, .4, .2} {
			want[j] += (v - l.image.Mean[c]) / l.image.Std[c] * float64(toyColours[c*toyDim+j])
		}
		norm += want[j] * want[j]
	}
	for j := range want {
		if l.unit {
			want[j] *= DefaultLength / math.Sqrt(norm)
		}
		if math.Abs(float64(got[j])-want[j]) > 5e-3 { // half precision
			t.Fatalf("the photo's embedding is %v, want %v", got, want)
		}
	}
}

// checkNames: of "red" every tokenizer leaves one row for red and, but for
// Unigram's and prompts, one for the start; so the direction is (1, 0, 1) or
// (1, 0, 0).
func checkNames(t *testing.T, enc *clip.Encoder) {
	t.Helper()
	got, err := enc.EmbedTexts(t.Context(), []string{"Red"})
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{math.Sqrt(.5), 0, math.Sqrt(.5)}
	if enc.Manifest().Text.Tokenizer.Kind == "unigram" {
		want = []float64{1, 0, 0}
	}
	for j, v := range want {
		if math.Abs(float64(got[0][j])-v) > 1e-6 {
			t.Fatalf("\"Red\" is %v, want %v", got[0], want)
		}
	}
}
