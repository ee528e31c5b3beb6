package dataset

import (
	"context"
	"crypto/sha256"
	"fmt"
	"image"
	"sync"

	"fieldmark/internal/clip"
)

// Encoder is what photos and names are embedded by: a *clip.Encoder.
type Encoder interface {
	Manifest() clip.Manifest
	Digest() string
	EmbedImages(ctx context.Context, images []image.Image) ([][]float32, error)
	EmbedPrompted(ctx context.Context, names [][]string, prompts []string) ([][]float32, error)
}

// together is how many photos are decoded and embedded at once, and lost if the
// run is stopped.
const together = 16

// embedder embeds the photos of all tasks, each once.
type embedder struct {
	Options
	vectors map[inputKey][]float32
	wanted  []photoRef // photos that are not in vectors, each once
	notes   []string
	done    int
}

// newEmbedder takes from the cache what is there of the piles' photos.
func newEmbedder(ctx context.Context, o Options, piles []*pile) (*embedder, error) {
	e := &embedder{Options: o}
	var keys []inputKey
	first := map[inputKey]photoRef{}
	for _, p := range piles {
		for _, x := range p.photos {
			if _, known := first[x.hash]; !known {
				keys, first[x.hash] = append(keys, x.hash), x
			}
		}
	}
	var err error
	if e.vectors, err = o.Cache.get(ctx, o.Encoder.Digest(), o.Encoder.Manifest().Dim, keys); err != nil {
		return nil, err
	}
	for _, k := range keys {
		if e.vectors[k] == nil {
			e.wanted = append(e.wanted, first[k])
		}
	}
	return e, nil
}

// embed embeds what is wanted of the photos below root. A photo that cannot be
// read is noted, and has no vector then.
func (e *embedder) embed(ctx context.Context, root string, piles []*pile) error {
	mine := map[string]inputKey{}
	lies := map[inputKey]bool{}
	for _, p := range piles {
		for _, x := range p.photos {
			lies[x.hash] = true
		}
	}
	for _, x := range e.wanted {
		if lies[x.hash] && e.vectors[x.hash] == nil {
			mine[x.name] = x.hash
		}
	}
	if len(mine) == 0 {
		return nil
	}
	var some []pendingPhoto
	err := walkPhotos(root, func(name string, read func() ([]byte, error)) error {
		key, wanted := mine[name]
		if !wanted {
			return ctx.Err()
		}
		data, err := read()
		if err != nil || sha256.Sum256(data) != key {
			e.note(name, "it changed while it was read")
			return ctx.Err()
		}
		if some = append(some, pendingPhoto{name: name, key: key, data: data}); len(some) < together {
			return ctx.Err()
		}
		err = e.flush(ctx, some)
		some = some[:0]
		return err
	})
	if err != nil {
		return err
	}
	return e.flush(ctx, some)
}

// pendingPhoto is a photo on its way to the encoder.
type pendingPhoto struct {
	name  string
	key   inputKey
	data  []byte
	image image.Image // nil: it cannot be decoded
	why   error
}

// flush decodes, embeds and keeps some photos.
func (e *embedder) flush(ctx context.Context, some []pendingPhoto) error {
	e.decode(some)
	var keys []inputKey
	var images []image.Image
	for _, x := range some {
		if x.why != nil {
			e.note(x.name, x.why.Error())
			continue
		}
		keys, images = append(keys, x.key), append(images, x.image)
	}
	if len(images) > 0 {
		vectors, err := e.Encoder.EmbedImages(ctx, images)
		if err != nil {
			return err
		}
		if err := e.Cache.put(ctx, e.Encoder.Digest(), keys, vectors); err != nil {
			return err
		}
		for i, k := range keys {
			e.vectors[k] = vectors[i]
		}
	}
	e.done += len(some)
	e.tell("photos embedded", e.done, len(e.wanted))
	return nil
}

// decode reads some photos, as many at once as there are Workers.
func (e *embedder) decode(some []pendingPhoto) {
	var all sync.WaitGroup
	turns := make(chan struct{}, max(1, e.Workers))
	for i := range some {
		all.Add(1)
		go func(x *pendingPhoto) {
			defer all.Done()
			turns <- struct{}{}
			defer func() { <-turns }()
			p, err := e.Decoder.Decode(x.data, e.Need)
			if x.why = err; err == nil {
				x.image = p.Scaled()
			}
		}(&some[i])
	}
	all.Wait()
}

func (e *embedder) note(name, why string) {
	e.notes = append(e.notes, fmt.Sprintf("%s was left out: %s", name, why))
}
