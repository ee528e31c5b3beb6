package clip

import (
	"cmp"
	"context"
	"errors"
	"image"
	"io/fs"
	"runtime"
	"slices"
	"time"

	"fieldmark/internal/vec"
)

// ErrClosed is returned by an Encoder that has been closed.
var ErrClosed = errors.New("encoder: closed")

const (
	// maxBatch bounds how many photos share a run: beyond it memory grows and
	// nothing is gained.
	maxBatch = 8
	// maxTexts is the same for texts, which are smaller.
	maxTexts = 64
)

// Options of Open.
type Options struct {
	// Runtime is the path of ONNX Runtime's library, or of its folder; empty:
	// FindRuntime looks for it.
	Runtime string
	// Threads is how many threads one run may use; 0: one per processor.
	Threads int
	// Batch is how many photos one run takes at most; 0: eight. Which photos come
	// together depends on who asks when, and the last bits of a vector on how many
	// came with it: of one, a photo has the same vector always.
	Batch int
	// Ran is told of every run of the photo tower, how many photos it was of and
	// how long it took; nil: nobody is.
	Ran func(photos int, took time.Duration)
}

// An Encoder turns photos and names into vectors of one space. Its methods may
// be called from many goroutines.
type Encoder struct {
	manifest  Manifest
	digest    string
	seen      map[string]bool
	pre       *preprocessor
	tokenizer tokenizer
	lookup    *lookup // in place of tokenizer and text, or nil
	image     *session
	text      *session
	batches   *batcher[[]float32, []float32]
}

// Open loads the encoder in folder, after checking every file against its
// manifest. Close it when done.
func Open(folder fs.FS, o Options) (*Encoder, error) {
	m, err := ReadManifest(folder)
	if err != nil {
		return nil, err
	}
	e := &Encoder{manifest: m, digest: m.Digest(), pre: newPreprocessor(m.Image)}
	if e.lookup, err = readLookup(folder, m.Text.Lookup, m.Dim); err != nil {
		return nil, err
	}
	if e.lookup == nil {
		if e.tokenizer, err = readTokenizer(folder, m.Text); err != nil {
			return nil, err
		}
	}
	if e.seen, err = readSeen(folder, m.Seen); err != nil {
		return nil, err
	}
	library, err := FindRuntime(o.Runtime)
	if err != nil {
		return nil, err
	}
	if err := loadRuntime(library); err != nil {
		return nil, err
	}
	if err := e.openTowers(folder, o.Threads); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	e.batches = newBatcher(cmp.Or(o.Batch, maxBatch), timed(o.Ran, e.embedPixels))
	return e, nil
}

func (e *Encoder) openTowers(folder fs.FS, threads int) error {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	image, text := e.manifest.Image, e.manifest.Text
	graph, err := image.read(folder)
	if err != nil {
		return err
	}
	if e.image, err = newSession(image.port(image.File, e.manifest.Dim), graph, threads); err != nil {
		return err
	}
	if e.lookup != nil {
		return nil
	}
	if graph, err = text.read(folder); err != nil {
		return err
	}
	p := text.port(text.File, e.manifest.Dim)
	if text.Mask != "" {
		p.inputs = append(p.inputs, text.Mask)
	}
	e.text, err = newSession(p, graph, threads)
	return err
}

func (g Graph) port(f File, dim int) port {
	return port{name: f.File, inputs: []string{g.Input}, output: g.Output, half: g.OutputType == "float16", dim: dim, batch: g.Batch}
}

// Close lets running and waiting calls finish, then frees the towers. It may be
// called more than once; other calls then return ErrClosed.
func (e *Encoder) Close() error {
	if e.batches != nil {
		e.batches.close()
	}
	var errs []error
	for _, s := range []*session{e.image, e.text} {
		if s != nil {
			errs = append(errs, s.close())
		}
	}
	return errors.Join(errs...)
}

// Waiting is how many photos wait for a run or are in one.
func (e *Encoder) Waiting() int { return int(e.batches.waiting.Load()) }

// timed is run, of which ran is told.
func timed(ran func(photos int, took time.Duration), run func([][]float32) ([][]float32, error)) func([][]float32) ([][]float32, error) {
	if ran == nil {
		return run
	}
	return func(photos [][]float32) ([][]float32, error) {
		start := time.Now()
		defer func() { ran(len(photos), time.Since(start)) }()
		return run(photos)
	}
}

// Manifest describes the encoder.
func (e *Encoder) Manifest() Manifest { return e.manifest }

// Digest is the identity of its embeddings; see Manifest.Digest.
func (e *Encoder) Digest() string { return e.digest }

// Seen holds the scientific names that the image tower has learned to see, or
// is nil where the manifest does not say. It must not be changed.
func (e *Encoder) Seen() map[string]bool { return e.seen }

// EmbedImage returns the raw embedding of a photo, [Dim]: its norm means
// something to the linear probe. Calls that come together share a run; one
// that comes alone does not wait for others.
func (e *Encoder) EmbedImage(ctx context.Context, img image.Image) ([]float32, error) {
	pixels, err := e.pre.pixels(img)
	if err != nil {
		return nil, err
	}
	v, err := e.batches.do(ctx, pixels)
	if err != nil {
		return nil, err
	}
	return v, usable(v)
}

// EmbedImages returns the raw embeddings of many photos, one row each. It is
// for bulk work: EmbedImage, called meanwhile, waits for a run or two at most.
func (e *Encoder) EmbedImages(ctx context.Context, images []image.Image) ([][]float32, error) {
	rows := make([][]float32, 0, len(images))
	for some := range slices.Chunk(images, maxBatch) {
		pixels := make([][]float32, len(some))
		for i, img := range some {
			var err error
			if pixels[i], err = e.pre.pixels(img); err != nil {
				return nil, err
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		got, err := e.batches.all(ctx, pixels)
		if err != nil {
			return nil, err
		}
		for _, v := range got {
			if err := usable(v); err != nil {
				return nil, err
			}
		}
		rows = append(rows, got...)
	}
	return rows, nil
}

// embedPixels runs the image tower on preprocessed photos.
func (e *Encoder) embedPixels(photos [][]float32) ([][]float32, error) {
	t := e.manifest.Image
	size := int64(t.Size)
	in := rows[float32]{slices.Concat(photos...), []int64{3, size, size}}
	var pixels feed = in
	if t.InputType == "float16" {
		pixels = halfRows(in)
	}
	embedded, err := e.image.embed(len(photos), pixels)
	if t.Scale != 0 {
		for _, v := range embedded {
			vec.Scale(t.Scale, v)
		}
	}
	return embedded, err
}

// usable refuses what no cosine can be taken of, before anything stores it.
func usable(v []float32) error {
	if !vec.Finite(v) {
		return errors.New("encoder: the embedding is not finite: the model is damaged or does not fit its manifest")
	}
	if vec.Norm(v) == 0 {
		return errors.New("encoder: the embedding is zero: the model is damaged or does not fit its manifest")
	}
	return nil
}
