package photofile

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"fieldmark/internal/identify"
)

// renditions is the folder of what is made of photos in other sizes. All of it may
// be deleted at any time.
const renditions = "renditions"

// usedWithin is how exactly it is known when a rendition was last used: its file is
// given a new time no more often.
const usedWithin = time.Hour

// Renditions are what was made of photos in other sizes, of at most limit bytes
// together. When there is no room for another one, those go that have not been used for
// longest, an eighth of the limit at once. It implements identify.Renditions.
//
// All that it knows is in the folder, when a file was used last in the file's time:
// a process that is killed at any moment leaves nothing to be put right, and whoever
// deletes the folder under it does no harm.
type Renditions struct {
	dir   Dir
	limit int64
	now   func() time.Time

	mu    sync.Mutex // held by whoever writes or deletes, not by who reads
	bytes int64      // of all files; -1: not counted yet
}

// OpenRenditions returns those of the photo folder at root, which Open has made. They
// are counted when it first matters, so that a start does not wait for it.
func OpenRenditions(root string, limit int64) *Renditions {
	return &Renditions{dir: Dir{root}, limit: limit, now: time.Now, bytes: -1}
}

// Rendition implements identify.Renditions.
func (r *Renditions) Rendition(_ context.Context, hash identify.PhotoHash, side int) ([]byte, error) {
	data, err := r.dir.read(ofSide(side), hash, ".jpg")
	if err != nil {
		return nil, err
	}
	path, err := r.dir.path(ofSide(side), hash, ".jpg")
	if err != nil {
		return nil, err
	}
	now := r.now()
	if info, err := os.Stat(path); err == nil && now.Sub(info.ModTime()) > usedWithin {
		// Where that fails, it counts as used before: it goes sooner, and is made anew.
		_ = os.Chtimes(path, time.Time{}, now)
	}
	return data, nil
}

// KeepRendition implements identify.Renditions. What has no room even by itself is not
// kept.
func (r *Renditions) KeepRendition(ctx context.Context, hash identify.PhotoHash, side int, data []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path, err := r.dir.path(ofSide(side), hash, ".jpg")
	size := int64(len(data))
	if err != nil || size > r.limit {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := os.Stat(path); err == nil {
		return nil // somebody made it meanwhile
	}
	if r.bytes < 0 || r.bytes+size > r.limit {
		if err := r.makeRoom(size); err != nil {
			return err
		}
	}
	r.bytes += size // of which a part may be there where it fails
	return unwritten(writeOnce(path, data))
}

// Bytes is how much there is.
func (r *Renditions) Bytes() (int64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bytes < 0 {
		if err := r.makeRoom(0); err != nil {
			return 0, err
		}
	}
	return r.bytes, nil
}

// rendered is a file of the folder.
type rendered struct {
	path string
	size int64
	used time.Time
}

// makeRoom counts what there is and, if it and size bytes more are above the limit,
// deletes what was not used for longest, down to an eighth below.
func (r *Renditions) makeRoom(size int64) error {
	list, err := r.list()
	if err != nil {
		return err
	}
	r.bytes = 0
	for _, f := range list {
		r.bytes += f.size
	}
	if r.bytes+size <= r.limit {
		return nil
	}
	slices.SortFunc(list, func(a, b rendered) int { return cmp.Or(a.used.Compare(b.used), strings.Compare(a.path, b.path)) })
	for _, f := range list {
		if r.bytes+size <= max(size, r.limit-r.limit/8) {
			break
		}
		if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		r.bytes -= f.size
	}
	return nil
}

// list finds all files, those that are being written left out. What goes meanwhile is
// gone.
func (r *Renditions) list() ([]rendered, error) {
	var list []rendered
	err := filepath.WalkDir(filepath.Join(r.dir.root, renditions), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && filepath.Ext(path) == ".jpg" {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				list = append(list, rendered{path, info.Size(), info.ModTime()})
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return list, err
}

func ofSide(side int) string { return filepath.Join(renditions, strconv.Itoa(side)) }
