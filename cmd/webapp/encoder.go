package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"fieldmark/internal/clip"
	"fieldmark/internal/identify"
	"fieldmark/models"
)

// builtin is the encoder that comes with the program.
const builtin = "fieldmark-1"

// encoder is a clip.Encoder as the domain wants it.
type encoder struct {
	*clip.Encoder
	info identify.EncoderInfo
}

var _ identify.Embedder = (*encoder)(nil)

// openEncoder opens the built-in encoder or the folder that Config.Model names.
func openEncoder(c Config) (*encoder, error) {
	folder, err := modelFolder(c)
	if err != nil {
		return nil, err
	}
	e, err := clip.Open(folder, clip.Options{Runtime: c.Runtime, Threads: c.Threads})
	if err != nil {
		return nil, err
	}
	m := e.Manifest()
	return &encoder{Encoder: e, info: identify.EncoderInfo{
		Name: m.Name, Digest: e.Digest(), Dim: m.Dim, LogitScale: m.LogitScale, Names: m.Names,
		NearSlope: m.Near.Slope, NearMid: m.Near.Midpoint, Seen: e.Seen(),
	}}, nil
}

// modelFolder finds an encoder: built in, in the data folder's models/, or at a
// path.
func modelFolder(c Config) (fs.FS, error) {
	if c.Model == builtin {
		return models.Builtin(), nil
	}
	for _, dir := range []string{filepath.Join(c.Data, "models", c.Model), c.Model} {
		if _, err := os.Stat(filepath.Join(dir, clip.ManifestFile)); err == nil {
			return os.DirFS(dir), nil
		}
	}
	return nil, fmt.Errorf("there is no encoder %q: give %q, or a folder that has a %s", c.Model, builtin, clip.ManifestFile)
}

// Info implements identify.Embedder.
func (e *encoder) Info() identify.EncoderInfo { return e.info }
