package spool

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fieldmark/internal/identify"
)

// Note says what a file on a Shelf is, for those who come across it later.
type Note struct {
	Name    string // of the file
	Digest  string // SHA-256, in hex
	From    string // the site that made it
	Lessons int
	By      string // who sent it
	At      time.Time
}

// Noted is a file that waits, with its note.
type Noted struct {
	Note
	ID    string
	Bytes int64
}

// noteExtension is what the name of a note's file ends with.
const noteExtension = ".json"

// Keep notes what a file is that was Put. From then on it is listed: what a killed
// server left half uploaded never is.
func (s *Shelf) Keep(id string, n Note) error {
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	part := filepath.Join(s.dir, id+".part")
	err = os.WriteFile(part, text, 0o600)
	if err == nil {
		err = os.Rename(part, filepath.Join(s.dir, id+noteExtension))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("keeping the upload: %w", err), os.RemoveAll(part))
	}
	return nil
}

// Noted returns a file that was kept; KindOf NotFound once it is gone.
func (s *Shelf) Noted(id string) (Noted, error) {
	if !shelfID.MatchString(id) {
		return Noted{}, errGone
	}
	text, err := os.ReadFile(filepath.Join(s.dir, id+noteExtension))
	if errors.Is(err, fs.ErrNotExist) {
		return Noted{}, errGone
	} else if err != nil {
		return Noted{}, fmt.Errorf("reading what an upload is: %w", err)
	}
	x := Noted{ID: id}
	if err := json.Unmarshal(text, &x.Note); err != nil {
		return x, errGone // the machine stopped while it was written
	}
	info, err := os.Stat(filepath.Join(s.dir, id))
	if errors.Is(err, fs.ErrNotExist) {
		return x, errGone
	} else if err != nil {
		return x, fmt.Errorf("reading what an upload is: %w", err)
	}
	x.Bytes = info.Size()
	return x, nil
}

// List returns the files that were kept, the latest first. What has waited too long is
// thrown away.
func (s *Shelf) List() ([]Noted, error) {
	if err := s.clean(time.Now()); err != nil {
		return nil, err
	}
	files, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("reading what waits: %w", err)
	}
	var list []Noted
	for _, f := range files {
		id, is := strings.CutSuffix(f.Name(), noteExtension)
		if !is {
			continue
		}
		x, err := s.Noted(id)
		if identify.KindOf(err) == identify.NotFound {
			continue
		} else if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b Noted) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.ID, b.ID)) })
	return list, nil
}
