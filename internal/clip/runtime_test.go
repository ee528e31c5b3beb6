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
	t.Chdir(root)
	for _, explicit := range []string{"", filepath.Join(root, "absent")} {
		_, err := FindRuntime(explicit)
		if !errors.Is(err, ErrNoRuntime) || !strings.Contains(err.Error(), "make setup") {
			t.Errorf("%q: error %v, want one that says what to do", explicit, err)
		}
	}
	want := filepath.Join(root, "build", "onnxruntime", libraryName())
	if err := os.MkdirAll(filepath.Dir(want), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(want, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := FindRuntime(""); got != want || err != nil {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}
