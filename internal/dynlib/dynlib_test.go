package dynlib

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestFind(t *testing.T) {
	const name = "libnothing.so.1"
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
	below := filepath.Join(root, "internal", "deep")
	if err := os.MkdirAll(below, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(below)
	if got, err := Find("", name, "nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nowhere: %q, %v", got, err)
	}
	built := put("build", "nothing", name)
	// What anybody may have put there is not run.
	if err := os.Chmod(root, 0o777); err != nil {
		t.Fatal(err)
	}
	if got, err := Find("", name, "nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a folder that is everybody's: %q, %v", got, err)
	}
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	other, named := put("other", "copy.so"), put("folder", name)
	for _, c := range []struct{ name, explicit, want string }{
		{"above the working directory", "", built},
		{"a file", other, other},
		{"its folder", filepath.Dir(named), named},
		{"a relative path", filepath.Join("..", "..", "other", "copy.so"), other},
	} {
		if got, err := Find(c.explicit, name, "nothing"); got != c.want || err != nil {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
	// A name that was given and is wrong must not lead to another library.
	for _, explicit := range []string{filepath.Join(root, "absent"), filepath.Dir(other)} {
		if got, err := Find(explicit, name, "nothing"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %q, %v", explicit, got, err)
		}
	}
}

// make build leaves bin/webapp and bin/lib; a release archive has bin/webapp and lib.
func TestBeside(t *testing.T) {
	root := t.TempDir()
	exe := filepath.Join(root, "bin", "webapp")
	put := func(folder string) string {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		p := filepath.Join(folder, "libnothing.so.1")
		if err := os.WriteFile(p, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		return p
	}
	if got := beside(exe, "libnothing.so.1"); got != "" {
		t.Errorf("nowhere: %s", got)
	}
	released := put(filepath.Join(root, "lib"))
	if got := beside(exe, "libnothing.so.1"); got != released {
		t.Errorf("in a release archive: %q", got)
	}
	// What anybody may have put there is not run.
	if err := os.Chmod(root, 0o777); err != nil {
		t.Fatal(err)
	}
	if got := beside(exe, "libnothing.so.1"); got != "" {
		t.Errorf("beside a folder that is in everybody's: %s", got)
	}
	built := put(filepath.Join(root, "bin", "lib"))
	if got := beside(exe, "libnothing.so.1"); got != built {
		t.Errorf("where make build puts it: %q", got)
	}
}
