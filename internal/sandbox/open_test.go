package sandbox

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestFilesThatAreNoModules: what is found and cannot be loaded is told from what is not
// there, and from a file that a module cannot decode.
func TestFilesThatAreNoModules(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "build", "wasm")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(filepath.Dir(folder)))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte("no module")); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"text": []byte("no archive"), "packed text": packed.Bytes(), "nothing": nil} {
		if err := os.WriteFile(filepath.Join(folder, "odd.wasm.gz"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := Open("odd.wasm.gz")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for range 2 {
			if err := m.Run(0, func(Instance) error { return nil }); !errors.Is(err, ErrUnusable) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if _, err := Open("none.wasm.gz"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}
