package adopt

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fieldmark/internal/clip"
)

// TestTheBuiltInEncoderRearranged: put into the layouts of others, it embeds as
// it does at home, bit for bit.
func TestTheBuiltInEncoderRearranged(t *testing.T) {
	home := filepath.Join("..", "..", "models", "fieldmark-1")
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(home, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	visual, text, vocab, merges := read("visual.onnx"), read("text.onnx"), read("vocab.json"), read("merges.txt")
	const prep = `{"size": 160, "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5], "interpolation": "bicubic"}`
	own := map[string][]byte{}
	for _, f := range []string{"manifest.json", "visual.onnx", "text.onnx", "vocab.json", "merges.txt", "seen.txt"} {
		own[f] = read(f)
	}
	at := open(t, os.DirFS(home))
	wantPhoto, wantText := embedBoth(t, at)
	for name, files := range map[string]map[string][]byte{
		"transformers": {"onnx/vision_model.onnx": visual, "onnx/text_model.onnx": text, "vocab.json": vocab, "merges.txt": merges,
			"preprocess_cfg.json": []byte(prep), "config.json": []byte(`{"text_config": {"max_position_embeddings": 32}}`)},
		"immich": {"visual/model.onnx": visual, "textual/model.onnx": text, "textual/vocab.json": vocab, "textual/merges.txt": merges,
			"visual/preprocess_cfg.json": []byte(prep), "config.json": []byte(`{"embed_dim": 512, "text_cfg": {"context_length": 32}}`)},
		"its own": own,
	} {
		t.Run(name, func(t *testing.T) {
			added, err := Add(t.Context(), t.TempDir(), folderOf(files), Options{Name: "again", LogitScale: 28}, clip.Options{Threads: 2})
			if err != nil {
				t.Fatal(err)
			}
			// It knows names of organisms and no shapes: that is said, not refused.
			if len(added.Warnings) != 1 || !strings.Contains(added.Warnings[0], "red circle") {
				t.Errorf("warnings: %q", added.Warnings)
			}
			enc := open(t, os.DirFS(added.Folder))
			photo, text := embedBoth(t, enc)
			if !slices.Equal(photo, wantPhoto) || !slices.Equal(text, wantText) {
				t.Error("it embeds otherwise than at home")
			}
			if m := enc.Manifest(); m.LogitScale != 28 || m.Name != "again" || name == "its own" && (m.MeanNorm != 10 || enc.Seen() == nil) {
				t.Errorf("%+v", m)
			}
		})
	}
	if _, err := Add(t.Context(), t.TempDir(), folderOf(own), Options{Name: "again", Size: 224}, clip.Options{}); err == nil || !strings.Contains(err.Error(), "leave out") {
		t.Errorf("another size than its manifest's: %v", err)
	}
	own["visual.onnx"] = append(slices.Clone(visual), 0)
	if _, err := Add(t.Context(), t.TempDir(), folderOf(own), Options{Name: "again"}, clip.Options{}); err == nil || !strings.Contains(err.Error(), "visual.onnx") {
		t.Errorf("a changed file is accepted: %v", err)
	}
}

func open(t *testing.T, folder fs.FS) *clip.Encoder {
	t.Helper()
	enc, err := clip.Open(folder, clip.Options{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := enc.Close(); err != nil {
			t.Error(err)
		}
	})
	return enc
}

func embedBoth(t *testing.T, enc *clip.Encoder) (photo, text []float32) {
	t.Helper()
	photo, err := enc.EmbedImage(t.Context(), drawNoise(1))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := enc.EmbedTexts(t.Context(), []string{"Luna Moth"})
	if err != nil {
		t.Fatal(err)
	}
	return photo, rows[0]
}
