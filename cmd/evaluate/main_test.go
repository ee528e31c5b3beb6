package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shared is the folder beside the repository that tests may read.
func shared(parts ...string) string {
	return filepath.Join(append([]string{"..", "..", "..", "shared", "data"}, parts...)...)
}

func run(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	p := program{stdout: &out, stderr: &errs, workers: 1}
	status = p.Run(t.Context(), args)
	return status, out.String(), errs.String()
}

func TestCommandLines(t *testing.T) {
	tests := []struct {
		args   string
		status int
		says   string // on standard error
	}{
		{"", 2, "Usage: evaluate command"},
		{"-help", 0, "Usage: evaluate command"},
		{"fly", 2, `there is no command "fly"`},
		{"parity", 2, "one folder"},
		{"parity -help", 0, "DIR holds reference.json"},
		{"parity nowhere", 1, "reference.json"},
		{"teach", 2, "--photos is missing"},
		{"teach -help", 0, "per-class"},
		{"teach --wings", 2, "wings"},
		{"teach --photos x --fusion best", 2, "choose one of zero-shot"},
		{"teach --photos x --taught 3 --per-class 3", 2, "--per-class above it"},
		{"teach --photos nowhere", 1, "nowhere"},
		{"near", 2, "either --photos or --pack"},
		{"near --pack nowhere", 1, "reference.json"},
	}
	for _, tt := range tests {
		status, _, stderr := run(t, strings.Fields(tt.args)...)
		if status != tt.status || !strings.Contains(stderr, tt.says) {
			t.Errorf("evaluate %s: status %d, want %d; stderr %q does not say %q", tt.args, status, tt.status, stderr, tt.says)
		}
	}
}

func TestParityFindsWhatIsOff(t *testing.T) {
	if _, err := os.Stat(shared("reference")); err != nil {
		t.Skipf("no reference pack beside the repository: %v", err)
	}
	dir := t.TempDir()
	expected := firstStage(t, dir)
	status, stdout, stderr := run(t, "parity", dir)
	if status != 0 || !strings.Contains(stdout, "66 methods") || !strings.Contains(stdout, " 0 out of bounds") {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}

	copy(expected, []byte{0, 0, 0, 0x3f}) // the first probability becomes ½
	if err := os.WriteFile(filepath.Join(dir, "expected.f32"), expected, 0o600); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr = run(t, "parity", dir)
	if status != 1 || !strings.Contains(stdout, "NO: class_inc 0 union zero_shot, query") || !strings.Contains(stderr, "1 of 66 methods: out of bounds") {
		t.Errorf("a spoilt expectation passes: status %d\n%s%s", status, stdout, stderr)
	}
}

// firstStage writes the reference pack's first stage alone into dir and returns
// the expected probabilities. The whole pack is TestReferencePack's.
func firstStage(t *testing.T, dir string) (expected []byte) {
	t.Helper()
	for _, name := range []string{"vectors.f32", "expected.f32", "reference.json"} {
		data, err := os.ReadFile(shared("reference", name))
		if err != nil {
			t.Fatal(err)
		}
		switch name {
		case "expected.f32":
			expected = data
		case "reference.json":
			data = cut(t, data)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return expected
}

// cut leaves the first stage of class_inc in reference.json.
func cut(t *testing.T, data []byte) []byte {
	t.Helper()
	var whole map[string]json.RawMessage
	var runs map[string][]json.RawMessage
	var expected struct {
		File   string              `json:"file"`
		Blocks [][]json.RawMessage `json:"blocks"`
	}
	for _, err := range []error{json.Unmarshal(data, &whole), json.Unmarshal(whole["runs"], &runs), json.Unmarshal(whole["expected"], &expected)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	expected.Blocks = slices.DeleteFunc(expected.Blocks, func(b []json.RawMessage) bool {
		return string(b[0]) != `"class_inc"` || string(b[1]) != "0"
	})
	var accuracy [][]json.RawMessage
	if err := json.Unmarshal(whole["accuracy"], &accuracy); err != nil {
		t.Fatal(err)
	}
	accuracy = slices.DeleteFunc(accuracy, func(a []json.RawMessage) bool {
		return string(a[0]) != `"class_inc"` || string(a[1]) != "0"
	})
	for key, v := range map[string]any{"accuracy": accuracy, "runs": map[string]any{"class_inc": runs["class_inc"][:1]}, "expected": expected} {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		whole[key] = raw
	}
	out, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestClassOf(t *testing.T) {
	for name, want := range map[string]string{
		"butterflies/peacock/001.jpg":     "butterflies/peacock",
		"a/b/butterflies/peacock/001.JPG": "butterflies/peacock",
		"peacock/001.png":                 "peacock",
		"001.jpg":                         "",
		"butterflies/peacock/notes.txt":   "",
	} {
		got, ok := classOf(name)
		if ok != (want != "") || ok && got != want {
			t.Errorf("classOf(%q) = %q, %v; want %q", name, got, ok, want)
		}
	}
}

// A folder and a pack of it hold the same photos.
func TestReadPhotos(t *testing.T) {
	dir := t.TempDir()
	pack := filepath.Join(dir, "pack.tar.gz")
	f, err := os.Create(pack)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	for _, name := range []string{"set/moth/2.jpg", "set/moth/1.jpg", "set/bee/1.jpg", "set/moth/readme.txt"} {
		file := filepath.Join(dir, "photos", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := w.WriteHeader(&tar.Header{Name: "./" + name, Typeflag: tar.TypeReg, Mode: 0o600, Size: int64(len(name))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []interface{ Close() error }{w, z, f} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, source := range []string{filepath.Join(dir, "photos"), pack} {
		files, err := readPhotos(source, func(class string) bool { return class == "set/moth" })
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range files {
			got = append(got, f.class+"/"+f.name+"="+string(f.data))
		}
		if want := []string{"set/moth/1.jpg=set/moth/1.jpg", "set/moth/2.jpg=set/moth/2.jpg"}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", filepath.Base(source), got, want)
		}
	}
	if _, err := readPhotos(filepath.Join(dir, "photos", "set", "moth", "1.jpg"), func(string) bool { return true }); err == nil {
		t.Error("a JPEG passed for a pack")
	}
}
