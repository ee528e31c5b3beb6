package backup

import (
	"archive/tar"
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"
)

// ErrNotBackup is a file that is no backup, or one that was broken off.
var ErrNotBackup = errors.New("this is not a whole backup of Fieldmark")

// maxAbout is how many bytes backup.json may have.
const maxAbout = 1 << 16

// Archive is a backup that is open.
type Archive struct {
	About About
	in    io.ReadSeeker
	sums  int64 // where the data of SHA256SUMS begins
	size  int64 // of it
}

// Open looks through the archive's headers. Nothing of its files is read yet.
func Open(in io.ReadSeeker) (*Archive, error) {
	a := &Archive{in: in, sums: -1}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	for r, first := tar.NewReader(in), true; ; first = false {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNotBackup, err)
		}
		if err := proper(h); err != nil {
			return nil, err
		}
		switch {
		case a.sums >= 0:
			return nil, fmt.Errorf("%w: something follows its list of digests", ErrNotBackup)
		case first != (h.Name == aboutFile):
			return nil, fmt.Errorf("%w: its first member is not %s alone", ErrNotBackup, aboutFile)
		case first:
			if err := a.readAbout(r); err != nil {
				return nil, err
			}
		case h.Name == sumsFile:
			if a.sums, err = in.Seek(0, io.SeekCurrent); err != nil {
				return nil, err
			}
			a.size = h.Size
		}
	}
	if a.sums < 0 {
		return nil, fmt.Errorf("%w: its end is missing", ErrNotBackup)
	}
	return a, nil
}

func (a *Archive) readAbout(r io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(r, maxAbout))
	if err == nil {
		err = json.Unmarshal(text, &a.About)
	}
	if err != nil || a.About.Format < 1 {
		return fmt.Errorf("%w: %s cannot be read", ErrNotBackup, aboutFile)
	}
	if a.About.Format > format {
		return fmt.Errorf("a newer Fieldmark (%s) made this backup: restore it with that", a.About.MadeBy)
	}
	return nil
}

// proper refuses members that no backup has: links, and names that lead elsewhere.
func proper(h *tar.Header) error {
	switch {
	case h.Typeflag != tar.TypeReg:
		return fmt.Errorf("%w: its member %q is a link or no regular file", ErrNotBackup, h.Name)
	case !filepath.IsLocal(filepath.FromSlash(h.Name)) || path.Clean(h.Name) != h.Name || strings.ContainsAny(h.Name, "\\\n"):
		return fmt.Errorf("%w: the name of its member %q leads out of it", ErrNotBackup, h.Name)
	case h.Size < 0:
		return fmt.Errorf("%w: its member %q has no size", ErrNotBackup, h.Name)
	}
	return nil
}

// Each visits the files of the data folder, in the order of the archive, and
// compares each with its digest once visit has returned: what visit was given is
// only to be believed when Each returns nil. at is where a file's bytes begin in
// the archive.
func (a *Archive) Each(ctx context.Context, visit func(name string, size, at int64, data io.Reader) error) error {
	if _, err := a.in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	sums, err := a.list()
	if err != nil {
		return err
	}
	for r := tar.NewReader(a.in); ; {
		h, err := r.Next()
		if err != nil {
			return fmt.Errorf("%w: %w", ErrNotBackup, err)
		}
		if err := proper(h); err != nil {
			return err
		}
		if h.Name == sumsFile {
			if sums.Scan() || sums.Err() != nil {
				return fmt.Errorf("%w: it lists more files than it has", ErrNotBackup)
			}
			return nil
		}
		at, err := a.in.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		sum := sha256.New()
		data := io.TeeReader(&contextReader{ctx, r}, sum)
		if h.Name != aboutFile {
			if err := visit(h.Name, h.Size, at, data); err != nil {
				return err
			}
		}
		if _, err := io.Copy(io.Discard, data); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrNotBackup, h.Name, err)
		}
		if want := hex.EncodeToString(sum.Sum(nil)) + "  " + h.Name; !sums.Scan() || sums.Text() != want {
			return fmt.Errorf("%w: %s is not what was backed up: its digest is another", ErrNotBackup, h.Name)
		}
	}
}

// list reads the lines of SHA256SUMS, from a place of its own in the file.
func (a *Archive) list() (*bufio.Scanner, error) {
	at, is := a.in.(io.ReaderAt)
	if !is {
		return nil, errors.New("a backup is read from a file")
	}
	return bufio.NewScanner(io.NewSectionReader(at, a.sums, a.size)), nil
}
