package exchange

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"fieldmark/internal/identify"
)

// FetchPhoto gets a photo by its web address.
type FetchPhoto func(ctx context.Context, url string) (io.ReadCloser, error)

// OpenPhotoFolder opens a folder of photos by class. What an import of it is made
// of is known by the names, sizes and times of its files, so that a large folder
// need not be read to be known again.
func OpenPhotoFolder(root *os.Root) (*PhotoSet, identify.ImportSource, error) {
	source := identify.ImportSource{Kind: "photos", Name: folderName(root.Name())}
	set, sum := &PhotoSet{}, sha256.New()
	err := fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && name == "." {
			return err
		}
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") || strings.EqualFold(d.Name(), "__MACOSX") {
				set.leftOut.hidden++
				return fs.SkipDir
			}
			return nil
		}
		if set.leftOut.skips(name) {
			return nil
		}
		noteFile(sum, root, name)
		if !d.Type().IsRegular() {
			return set.add(identify.PhotoRow{Name: identify.PlainNotice(name), Problem: badRow("it is a link or no regular file")}, nil)
		}
		return set.byClass(name, inRoot(root, name))
	})
	if err == nil && len(set.rows) == 0 {
		err = errNoPhotos
	}
	source.Digest = hex.EncodeToString(sum.Sum(nil))
	return set, source, err
}

// OpenTable opens a table of labels, the file named name in root, whose photos lie
// in or below root, or on the web. Without fetch those are not gone for.
func OpenTable(root *os.Root, name string, fetch FetchPhoto) (_ *PhotoSet, _ identify.ImportSource, err error) {
	source := identify.ImportSource{Kind: "csv", Name: name}
	file, err := root.Open(name)
	if err != nil {
		return nil, source, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	sum := sha256.New()
	rows, err := readTable(io.TeeReader(file, sum))
	if err != nil {
		return nil, source, err
	}
	set := &PhotoSet{}
	for _, row := range rows {
		var read readPhoto
		switch p := filepath.FromSlash(row.photo); {
		case isURL(row.photo) && fetch == nil:
			hasProblem(&row.PhotoRow, "it is a web address, and photos are only fetched with --fetch")
		case isURL(row.photo):
			read = func(ctx context.Context) (io.ReadCloser, error) { return fetch(ctx, row.photo) }
		case row.photo != "" && !filepath.IsLocal(p):
			hasProblem(&row.PhotoRow, "its photo %s lies outside of the table's folder: paths are relative to the table", quoteName(row.photo))
		case row.photo != "":
			noteFile(sum, root, p)
			read = inRoot(root, p)
		}
		if err := set.add(row.PhotoRow, read); err != nil {
			return nil, source, err
		}
	}
	source.Digest = hex.EncodeToString(sum.Sum(nil))
	return set, source, nil
}

// noteFile lets a sum know of a file: if that is another one later, so is the sum.
func noteFile(sum hash.Hash, root *os.Root, name string) {
	var size, at int64 = -1, 0
	if stat, err := root.Lstat(name); err == nil {
		size, at = stat.Size(), stat.ModTime().UnixNano()
	}
	fmt.Fprintf(sum, "%q %d %d\n", name, size, at)
}

// inRoot reads a file that must not lead out of its folder, by links either.
func inRoot(root *os.Root, name string) readPhoto {
	return func(context.Context) (io.ReadCloser, error) {
		f, err := root.Open(name)
		if err != nil {
			return nil, fileError(err)
		}
		stat, err := f.Stat()
		if err == nil && !stat.Mode().IsRegular() {
			err = identify.Errorf(identify.Invalid, "file", "It is no regular file.")
		}
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		return f, nil
	}
}

func fileError(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return identify.Errorf(identify.Invalid, "file", "There is no such file.").Because(err)
	}
	return identify.Errorf(identify.Invalid, "file", "It cannot be opened (%v).", err).Because(err)
}

// folderName is what a folder is called.
func folderName(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	return path.Base(filepath.ToSlash(name))
}
