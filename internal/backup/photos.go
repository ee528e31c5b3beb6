package backup

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"fieldmark/internal/identify"
)

// Photos are the photos of a backup, read where they lie in the archive. They are
// an identify.PhotoFiles that takes no more. Each photo takes some 100 bytes of
// memory.
type Photos struct {
	in         io.ReaderAt
	originals  map[key]span
	thumbnails map[key]span
	glimpses   map[key]span
}

type key [32]byte

type span struct{ at, size int64 }

// NewPhotos returns an empty list of photos of an archive; Note adds to it.
func NewPhotos(in io.ReaderAt) *Photos {
	return &Photos{in: in, originals: map[key]span{}, thumbnails: map[key]span{}, glimpses: map[key]span{}}
}

// Note adds a file, if it is a photo, a thumbnail or a glimpse by its name.
func (p *Photos) Note(name string, size, at int64) {
	k, err := keyOf(identify.PhotoHash(strings.TrimSuffix(path.Base(name), ".jpg")))
	if err != nil {
		return
	}
	switch folder, _, _ := strings.Cut(name, "/"); folder {
	case "photos":
		p.originals[k] = span{at, size}
	case "thumbnails":
		p.thumbnails[k] = span{at, size}
	case "glimpses":
		p.glimpses[k] = span{at, size}
	}
}

func keyOf(hash identify.PhotoHash) (k key, err error) {
	if len(hash) != 2*len(k) {
		return k, fmt.Errorf("%q is not a photo's SHA-256", hash)
	}
	_, err = hex.Decode(k[:], []byte(hash))
	return k, err
}

// Put implements identify.PhotoFiles.
func (p *Photos) Put(context.Context, identify.PhotoHash, []byte, []byte) error {
	return errors.New("a backup takes no photos")
}

// PutGlimpse implements identify.PhotoFiles.
func (p *Photos) PutGlimpse(context.Context, identify.PhotoHash, []byte) error {
	return errors.New("a backup takes no photos")
}

// Original implements identify.PhotoFiles.
func (p *Photos) Original(_ context.Context, hash identify.PhotoHash) ([]byte, error) {
	return p.read(p.originals, hash)
}

// Thumbnail implements identify.PhotoFiles.
func (p *Photos) Thumbnail(_ context.Context, hash identify.PhotoHash) ([]byte, error) {
	return p.read(p.thumbnails, hash)
}

// Glimpse implements identify.PhotoFiles.
func (p *Photos) Glimpse(_ context.Context, hash identify.PhotoHash) ([]byte, error) {
	return p.read(p.glimpses, hash)
}

func (p *Photos) read(from map[key]span, hash identify.PhotoHash) ([]byte, error) {
	k, err := keyOf(hash)
	if err != nil {
		return nil, err
	}
	s, is := from[k]
	if !is {
		return nil, identify.Errorf(identify.NotFound, "", "The file of this photo is missing from the backup.")
	}
	data := make([]byte, s.size)
	_, err = p.in.ReadAt(data, s.at)
	return data, err
}
