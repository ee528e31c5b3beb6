package exchange

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"

	"fieldmark/internal/identify"
)

// OpenNPZFile is OpenNPZ for an open file, and says what an import of it is
// made of.
func OpenNPZFile(f *os.File) (*NPZ, identify.ImportSource, error) {
	stat, err := f.Stat()
	if err != nil {
		return nil, identify.ImportSource{}, err
	}
	z, err := OpenNPZ(f, stat.Size())
	if err != nil {
		return nil, identify.ImportSource{}, err
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, stat.Size())); err != nil {
		return nil, identify.ImportSource{}, err
	}
	return z, identify.ImportSource{Kind: "npz", Name: filepath.Base(f.Name()), Digest: hex.EncodeToString(h.Sum(nil))}, nil
}
