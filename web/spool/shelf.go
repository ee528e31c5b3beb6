package spool

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"fieldmark/internal/identify"
)

// Kept is how long a file waits on a Shelf for somebody to decide about it.
const Kept = 24 * time.Hour

// Shelf is a folder of uploads that wait between two requests. Each has a name that
// nobody can guess.
type Shelf struct{ dir string }

// NewShelf is the folder dir, which is made when something is put there.
func NewShelf(dir string) *Shelf { return &Shelf{dir: dir} }

var shelfID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// Put keeps an upload; what has waited too long is thrown away. Its errors are
// Take's.
func (s *Shelf) Put(body io.Reader) (id string, err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return "", fmt.Errorf("keeping the upload: %w", err)
	}
	if err := s.clean(time.Now()); err != nil {
		return "", err
	}
	name := make([]byte, 16)
	if _, err := rand.Read(name); err != nil {
		return "", err
	}
	id = hex.EncodeToString(name)
	f, err := os.OpenFile(filepath.Join(s.dir, id), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return "", fmt.Errorf("keeping the upload: %w", err)
	}
	err = errors.Join(fill(f, body), f.Close())
	if err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return id, nil
}

// Open opens what was put; KindOf NotFound once it is gone.
func (s *Shelf) Open(id string) (*os.File, error) {
	gone := identify.Errorf(identify.NotFound, "id", "This upload is not kept any more: it was decided about, or waited longer than a day. Upload it again.")
	if !shelfID.MatchString(id) {
		return nil, gone
	}
	f, err := os.Open(filepath.Join(s.dir, id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, gone
	}
	return f, err
}

// Remove throws away what was put; it may be gone already.
func (s *Shelf) Remove(id string) error {
	if !shelfID.MatchString(id) {
		return nil
	}
	err := os.Remove(filepath.Join(s.dir, id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// clean removes what has waited too long.
func (s *Shelf) clean(now time.Time) error {
	list, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("keeping the upload: %w", err)
	}
	for _, e := range list {
		info, err := e.Info()
		// A clock that is set back leaves files of the future: too far ahead is too old.
		if err != nil || !shelfID.MatchString(e.Name()) || now.Sub(info.ModTime()).Abs() < Kept {
			continue // it may have gone meanwhile
		}
		if err := s.Remove(e.Name()); err != nil {
			return fmt.Errorf("keeping the upload: %w", err)
		}
	}
	return nil
}
