package spool

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"

	"fieldmark/internal/bundle"
	"fieldmark/internal/identify"
)

// OpenBundle opens a file that is a bundle, and says by what it is known. Errors
// that the file is to blame for are *identify.Error about the field "file".
func OpenBundle(f *os.File, name string) (*bundle.Bundle, identify.ImportSource, error) {
	source := identify.ImportSource{Kind: identify.BundleKind, Name: name}
	b, size, err := openBundle(f)
	if err != nil {
		return nil, source, err
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, size)); err != nil {
		return nil, source, err
	}
	source.Digest = hex.EncodeToString(h.Sum(nil))
	return b, source, nil
}

// Bundle opens a bundle that was kept, as OpenBundle does, but for its digest, which
// the note has. Close the file.
func (s *Shelf) Bundle(x Noted) (*os.File, *bundle.Bundle, identify.ImportSource, error) {
	source := identify.ImportSource{Kind: identify.BundleKind, Name: x.Name, Digest: x.Digest}
	f, err := s.Open(x.ID)
	if err != nil {
		return nil, nil, source, err
	}
	b, _, err := openBundle(f)
	if err != nil {
		return nil, nil, source, errors.Join(err, f.Close())
	}
	return f, b, source, nil
}

func openBundle(f *os.File) (_ *bundle.Bundle, size int64, err error) {
	stat, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	b, err := bundle.Open(f, stat.Size())
	var refused *bundle.Error
	if errors.As(err, &refused) {
		return nil, 0, identify.Errorf(identify.Invalid, "file", refused.Format, refused.Args...).Because(err)
	}
	return b, stat.Size(), err
}
