package exchange

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, dir string, pairs ...string) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		path := filepath.Join(dir, pairs[i])
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(pairs[i+1]), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

func openedRoot(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func TestPhotoFolder(t *testing.T) {
	dir, secret := t.TempDir(), t.TempDir()
	write(t, secret, "x.jpg", "secret")
	write(t, dir, "b/2.jpg", "two", "a/deep/1.jpg", "one", ".git/x.jpg", "no", "a/.hidden.jpg", "no", "notes.md", "no")
	if err := os.Symlink(filepath.Join(secret, "x.jpg"), filepath.Join(dir, "b", "link.jpg")); err != nil {
		t.Fatal(err)
	}
	root := openedRoot(t, dir)
	set, source, err := OpenPhotoFolder(root)
	if err != nil || set.Rows() != 3 || set.Row(0).Label != "deep" || set.Row(1).Label != "b" || source.Name != filepath.Base(dir) || len(source.Digest) != 64 {
		t.Fatalf("%+v, %+v, %v", set, source, err)
	}
	if data, err := set.Photo(context.Background(), 1); string(data) != "two" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := set.Photo(context.Background(), 2); err == nil || !strings.Contains(set.Row(2).Problem.Message, "link") {
		t.Errorf("a link is followed: %v", err)
	}
	// The same files are the same import; another file makes it another.
	if _, again, _ := OpenPhotoFolder(root); again.Digest != source.Digest {
		t.Error("the same folder has another digest")
	}
	write(t, dir, "b/3.jpg", "three")
	if _, other, _ := OpenPhotoFolder(root); other.Digest == source.Digest {
		t.Error("another folder has the same digest")
	}
	if _, _, err := OpenPhotoFolder(openedRoot(t, t.TempDir())); err == nil {
		t.Error("an empty folder is taken")
	}
}

func TestTableOfPaths(t *testing.T) {
	dir, secret := t.TempDir(), t.TempDir()
	write(t, secret, "x.jpg", "secret")
	outside := filepath.Join(secret, "x.jpg")
	write(t, dir, "img/1.jpg", "one", "labels.csv", "path,label\nimg/1.jpg,a\n../x.jpg,a\n"+outside+",a\nhttps://example.org/2.jpg,b\nimg/out.jpg,a\n")
	if err := os.Symlink(outside, filepath.Join(dir, "img", "out.jpg")); err != nil {
		t.Fatal(err)
	}
	root := openedRoot(t, dir)
	set, source, err := OpenTable(root, "labels.csv", nil)
	if err != nil || set.Rows() != 5 || source.Kind != "csv" {
		t.Fatalf("%+v, %v", set, err)
	}
	for i, want := range []string{"", "outside of the table's folder", "outside of the table's folder", "only fetched with --fetch", ""} {
		if got := set.Row(i).Problem; (got == nil) != (want == "") || got != nil && !strings.Contains(got.Message, want) {
			t.Errorf("row %d: %q, want %q", i, got, want)
		}
	}
	if _, err := set.Photo(context.Background(), 4); err == nil {
		t.Error("a link out of the folder is followed")
	}
	fetched := ""
	set, _, err = OpenTable(root, "labels.csv", func(_ context.Context, url string) (io.ReadCloser, error) {
		fetched = url
		return io.NopCloser(strings.NewReader("two")), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if data, err := set.Photo(context.Background(), 3); string(data) != "two" || fetched != "https://example.org/2.jpg" || err != nil {
		t.Errorf("%q of %q, %v", data, fetched, err)
	}
}
