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
	"strings"
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

var errGone = identify.Errorf(identify.NotFound, "id", "This upload is not kept any more: it was decided about, or waited longer than a day. Upload it again.")

// Open opens what was put; KindOf NotFound once it is gone.
func (s *Shelf) Open(id string) (*os.File, error) {
	if !shelfID.MatchString(id) {
		return nil, errGone
	}
	f, err := os.Open(filepath.Join(s.dir, id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errGone
	}
	return f, err
}

// Remove throws away what was put, its note first; it may be gone already.
func (s *Shelf) Remove(id string) error {
	if !shelfID.MatchString(id) {
		return nil
	}
	for _, name := range []string{id + noteExtension, id} {
		if err := os.Remove(filepath.Join(s.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// clean removes what has waited too long.
func (s *Shelf) clean(now time.Time) error {
	list, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("keeping the upload: %w", err)
	}
	for _, e := range list {
		info, err := e.Info()
		id, _, ofNote := strings.Cut(e.Name(), ".")
		// A clock that is set back leaves files of the future: too far ahead is too old.
		if err != nil || !shelfID.MatchString(id) || now.Sub(info.ModTime()).Abs() < Kept {
			continue // it may have gone meanwhile
		}
		if ofNote {
			err = os.RemoveAll(filepath.Join(s.dir, e.Name()))
		} else {
			err = s.Remove(id)
		}
		if err != nil {
			return fmt.Errorf("keeping the upload: %w", err)
		}
	}
	return nil
}
