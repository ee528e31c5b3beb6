package adopt

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"slices"

	"fieldmark/internal/clip"
	"fieldmark/internal/vec"
)

// smoke is what a first run of an encoder tells.
type smoke struct {
	notes    []string
	warnings []string
	norms    [2]float64 // least and greatest of the raw embeddings
	meanNorm float64
	alone    bool // embeddings depend on what is in the same batch
}

const (
	// sameCosine is how near two embeddings of one picture must be, and no two
	// pictures as different as ours may be.
	sameCosine = 0.99999
	// unitSlack is how far from 1 the norms of embeddings of length 1 may be in
	// half precision.
	unitSlack = 2e-3
)

// try runs an encoder on drawn pictures and a few words. It refuses what no
// answer could rest on: embeddings that are not finite, not always the same, or
// the same for everything.
//
// Whether a red circle is told from a blue square is no such thing. A general
// CLIP that fails there was read wrongly (size, normalisation, tokenizer), but
// an encoder that knows nothing but organisms, as the built-in one, has never
// seen either. Which of the two it is a person must judge: it is a warning, with
// the figures.
func try(ctx context.Context, e *clip.Encoder) (*smoke, error) {
	s := &smoke{}
	pictures := []image.Image{drawCircle(), drawSquare()}
	for i := range 6 {
		pictures = append(pictures, drawNoise(uint64(i)))
	}
	rows, err := s.photos(ctx, e, pictures)
	if err != nil {
		return nil, err
	}
	if e.Manifest().Text.Lookup != nil {
		s.note("red circle, blue square: not asked, since there is no text tower")
		return s, nil
	}
	words := []string{"a red circle", "a blue square"}
	texts, err := s.texts(ctx, e, words)
	if err != nil {
		return nil, err
	}
	s.shapes(rows[:2], texts, words, e.Manifest().LogitScale)
	return s, nil
}

func (s *smoke) note(format string, args ...any) {
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

func (s *smoke) warn(format string, args ...any) {
	s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
}

// photos embeds pictures one by one, twice, and together.
func (s *smoke) photos(ctx context.Context, e *clip.Encoder, pictures []image.Image) ([][]float32, error) {
	rows := make([][]float32, len(pictures))
	s.norms[0] = math.Inf(1)
	for i, p := range pictures {
		var err error
		if rows[i], err = e.EmbedImage(ctx, p); err != nil {
			return nil, err
		}
		norm := vec.Norm(rows[i])
		s.norms[0], s.norms[1] = min(s.norms[0], norm), max(s.norms[1], norm)
		s.meanNorm += norm / float64(len(pictures))
	}
	again, err := e.EmbedImage(ctx, pictures[0])
	if err != nil {
		return nil, err
	}
	if !slices.Equal(rows[0], again) {
		return nil, errors.New("it gives one photo another embedding each time: it was exported in training mode, perhaps (model.eval() is missing)")
	}
	if c := cosine(rows[0], rows[1]); c >= sameCosine {
		return nil, fmt.Errorf("it gives a red circle and a blue square the same embedding (cosine %.6f): the output is not the embedding, or the normalisation is wrong", c)
	}
	together, err := e.EmbedImages(ctx, pictures)
	if err != nil {
		return nil, fmt.Errorf("several photos at once: %w", err)
	}
	least := leastCosine(rows, together)
	s.alone = least < sameCosine
	s.note("one photo twice: the same bits; alone and among others: cosine %.7f or more", least)
	return rows, nil
}

// texts embeds words together and apart.
func (s *smoke) texts(ctx context.Context, e *clip.Encoder, words []string) ([][]float32, error) {
	together, err := e.EmbedTexts(ctx, words)
	if err != nil {
		return nil, err
	}
	apart := make([][]float32, len(words))
	for i := range words {
		one, err := e.EmbedTexts(ctx, words[i:i+1])
		if err != nil {
			return nil, err
		}
		apart[i] = one[0]
	}
	if c := cosine(apart[0], apart[1]); c >= sameCosine {
		return nil, fmt.Errorf("it gives %q and %q the same embedding (cosine %.6f): the tokenizer does not belong to it", words[0], words[1], c)
	}
	upper, err := e.EmbedTexts(ctx, []string{"A Red CIRCLE"})
	if err != nil {
		return nil, err
	}
	small := "small and capital letters are one"
	if cosine(upper[0], apart[0]) < sameCosine {
		small = "small and capital letters differ"
	}
	least := leastCosine(apart, together)
	s.alone = s.alone || least < sameCosine
	s.note("texts alone and among others: cosine %.7f or more; %s", least, small)
	return apart, nil
}
