package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// exported puts the built-in encoder into a folder as transformers exports one.
func exported(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	home := filepath.Join("..", "..", "models", builtin)
	must(t, os.MkdirAll(filepath.Join(dir, "onnx"), 0o755))
	for from, to := range map[string]string{"visual.onnx": "onnx/vision_model.onnx", "text.onnx": "onnx/text_model.onnx",
		"vocab.json": "vocab.json", "merges.txt": "merges.txt"} {
		data, err := os.ReadFile(filepath.Join(home, from))
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(to)), data, 0o644))
	}
	return dir
}

// An encoder is added with its folder first and flags after it, is listed and
// answers by its name; a second of that name, and the built-in's, are refused.
func TestModelsAddAndList(t *testing.T) {
	data, dir := t.TempDir(), exported(t, "My CLIP (v1)")
	status, out, errs := webapp(t, "models", "add", dir, "--data", data)
	if status != 1 || out != "" {
		t.Fatalf("without what is missing: %d, %s", status, out)
	}
	for _, flag := range []string{"--resize crop", "--interpolation bicubic", "--mean", "--std", "--logit-scale"} {
		if !strings.Contains(errs, flag) {
			t.Errorf("it does not ask for %s: %s", flag, errs)
		}
	}
	said := []string{"--data", data, "--resize", "crop", "--interpolation", "bicubic", "--mean", "0.5,0.5,0.5", "--std", "0.5,0.5,0.5", "--logit-scale", "28.01"}
	status, out, errs = webapp(t, append([]string{"models", "add", dir, "--license", "Apache-2.0"}, said...)...)
	if status != 0 || !strings.Contains(out, "added My-CLIP-v1: 512 numbers") || !strings.Contains(out, "webapp models use My-CLIP-v1") {
		t.Fatalf("%d, %s, %s", status, out, errs)
	}
	if status, _, errs = webapp(t, append([]string{"models", "add", dir}, said...)...); status != 1 || !strings.Contains(errs, "--name") {
		t.Errorf("a second time: %d, %s", status, errs)
	}
	if status, _, errs = webapp(t, append([]string{"models", "add", dir, "--name", builtin}, said...)...); status != 1 || !strings.Contains(errs, "built-in") {
		t.Errorf("as the built-in one: %d, %s", status, errs)
	}
	_, out, _ = webapp(t, "models", "list", "--data", data)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[1], builtin) || !strings.HasSuffix(lines[1], "yes") ||
		!strings.HasPrefix(lines[2], "My-CLIP-v1") || !strings.Contains(lines[2], "Apache-2.0") || !strings.HasSuffix(lines[2], "no") {
		t.Errorf("listed:\n%s", out)
	}
	_, home, _ := webapp(t, "embed", "--data", data, "--text", "Luna Moth")
	status, added, errs := webapp(t, "embed", "--data", data, "--model", "My-CLIP-v1", "--text", "Luna Moth")
	if status != 0 || added != home || home == "" {
		t.Errorf("the same encoder under another name answers otherwise: %s", errs)
	}
}

// An encoder with a table of names answers with what the table names; another
// taxon is no candidate until it is taught, and its name is refused.
func TestModelsAddATableOfNames(t *testing.T) {
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "photos-only")
	must(t, os.MkdirAll(dir, 0o755))
	tower, err := os.ReadFile(filepath.Join("..", "..", "models", builtin, "visual.onnx"))
	must(t, err)
	_, vectors, errs := webapp(t, "embed", "--text", "--format", "npy", "Actias luna", "American Robin")
	if vectors == "" {
		t.Fatal(errs)
	}
	must(t, os.WriteFile(filepath.Join(dir, "image.onnx"), tower, 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "names.tsv"), []byte("actias luna\namerican robin\tturdus of the north\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "vectors.npy"), []byte(vectors), 0o644))
	status, out, errs := webapp(t, "models", "add", dir, "--data", data, "--size", "160", "--resize", "crop", "--interpolation", "bicubic",
		"--mean", "0.5,0.5,0.5", "--std", "0.5,0.5,0.5", "--logit-scale", "28.01")
	if status != 0 || !strings.Contains(out, "names: 2 of them") {
		t.Fatalf("%d, %s, %s", status, out, errs)
	}
	e, err := openEncoder(Config{Data: data, Model: "photos-only", Threads: 1})
	must(t, err)
	must(t, e.Close())
	if seen := e.Info().Seen; len(seen) != 2 || !seen["Actias luna"] || !seen["Turdus migratorius"] {
		t.Errorf("it sees %v", seen)
	}
	if status, _, errs := webapp(t, "embed", "--data", data, "--model", "photos-only", "--text", "Blue Tit"); status != 1 || !strings.Contains(errs, "table of names") {
		t.Errorf("an unknown name: %d, %s", status, errs)
	}
}

func TestModelsCommandLine(t *testing.T) {
	empty := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"models"}, "list"},
		{[]string{"models", "burn"}, `"burn"`},
		{[]string{"models", "add"}, "name one folder"},
		{[]string{"models", "add", empty, empty}, "name one folder"},
		{[]string{"models", "add", empty, "--mean", "1,2"}, "three numbers"},
		{[]string{"models", "add", empty, "--names", "latin"}, "english or scientific"},
		{[]string{"models", "add", empty, "--near-slope", "3"}, "give both"},
		{[]string{"models", "add", empty, "--weights"}, "weights"},
	} {
		if status, _, errs := webapp(t, c.args...); status != 2 || !strings.Contains(errs, c.want) {
			t.Errorf("%v: %d, %s", c.args, status, errs)
		}
	}
	if status, _, errs := webapp(t, "models", "add", filepath.Join(empty, "nothing")); status != 1 || !strings.Contains(errs, "there is no folder") {
		t.Errorf("a folder that is not there: %d, %s", status, errs)
	}
}
