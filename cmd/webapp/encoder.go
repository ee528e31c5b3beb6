package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"fieldmark/internal/clip"
	"fieldmark/internal/identify"
	"fieldmark/internal/store"
	"fieldmark/models"
	"fieldmark/web/metrics"
)

// builtin is the encoder that comes with the program.
const builtin = "fieldmark-1"

// encoder is a clip.Encoder as the domain wants it.
type encoder struct {
	*clip.Encoder
	info    identify.EncoderInfo
	metrics *metrics.Metrics // nil: nothing is measured
}

var _ identify.Embedder = (*encoder)(nil)

// openEncoder opens the encoder that Config.Model names.
func openEncoder(c Config) (*encoder, error) {
	folder, err := modelFolder(c)
	if err != nil {
		return nil, err
	}
	options := clip.Options{Runtime: c.Runtime, Threads: c.Threads}
	if c.metrics != nil {
		options.Ran = c.metrics.Ran
	}
	e, err := clip.Open(folder, options)
	if err != nil {
		return nil, err
	}
	seen, err := seenTaxa(e)
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	m := e.Manifest()
	names, err := m.NameDigest()
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return &encoder{Encoder: e, metrics: c.metrics, info: identify.EncoderInfo{
		Name: m.Name, Digest: e.Digest(), NameDigest: names, Dim: m.Dim, ImageSize: m.Image.Size, LogitScale: m.LogitScale, Names: m.Names,
		NearSlope: m.Near.Slope, NearMid: m.Near.Midpoint, Seen: seen,
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

// withChosenModel fills in the encoder where the command line names none: the
// one that was chosen for the data folder, or the built-in one.
func withChosenModel(ctx context.Context, c Config) (_ Config, err error) {
	if c.Model != "" {
		return c, nil
	}
	if _, err := os.Stat(filepath.Join(c.Data, databaseFile)); errors.Is(err, fs.ErrNotExist) {
		c.Model = builtin
		return c, nil
	}
	st, err := openExisting(ctx, c.Data)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	c.Model, err = chosenModel(ctx, st)
	return c, err
}

// chosenModel is the encoder that was chosen last, the built-in one if none was.
func chosenModel(ctx context.Context, st *store.Store) (string, error) {
	choice, err := st.EncoderChoice(ctx)
	return cmp.Or(choice.Serving, builtin), err
}

// chosenInfo describes the embeddings of the encoder that the command line
// names, or else of the one that was chosen. Its manifest says enough: the
// encoder is not opened.
func chosenInfo(ctx context.Context, c Config, st *store.Store) (identify.EncoderInfo, error) {
	if c.Model == "" {
		var err error
		if c.Model, err = chosenModel(ctx, st); err != nil {
			return identify.EncoderInfo{}, err
		}
	}
	folder, err := modelFolder(c)
	if err != nil {
		return identify.EncoderInfo{}, err
	}
	m, err := clip.ReadManifest(folder)
	if err != nil {
		return identify.EncoderInfo{}, err
	}
	return identify.EncoderInfo{Name: m.Name, Digest: m.Digest(), Dim: m.Dim}, nil
}

// Info implements identify.Embedder.
func (e *encoder) Info() identify.EncoderInfo { return e.info }

// EmbedImage implements identify.Embedder.
func (e *encoder) EmbedImage(ctx context.Context, img image.Image) ([]float32, error) {
	start := time.Now()
	v, err := e.Encoder.EmbedImage(ctx, img)
	if e.metrics != nil && err == nil {
		e.metrics.Encoded(time.Since(start))
	}
	return v, err
}
