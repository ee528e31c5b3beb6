// Package snapshotfile keeps snapshots of the memory as files of one folder, by
// name: snapshots/NAME. A file that is there is whole, whenever the machine
// stops, and damage to it is noticed when it is read.
package snapshotfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"fieldmark/internal/durable"
)

var wellFormed = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{0,100}$`)

// syncEvery is the number of bytes after which a file being written is synced, so
// that the database's own commits never wait for more than that to reach the disk.
const syncEvery = 32 << 20

// Dir is a folder of snapshots. It implements identify.Snapshots. Writers take
// turns; readers may come at any time. There must be no other Dir of the folder
// that writes.
type Dir struct {
	root string
	turn sync.Mutex // held by whoever writes
}

// Open returns the snapshots of a data folder. It touches nothing yet.
func Open(data string) *Dir { return &Dir{root: filepath.Join(data, "snapshots")} }

// Save replaces the snapshot of a name by what write writes: once that has
// returned, and the whole is on the disk. On any error the former one stays.
func (d *Dir) Save(ctx context.Context, name string, write func(w io.Writer) error) (err error) {
	path, err := d.path(name)
	if err != nil {
		return err
	}
	d.turn.Lock()
	defer d.turn.Unlock()
	if err := os.MkdirAll(d.root, 0o700); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	// The name is always the same, so that what a killed process has left is
	// overwritten by the next; and no snapshot's.
	temporary := path + "~"
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	if err := fill(f, write); err != nil {
		return errors.Join(fmt.Errorf("snapshot: %w", err), f.Close(), os.Remove(temporary))
	}
	if err := errors.Join(f.Sync(), f.Close(), ctx.Err()); err != nil {
		return errors.Join(fmt.Errorf("snapshot: %w", err), os.Remove(temporary))
	}
	if err := os.Rename(temporary, path); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	return durable.SyncDir(d.root)
}

func fill(f *os.File, write func(w io.Writer) error) error {
	b, err := newBlockWriter(&syncing{f: f})
	if err != nil {
		return err
	}
	if err := write(b); err != nil {
		return err
	}
	return b.end()
}

// syncing syncs a file every syncEvery bytes.
type syncing struct {
	f     *os.File
	since int
}

func (s *syncing) Write(p []byte) (int, error) {
	n, err := s.f.Write(p)
	if s.since += n; err == nil && s.since >= syncEvery {
		s.since, err = 0, s.f.Sync()
	}
	return n, err
}

// Load lets read read the snapshot of a name: errors.Is fs.ErrNotExist if there
// is none, ErrDamaged if it is not what was written, or not all of it was read.
// What read was given before such an error was intact, but is not all.
func (d *Dir) Load(ctx context.Context, name string, read func(r io.Reader) error) (err error) {
	path, err := d.path(name)
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return load(ctx, f, read)
}

func load(ctx context.Context, file io.Reader, read func(r io.Reader) error) error {
	b, err := newBlockReader(file)
	if err != nil {
		return err
	}
	r := &cancellable{ctx: ctx, r: b}
	if err := read(r); err != nil {
		return err
	}
	var more [1]byte
	switch n, err := r.Read(more[:]); {
	case errors.Is(err, io.EOF):
		return nil
	case n > 0:
		return damaged("there is more in it than was read")
	default:
		return err
	}
}

// cancellable stops reading when ctx ends.
type cancellable struct {
	ctx context.Context
	r   io.Reader
}

func (c *cancellable) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

func (d *Dir) path(name string) (string, error) {
	if !wellFormed.MatchString(name) {
		return "", fmt.Errorf("snapshot: %q is not a name that a snapshot can have", name)
	}
	return filepath.Join(d.root, name), nil
}
