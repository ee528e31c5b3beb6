package models

import (
	"io/fs"
	"testing"

	"fieldmark/internal/clip"
)

// The repository must stay quick to clone: all that is under models/ together
// may have 24 MB, of which the encoder is nearly everything.
const mostBytes = 24_000_000

// TestBuiltinIsWhole: every file that the manifest names is built in, with its
// size and digest. Opening the encoder checks that; so this needs ONNX Runtime.
func TestBuiltinIsWhole(t *testing.T) {
	if _, err := clip.FindRuntime(""); err != nil {
		t.Fatal(err)
	}
	e, err := clip.Open(Builtin(), clip.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	rows, err := e.EmbedNames(t.Context(), [][]string{{"Turdus migratorius", "American Robin"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows[0]) != e.Manifest().Dim {
		t.Errorf("a name has %d numbers, want %d", len(rows[0]), e.Manifest().Dim)
	}
	if len(e.Seen()) == 0 {
		t.Error("the encoder does not say which names it has learned to see")
	}
}

func TestBuiltinIsSmall(t *testing.T) {
	var total int64
	err := fs.WalkDir(Builtin(), ".", func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if total < 1_000_000 || total > mostBytes {
		t.Errorf("the encoder has %d bytes, want at most %d", total, mostBytes)
	}
}
