package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The files are the owner's alone whatever the umask of who starts Fieldmark.
func TestFilesAreTheOwnersAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	path := filepath.Join(dir, "fieldmark.db")
	user(t, open(t, path), "ann") // so that there is a -wal
	for _, file := range []string{dir, path, path + "-wal", path + "-shm"} {
		wantPrivate(t, file)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".writable-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func wantPrivate(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Error(err)
		return
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		t.Errorf("%s has the mode %o", filepath.Base(path), mode)
	}
}

func TestOpenWhereNothingCanBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wantUnwritable(t, file, "not a directory")
	t.Run("read-only folder", func(t *testing.T) {
		if os.Geteuid() == 0 {
			t.Skip("root may write everywhere")
		}
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		wantUnwritable(t, dir, "permission denied")
	})
}

func wantUnwritable(t *testing.T, dir, cause string) {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(dir, "fieldmark.db"))
	if err == nil {
		t.Errorf("opened in %s; closing: %v", dir, s.Close())
		return
	}
	if want := "cannot write in " + dir + " (" + cause + ")"; !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "--data") {
		t.Errorf("%q, want %q and what to do", err, want)
	}
}
