package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fieldmark/internal/exchange"
)

// webapp runs webapp and returns its exit status and what it wrote.
func webapp(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(context.Background(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// wants runs webapp, which must end with that status and say all of words.
func wants(t *testing.T, code int, words []string, args ...string) {
	t.Helper()
	got, out, errs := webapp(t, args...)
	if got != code {
		t.Fatalf("%q: status %d, want %d\n%s%s", args, got, code, out, errs)
	}
	for _, w := range words {
		if !strings.Contains(out+errs, w) {
			t.Errorf("%q: %q is not in\n%s%s", args, w, out, errs)
		}
	}
}

// npzFile writes embeddings of the built-in encoder, one for each label.
func npzFile(t *testing.T, dir, encoder string, labels ...string) string {
	t.Helper()
	const dim = 512
	rng := rand.New(rand.NewPCG(8, 9))
	var file bytes.Buffer
	must(t, exchange.WriteNPZ(&file, exchange.Exemplars{Dim: dim, Encoder: encoder, Labels: labels,
		Taxa: make([]int64, len(labels)), Observations: make([]int64, len(labels)),
		Vectors: func(visit func([]float32) error) error {
			for range labels {
				v := make([]float32, dim)
				for d := range v {
					v[d] = float32(rng.NormFloat64())
				}
				if err := visit(v); err != nil {
					return err
				}
			}
			return nil
		}}))
	path := filepath.Join(dir, "lessons.npz")
	must(t, os.WriteFile(path, file.Bytes(), 0o600))
	return path
}

func TestImportCommand(t *testing.T) {
	dir := t.TempDir()
	a, b, out := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "out.npz")
	file := npzFile(t, dir, "", "Luna Moth", "Velvet Moss", "luna moth", "Velvet Moss")
	wants(t, 1, []string{"does not say which encoder"}, "import", "--data", a, file)
	wants(t, 1, []string{"4 rows of 2 taxa; new here, to become taxa of this Fieldmark: 1 name", "new: Velvet Moss", "give --yes"}, "import", file, "--data", a, "--encoder", "current")
	wants(t, 0, []string{"import 1: 4 exemplars taught, 0 known", "4 of 4 rows"}, "import", file, "--data", a, "--encoder", "current", "--yes")
	wants(t, 1, []string{"was imported on", "Withdraw that import"}, "import", file, "--data", a, "--encoder", "current", "--yes")

	wants(t, 0, nil, "export", "--data", a, "--format", "npz", "--out", out)
	wants(t, 0, []string{"4 exemplars taught"}, "import", out, "--data", b, "--yes") // it says which encoder made it
	wants(t, 0, []string{"0 exemplars taught, 4 known"}, "import", out, "--data", a, "--yes")
	wants(t, 0, []string{"lessons.npz", "out.npz", "complete"}, "import", "--list", "--data", a)
	wants(t, 0, []string{"import 1 is withdrawn"}, "import", "--withdraw", "1", "--data", a)
	wants(t, 1, []string{"withdrawn already"}, "import", "--withdraw", "1", "--data", a)
	wants(t, 1, []string{"no import with the id 77"}, "import", "--withdraw", "77", "--data", a)
	wants(t, 0, []string{"withdrawn"}, "import", "--list", "--data", a)
	wants(t, 0, []string{"4 exemplars taught"}, "import", file, "--data", a, "--encoder", "current", "--yes")

	lock, err := lockData(b)
	must(t, err)
	wants(t, 1, []string{"serves", "/api/v1/import"}, "import", file, "--data", b, "--encoder", "current", "--yes")
	must(t, lock.Close())
}

func TestImportCommandRefuses(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	other := npzFile(t, dir, "sha256:other", "Luna Moth")
	words := filepath.Join(dir, "words.npz")
	must(t, os.WriteFile(words, []byte("just some words"), 0o600))
	wants(t, 1, []string{"another encoder"}, "import", other, "--data", data, "--yes")
	wants(t, 1, []string{"no kind of file that can be imported"}, "import", words, "--data", data, "--yes")
	bad := npzFile(t, t.TempDir(), "", "Luna Moth", "12345", "")
	wants(t, 1, []string{"lessons.npz: row 1: its label cannot be a name", "row 2", "2 rows of this file"}, "import", bad, "--data", data, "--encoder", "current", "--yes")
	wants(t, 2, []string{`there is only "current"`}, "import", bad, "--data", data, "--encoder", "any")
	wants(t, 2, []string{"name one file"}, "import", "--data", data)
	wants(t, 2, []string{"name one file"}, "import", bad, "--list", "--data", data)
	wants(t, 1, []string{"no Fieldmark data"}, "import", "--list", "--data", filepath.Join(dir, "mistyped"))
	wants(t, 1, []string{"no Fieldmark data"}, "import", "--withdraw", "1", "--data", filepath.Join(dir, "mistyped"))
	wants(t, 0, []string{"ID"}, "import", "--list", "--data", data)
	if code, out, _ := webapp(t, "import", "--list", "--data", data); code != 0 || strings.Count(out, "\n") != 1 {
		t.Errorf("imports are left of what was refused:\n%s", out)
	}
}
