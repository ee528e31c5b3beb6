package procfs

import (
	"os"
	"path/filepath"
	"testing"
)

func TestField(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cpuinfo")
	if err := os.WriteFile(file, []byte("processor\t: 0\nmodel name\t: A 2: fast\n\nprocessor\t: 1\nflags\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"processor": "0", "model name": "A 2: fast", "model": "", "flags": ""} {
		if got := Field(file, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := Field(file+".none", "processor"); got != "" {
		t.Errorf("of no file: %q", got)
	}
}
