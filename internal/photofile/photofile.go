// Package photofile keeps photos and their thumbnails as files, found by the
// SHA-256 of the photo's bytes: photos/ab/abcd… and thumbnails/ab/abcd….jpg; and
// what is made of them in other sizes, renditions/1280/ab/abcd….jpg.
package photofile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"

	"fieldmark/internal/durable"
	"fieldmark/internal/identify"
)

var wellFormed = regexp.MustCompile(`^[0-9a-f]{64}$`)

// temporary is the pattern of the names of files that are being written.
const temporary = ".new-*"

// Dir is a folder of photos. It implements identify.PhotoFiles.
type Dir struct{ root string }

// Open returns the folder at root, which is made if it is not there.
// Unfinished files of a process that was killed are removed: nothing refers to
// them.
func Open(root string) (*Dir, error) {
	for _, depth := range []string{"*/*", renditions + "/*/*"} {
		left, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(depth), temporary))
		if err != nil {
			return nil, fmt.Errorf("photo folder: %w", err)
		}
		for _, path := range left {
			if err := os.Remove(path); err != nil {
				return nil, fmt.Errorf("photo folder: %w", err)
			}
		}
	}
	for _, sub := range []string{"photos", "thumbnails", glimpses} {
		if err := os.MkdirAll(filepath.Join(root, sub), 0o700); err != nil {
			return nil, fmt.Errorf("photo folder: %w", err)
		}
	}
	return &Dir{root: root}, nil
}

// Put stores a photo and its thumbnail; both are on disk when it returns. What
// is there already is left alone: the same hash is the same bytes.
func (d *Dir) Put(ctx context.Context, hash identify.PhotoHash, original, thumbnail []byte) error {
	if err := d.keep(ctx, "photos", hash, "", original); err != nil {
		return err
	}
	return d.keep(ctx, "thumbnails", hash, ".jpg", thumbnail)
}

func (d *Dir) keep(ctx context.Context, kind string, hash identify.PhotoHash, suffix string, data []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path, err := d.path(kind, hash, suffix)
	if err != nil {
		return err
	}
	if err := writeOnce(path, data); err != nil {
		return unwritten(fmt.Errorf("keeping the photo: %w", err))
	}
	return nil
}

// Original returns a photo's bytes as they were uploaded.
func (d *Dir) Original(_ context.Context, hash identify.PhotoHash) ([]byte, error) {
	return d.read("photos", hash, "")
}

// Thumbnail returns a photo's thumbnail, a JPEG.
func (d *Dir) Thumbnail(_ context.Context, hash identify.PhotoHash) ([]byte, error) {
	return d.read("thumbnails", hash, ".jpg")
}

func (d *Dir) read(kind string, hash identify.PhotoHash, suffix string) ([]byte, error) {
	path, err := d.path(kind, hash, suffix)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, identify.Errorf(identify.NotFound, "", "The file of this photo is missing from the data folder.").Because(err)
	}
	return data, err
}

func (d *Dir) path(kind string, hash identify.PhotoHash, suffix string) (string, error) {
	if !wellFormed.MatchString(string(hash)) {
		return "", fmt.Errorf("%q is not a photo's SHA-256", hash)
	}
	return filepath.Join(d.root, kind, string(hash[:2]), string(hash)+suffix), nil
}

// writeOnce writes to a temporary file, syncs it and renames it into place, so
// that a file that is there is whole whenever the machine stops.
func writeOnce(path string, data []byte) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, temporary)
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails once renamed, which is the point
	if _, err := tmp.Write(data); err != nil {
		return errors.Join(err, tmp.Close())
	}
	if err := errors.Join(tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	return durable.SyncDir(dir)
}

// unwritten words the error of a disk that takes nothing; others stay as they are.
func unwritten(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG):
		return identify.DiskFull(err)
	case errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission):
		return identify.DiskReadOnly(err)
	}
	return err
}
