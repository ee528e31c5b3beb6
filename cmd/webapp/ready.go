package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"fieldmark/internal/identify"
	"fieldmark/internal/photofile"
	"fieldmark/internal/store"
	"fieldmark/web/metrics"
)

const (
	// leastFree is the space below which a data folder counts as full: what is
	// under way, the write-ahead log and a snapshot of a large memory still fit.
	leastFree = 256 << 20
	// writableFor is how long a write that went well counts as proof of the next.
	writableFor = 10 * time.Second
)

// readiness says whether the app can answer and keep what it is given.
type readiness struct {
	service  func() error                    // why it cannot answer
	writable func(ctx context.Context) error // why nothing can be written
	free     func() (int64, error)           // bytes of the data folder's disk
	now      func() time.Time
	stopping atomic.Bool

	mu      sync.Mutex
	written time.Time // when writing went well last
}

func newReadiness(a *App) *readiness {
	return &readiness{service: a.service.Ready, writable: a.store.Writable, now: time.Now,
		free: func() (int64, error) { return freeBytes(a.config.Data) }}
}

var errStopping = identify.Errorf(identify.NotReady, "", "Fieldmark is stopping.")

// check returns why the app is not ready, in a sentence, nil if it is.
func (r *readiness) check() error {
	if r.stopping.Load() {
		return errStopping
	}
	if err := r.service(); err != nil {
		return err
	}
	free, err := r.free()
	if err != nil {
		return identify.Errorf(identify.NotReady, "", "The data folder's disk cannot be asked: %v.", err)
	}
	if free < leastFree {
		return identify.Errorf(identify.NotReady, "", "The data folder's disk is full: %d MB are free, %d are needed. Make room.", free>>20, leastFree>>20)
	}
	return r.checkWriting()
}

func (r *readiness) checkWriting() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	if since := now.Sub(r.written); since >= 0 && since < writableFor {
		return nil
	}
	if err := r.writable(context.Background()); err != nil {
		return identify.Errorf(identify.NotReady, "", "The database cannot be written to: %v.", err)
	}
	r.written = now
	return nil
}

// freeBytes is what an unprivileged program may still write to a folder's disk.
func freeBytes(folder string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}

// disk is what a data folder holds.
type disk struct {
	folder     string
	store      *store.Store
	renditions *photofile.Renditions
}

// Usage implements metrics.Disk.
func (d disk) Usage(ctx context.Context) (u metrics.Usage, err error) {
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(filepath.Join(d.folder, databaseFile+suffix)); err == nil {
			u.Database += info.Size()
		}
	}
	if u.Photos, err = d.store.PhotoBytes(ctx); err != nil {
		return u, err
	}
	if u.Renditions, err = d.renditions.Bytes(); err != nil {
		return u, err
	}
	files, err := os.ReadDir(filepath.Join(d.folder, "snapshots"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return u, err
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			continue // it was replaced meanwhile
		}
		u.Snapshots += info.Size()
		if strings.HasPrefix(f.Name(), "memory-") && info.ModTime().After(u.SnapshotAt) {
			u.SnapshotAt = info.ModTime()
		}
	}
	u.Free, err = freeBytes(d.folder)
	return u, err
}
