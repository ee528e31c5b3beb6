package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// written is a backup of files given by names and contents, in turn.
func written(t testing.TB, pairs ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, About{MadeBy: "test"})
	must(t, err)
	dir := t.TempDir()
	for i := 0; i < len(pairs); i += 2 {
		path := filepath.Join(dir, "f")
		must(t, os.WriteFile(path, []byte(pairs[i+1]), 0o600))
		f, err := os.Open(path)
		must(t, err)
		must(t, w.Add(context.Background(), pairs[i], f))
		must(t, f.Close())
	}
	must(t, w.Finish())
	if w.Files() != len(pairs)/2 {
		t.Errorf("%d files", w.Files())
	}
	return out.Bytes()
}

// extract opens a backup and extracts it to an empty folder.
func extract(t testing.TB, data []byte) (string, error) {
	t.Helper()
	a, err := Open(bytes.NewReader(data))
	if err != nil {
		return "", err
	}
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	return dir, a.Extract(context.Background(), root)
}

func TestThereAndBack(t *testing.T) {
	long := "photos/" + strings.Repeat("long", 60) + "/ü" // beyond ustar's 100 bytes
	data := written(t, "fieldmark.db", "the database", "photos/ab/x", "", long, strings.Repeat("p", 70_000))
	dir, err := extract(t, data)
	must(t, err)
	for name, want := range map[string]string{"fieldmark.db": "the database", "photos/ab/x": "", long: strings.Repeat("p", 70_000)} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("%v", entries) // what describes the backup is none of its files
	}
}

// tar and sha256sum, second readers, find the same.
func TestOthersReadIt(t *testing.T) {
	if _, err := exec.LookPath("sha256sum"); err != nil {
		t.Skip("there is no sha256sum here")
	}
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "b.tar"), written(t, "fieldmark.db", "the database", "photos/ab/x y", "1"), 0o600))
	cmd := exec.Command("sh", "-c", "tar xf b.tar && sha256sum -c SHA256SUMS")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil || strings.Count(string(out), ": OK") != 3 {
		t.Errorf("%s, %v", out, err)
	}
}

// No byte of an archive can change, and none be missing, without being noticed.
// (Those of tar's own padding are looked at by nobody.)
func TestDamage(t *testing.T) {
	data := written(t, "fieldmark.db", "the database", "photos/ab/x", "a photo")
	end := bytes.LastIndexByte(data, '\n') // of the list of digests; tar's padding follows
	for cut := 0; cut < end; cut += 37 {
		if _, err := extract(t, data[:cut]); !errors.Is(err, ErrNotBackup) {
			t.Errorf("cut at %d of %d: %v", cut, len(data), err)
		}
	}
	for _, text := range []string{"the database", "a photo", "fieldmark.db", "photos/ab/x"} {
		at := bytes.Index(data, []byte(text))
		broken := bytes.Clone(data)
		broken[at] ^= 1
		if _, err := extract(t, broken); err == nil {
			t.Errorf("another %q is taken", text)
		}
	}
}

// archiveOf is a tar archive as it is told to be.
func archiveOf(t testing.TB, headers ...*tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	about := `{"fieldmark_backup": 1}`
	for _, h := range append([]*tar.Header{{Name: aboutFile, Size: int64(len(about)), Typeflag: tar.TypeReg, Mode: 0o600}}, headers...) {
		must(t, w.WriteHeader(h))
		if h.Name == aboutFile {
			_, err := io.WriteString(w, about)
			must(t, err)
		}
	}
	must(t, w.Close())
	return b.Bytes()
}

func TestArchivesThatLie(t *testing.T) {
	sums := &tar.Header{Name: sumsFile, Typeflag: tar.TypeReg}
	for name, data := range map[string][]byte{
		"up":         archiveOf(t, &tar.Header{Name: "../x", Typeflag: tar.TypeReg}, sums),
		"absolute":   archiveOf(t, &tar.Header{Name: "/x", Typeflag: tar.TypeReg}, sums),
		"unclean":    archiveOf(t, &tar.Header{Name: "a/../x", Typeflag: tar.TypeReg}, sums),
		"link":       archiveOf(t, &tar.Header{Name: "x", Linkname: "/etc", Typeflag: tar.TypeSymlink}, sums),
		"hard link":  archiveOf(t, &tar.Header{Name: "x", Linkname: "/etc/passwd", Typeflag: tar.TypeLink}, sums),
		"device":     archiveOf(t, &tar.Header{Name: "x", Typeflag: tar.TypeChar}, sums),
		"unlisted":   archiveOf(t, &tar.Header{Name: "x", Typeflag: tar.TypeReg}, sums),
		"no end":     archiveOf(t),
		"afterwards": archiveOf(t, sums, &tar.Header{Name: "x", Typeflag: tar.TypeReg}),
		"no tar":     []byte("just some words"),
		"nothing":    nil,
	} {
		if _, err := extract(t, data); !errors.Is(err, ErrNotBackup) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzArchive(f *testing.F) {
	f.Add(written(f, "fieldmark.db", "the database"))
	f.Add(archiveOf(f, &tar.Header{Name: sumsFile, Typeflag: tar.TypeReg}))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := Open(bytes.NewReader(data))
		if err != nil {
			return
		}
		err = a.Each(context.Background(), func(name string, size, _ int64, r io.Reader) error {
			if n, err := io.Copy(io.Discard, r); err == nil && n != size {
				t.Errorf("%q: %d bytes of %d", name, n, size)
			}
			if !filepath.IsLocal(name) {
				t.Errorf("%q leads out", name)
			}
			return nil
		})
		_ = err // whatever it is: the reader must not fall over
	})
}
