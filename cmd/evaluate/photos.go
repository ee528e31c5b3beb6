package main

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
	"slices"
	"strings"
)

// photoFile is a photo as it lies in a folder or a pack.
type photoFile struct {
	class string // "SET/CLASS", or "CLASS" in a folder of classes
	name  string
	data  []byte
}

// readPhotos reads the photos of the classes that want asks for, from a folder
// or a .tar.gz, ordered by class and name.
func readPhotos(source string, want func(class string) bool) ([]photoFile, error) {
	info, err := os.Stat(source)
	if err != nil {
		return nil, fmt.Errorf("photos: %w", err)
	}
	read := readPack
	if info.IsDir() {
		read = readFolder
	}
	files, err := read(source, want)
	if err != nil {
		return nil, fmt.Errorf("photos: %s: %w", source, err)
	}
	slices.SortFunc(files, func(a, b photoFile) int {
		return strings.Compare(a.class+"\x00"+a.name, b.class+"\x00"+b.name)
	})
	return files, nil
}

func readFolder(dir string, want func(string) bool) ([]photoFile, error) {
	var files []photoFile
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		class, ok := classOf(filepath.ToSlash(rel))
		if !ok || !want(class) {
			return nil
		}
		data, err := os.ReadFile(p)
		files = append(files, photoFile{class, d.Name(), data})
		return err
	})
	return files, err
}

func readPack(file string, want func(string) bool) ([]photoFile, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("neither a folder nor a .tar.gz: %w", err)
	}
	var files []photoFile
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		class, ok := classOf(path.Clean(h.Name))
		if !ok || h.Typeflag != tar.TypeReg || !want(class) {
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		files = append(files, photoFile{class, path.Base(h.Name), data})
	}
}

// classOf returns the folders above a photo, at most the two nearest.
func classOf(name string) (string, bool) {
	switch strings.ToLower(path.Ext(name)) {
	case ".jpg", ".jpeg", ".png", ".gif", ".webp":
	default:
		return "", false
	}
	parts := strings.Split(path.Dir(name), "/")
	if len(parts) > 2 {
		parts = parts[len(parts)-2:]
	}
	class := strings.Join(parts, "/")
	return class, class != "."
}
