package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mattn/go-sqlite3"
)

// prepare makes the folder and the file of a database, if they are not there,
// for their owner alone whatever the umask: SQLite gives the files beside it
// (-wal, -shm) the mode of the database.
//
// It never opens a database that is there: POSIX takes away the locks that
// SQLite has on a file when any handle of the process is closed.
func prepare(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return unwritable(dir, err)
	}
	// SQLite writes files beside the database, so that its folder must be writable.
	probe, err := os.CreateTemp(dir, ".writable-*")
	if err != nil {
		return unwritable(dir, err)
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return unwritable(dir, err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return unwritable(dir, err)
	}
	return errors.Join(f.Chmod(0o600), f.Close())
}

// unwritable says what to do about a folder in which err came up.
func unwritable(dir string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("cannot write in %s (%w); make it writable, or choose another folder with --data", dir, err)
}

// opening words the error of opening the database at path.
func opening(path string, err error) error {
	var e sqlite3.Error
	if errors.As(err, &e) && (e.Code == sqlite3.ErrReadonly || e.Code == sqlite3.ErrCantOpen) {
		return unwritable(filepath.Dir(path), err)
	}
	return fmt.Errorf("database %s: %w", path, err)
}
