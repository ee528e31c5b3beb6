package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// pack writes a folder as tar.gz: its files by name, of no owner and no time, so
// that the same files give the same bytes.
func pack(w io.Writer, folder string) (err error) {
	zip := gzip.NewWriter(w)
	out := tar.NewWriter(zip)
	defer func() { err = errors.Join(err, out.Close(), zip.Close()) }()
	parent := filepath.Dir(folder)
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(parent, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		h := &tar.Header{Name: filepath.ToSlash(name), Mode: 0o644, ModTime: time.Unix(0, 0), Format: tar.FormatPAX}
		switch {
		case d.IsDir():
			h.Name, h.Typeflag, h.Mode = h.Name+"/", tar.TypeDir, 0o755
			return out.WriteHeader(h)
		case !info.Mode().IsRegular():
			return &fs.PathError{Op: "pack", Path: path, Err: errors.New("not a plain file")}
		}
		if info.Mode()&0o111 != 0 {
			h.Mode = 0o755
		}
		h.Typeflag, h.Size = tar.TypeReg, info.Size()
		if err := out.WriteHeader(h); err != nil {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(out, f)
		return err
	})
}
