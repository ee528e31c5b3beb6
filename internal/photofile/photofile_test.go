package photofile

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fieldmark/internal/identify"
)

const hash = identify.PhotoHash("2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")

func TestPutThenGet(t *testing.T) {
	root, ctx := t.TempDir(), context.Background()
	d, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time changes nothing
		if err := d.Put(ctx, hash, []byte("hello"), []byte("small")); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := d.Original(ctx, hash); err != nil || string(got) != "hello" {
		t.Errorf("Original = %q, %v", got, err)
	}
	if got, err := d.Thumbnail(ctx, hash); err != nil || string(got) != "small" {
		t.Errorf("Thumbnail = %q, %v", got, err)
	}
	left, err := filepath.Glob(filepath.Join(root, "*", "*", ".new-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files left behind: %v, %v", left, err)
	}
}

// A glimpse is kept apart from the thumbnail of the same photo, and the first one stays.
func TestGlimpses(t *testing.T) {
	d, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if _, err := d.Glimpse(ctx, hash); identify.KindOf(err) != identify.NotFound {
		t.Errorf("before it is there: %v", err)
	}
	for _, data := range []string{"glimpse", "another"} {
		if err := d.PutGlimpse(ctx, hash, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := d.Glimpse(ctx, hash); err != nil || string(got) != "glimpse" {
		t.Errorf("Glimpse = %q, %v", got, err)
	}
	if _, err := d.Thumbnail(ctx, hash); identify.KindOf(err) != identify.NotFound {
		t.Errorf("Thumbnail: %v", err)
	}
	if err := d.PutGlimpse(ctx, "../"+hash, []byte("x")); err == nil {
		t.Error("it leaves the folder")
	}
}

func TestWhatAKilledProcessLeftIsRemoved(t *testing.T) {
	root := t.TempDir()
	for _, folder := range []string{"photos", "renditions/1280"} {
		left := filepath.Join(root, folder, "ab", ".new-123")
		if err := os.MkdirAll(filepath.Dir(left), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(left, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(root); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(left); !os.IsNotExist(err) {
			t.Errorf("in %s it is still there: %v", folder, err)
		}
	}
}

func TestAHashCannotLeaveTheFolder(t *testing.T) {
	root, ctx := t.TempDir(), context.Background()
	d, err := Open(filepath.Join(root, "data"))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []identify.PhotoHash{"", "../../x", identify.PhotoHash(strings.Repeat("G", 64)), hash + "/"} {
		if err := d.Put(ctx, h, []byte("x"), []byte("x")); err == nil {
			t.Errorf("Put(%q) was taken", h)
		}
		if err := OpenRenditions(filepath.Join(root, "data"), 1000).KeepRendition(ctx, h, 1280, []byte("x")); err == nil {
			t.Errorf("KeepRendition(%q) was taken", h)
		}
		if _, err := d.Original(ctx, h); err == nil {
			t.Errorf("Original(%q) was answered", h)
		}
	}
	if entries, _ := os.ReadDir(root); len(entries) != 1 {
		t.Errorf("files outside the folder: %v", entries)
	}
}

func TestAMissingFileIsNotFound(t *testing.T) {
	d, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Original(context.Background(), hash); identify.KindOf(err) != identify.NotFound {
		t.Errorf("err = %v", err)
	}
}
