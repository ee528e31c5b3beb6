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
	stat, err := f.Stat()
	if err != nil {
		return nil, source, err
	}
	b, err := bundle.Open(f, stat.Size())
	var refused *bundle.Error
	if errors.As(err, &refused) {
		return nil, source, &identify.Error{Kind: identify.Invalid, Field: "file", Message: refused.Message, Err: err}
	} else if err != nil {
		return nil, source, err
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, stat.Size())); err != nil {
		return nil, source, err
	}
	source.Digest = hex.EncodeToString(h.Sum(nil))
	return b, source, nil
}
