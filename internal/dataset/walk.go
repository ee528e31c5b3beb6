package dataset

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// visit is told the place of a photo below the root, with slashes, and how to
// read it, which works until it returns.
type visit func(name string, read func() ([]byte, error)) error

// walkPhotos visits the photos of a folder, in the order of their names, or of a
// .tar.gz, in the order in which they lie there. What is no photo by its name,
// and what is hidden, is passed over.
func walkPhotos(root string, each visit) error {
	info, err := os.Stat(root)
	if err != nil {
		return fmt.Errorf("photos: %w", err)
	}
	walk := walkArchive
	if info.IsDir() {
		walk = walkFolder
		if root, err = filepath.EvalSymlinks(root); err != nil { // WalkDir does not go into a link
			return fmt.Errorf("photos: %w", err)
		}
	}
	if err := walk(root, each); err != nil {
		return fmt.Errorf("photos: %s: %w", root, err)
	}
	return nil
}

func walkFolder(root string, each visit) error {
	return filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && p != root && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(root, p)
		if err != nil || d.IsDir() || !isPhoto(rel) {
			return err
		}
		return each(filepath.ToSlash(rel), func() ([]byte, error) { return os.ReadFile(p) })
	})
}

func walkArchive(file string, each visit) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("neither a folder nor a .tar.gz: %w", err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := path.Clean(h.Name)
		if h.Typeflag != tar.TypeReg || !isPhoto(name) {
			continue
		}
		if err := each(name, func() ([]byte, error) { return io.ReadAll(r) }); err != nil {
			return err
		}
	}
}

func isPhoto(name string) bool {
	if strings.HasPrefix(path.Base(filepath.ToSlash(name)), ".") {
		return false
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".jpg", ".jpeg", ".png", ".gif", ".webp":
		return true
	}
	return false
}
