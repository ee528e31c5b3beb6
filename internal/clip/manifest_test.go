package clip

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"
)

func TestManifestIsRead(t *testing.T) {
	m, err := ReadManifest(newTiny().folder(t))
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != "tiny" || m.Image.File.File != "visual.onnx" || m.Text.Tokenizer.Vocab.Bytes == 0 {
		t.Errorf("read as %+v", m)
	}
}

func TestManifestFaultsAreNamed(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*Manifest)
		want  string
	}{
		{"format", func(m *Manifest) { m.Format = 2 }, "format is 2"},
		{"dim", func(m *Manifest) { m.Dim = 0 }, "dim is 0"},
		{"size", func(m *Manifest) { m.Image.Size = -1 }, "image.size is -1"},
		{"resize", func(m *Manifest) { m.Image.Resize = "stretch" }, `"stretch"`},
		{"interpolation", func(m *Manifest) { m.Image.Interpolation = "nearest" }, `"nearest"`},
		{"std", func(m *Manifest) { m.Image.Std[1] = 0 }, "image.std[1]"},
		{"id type", func(m *Manifest) { m.Text.IDType = "float" }, `"float"`},
		{"context", func(m *Manifest) { m.Text.Context = 2 }, "text.context is 2"},
		{"tokenizer", func(m *Manifest) { m.Text.Tokenizer.Kind = "wordpiece" }, `"wordpiece"`},
		{"scale", func(m *Manifest) { m.LogitScale = 0 }, "logit_scale"},
		{"prompts", func(m *Manifest) { m.Prompts = nil }, "prompts is empty"},
		{"prompt", func(m *Manifest) { m.Prompts = []string{"a bird"} }, `"a bird"`},
		{"names", func(m *Manifest) { m.Names = nil }, "names is empty"},
		{"kind of names", func(m *Manifest) { m.Names = []string{"english", "latin"} }, `"latin"`},
		{"slope", func(m *Manifest) { m.Near.Slope = 0 }, "near.slope is 0"},
		{"midpoint", func(m *Manifest) { m.Near.Midpoint = 1 }, "near.midpoint is 1"},
		{"path", func(m *Manifest) { m.Image.File.File = "../visual.onnx" }, "within the folder"},
		{"digest", func(m *Manifest) { m.Text.SHA256 = "abc" }, "text.onnx"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := newTiny().folder(t)
			var m Manifest
			if err := json.Unmarshal(folder[ManifestFile].Data, &m); err != nil {
				t.Fatal(err)
			}
			c.spoil(&m)
			raw, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			folder[ManifestFile] = &fstest.MapFile{Data: raw}
			if _, err := ReadManifest(folder); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one that says %q", err, c.want)
			}
		})
	}
}

func TestFilesAreChecked(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(fstest.MapFS)
		want  string
	}{
		{"missing", func(f fstest.MapFS) { delete(f, "vocab.json") }, "vocab.json"},
		{"cut short", func(f fstest.MapFS) { f["merges.txt"].Data = f["merges.txt"].Data[1:] }, "merges.txt has"},
		{"changed", func(f fstest.MapFS) { f["seen.txt"].Data[0]++ }, "seen.txt has SHA-256"},
		{"no manifest", func(f fstest.MapFS) { delete(f, ManifestFile) }, ManifestFile},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := newTiny().folder(t)
			c.spoil(folder)
			enc, err := Open(folder, Options{})
			if err == nil {
				enc.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one that says %q", err, c.want)
			}
		})
	}
}

// TestDigestIsTheEmbeddingsIdentity: it changes with whatever changes an
// image embedding, and with nothing else.
func TestDigestIsTheEmbeddingsIdentity(t *testing.T) {
	base := newTiny().manifest
	digest := base.Digest()
	for name, change := range map[string]func(*Manifest){
		"image tower":   func(m *Manifest) { m.Image.SHA256 = "1" },
		"size":          func(m *Manifest) { m.Image.Size++ },
		"scale":         func(m *Manifest) { m.Image.Scale = 10 },
		"resize":        func(m *Manifest) { m.Image.Resize = "crop" },
		"interpolation": func(m *Manifest) { m.Image.Interpolation = "bicubic" },
		"mean":          func(m *Manifest) { m.Image.Mean[0]++ },
		"std":           func(m *Manifest) { m.Image.Std[2]++ },
	} {
		m := newTiny().manifest
		change(&m)
		if m.Digest() == digest {
			t.Errorf("another %s has the same digest", name)
		}
	}
	m := newTiny().manifest
	m.Title, m.LogitScale, m.Figures = "another title", 99, json.RawMessage(`{"top1":1}`)
	m.Text.SHA256, m.Text.Tokenizer.Vocab.SHA256, m.Text.Tokenizer.Merges.SHA256 = "1", "2", "3"
	if m.Digest() != digest {
		t.Error("what changes no embedding changes the digest")
	}
}

// FuzzReadManifest: what is accepted names files of its own folder only, and is
// accepted again as it is written.
func FuzzReadManifest(f *testing.F) {
	f.Add(newTiny().folder(f)[ManifestFile].Data)
	f.Add([]byte(`{"format": 1, "name": "x", "dim": 2, "text": {"lookup": {}}, "prompts": ["{}"], "names": ["english"], "near": {"slope": 1}, "logit_scale": 1}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := ReadManifest(fstest.MapFS{ManifestFile: {Data: raw}})
		if err != nil {
			return
		}
		for _, file := range m.Files() {
			if strings.ContainsAny(file.File, "/") || file.File == ".." {
				t.Fatalf("file %q", file.File)
			}
		}
		again, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		back, err := ReadManifest(fstest.MapFS{ManifestFile: {Data: again}})
		if err != nil || back.Digest() != m.Digest() {
			t.Fatalf("%s\nis written as\n%s\nwhich gives %v", raw, again, err)
		}
	})
}
