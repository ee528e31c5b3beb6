package clip

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFindRuntime(t *testing.T) {
	root := t.TempDir()
	put := func(elem ...string) string {
		p := filepath.Join(append([]string{root}, elem...)...)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		return p
	}
	t.Run("nowhere", func(t *testing.T) {
		t.Chdir(root)
		_, err := FindRuntime("")
		if !errors.Is(err, ErrNoRuntime) || !strings.Contains(err.Error(), "make setup") {
			t.Errorf("error %v, want one that says what to do", err)
		}
	})
	library := put("build", "onnxruntime", libraryName())
	other := put("other", "copy.so")
	below := filepath.Join(root, "internal", "clip")
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, explicit, want string }{
		{"above the working directory", "", library},
		{"a file", other, other},
		{"its folder", filepath.Dir(library), library},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(below)
			if got, err := FindRuntime(c.explicit); got != c.want || err != nil {
				t.Errorf("%s, %v; want %s", got, err, c.want)
			}
		})
	}
	t.Run("explicit but absent", func(t *testing.T) {
		t.Chdir(below)
		if _, err := FindRuntime(filepath.Join(root, "absent")); !errors.Is(err, ErrNoRuntime) {
			t.Errorf("error %v, want ErrNoRuntime", err)
		}
	})
}
