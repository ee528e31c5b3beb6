package clip

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fieldmark/internal/vec"
)

// EmbedTexts returns the unit embeddings of texts as they are, one row each. An
// encoder with a table of names in place of a text tower returns ErrUnknownName
// for a text that is none of them.
func (e *Encoder) EmbedTexts(ctx context.Context, texts []string) ([][]float32, error) {
	if e.lookup != nil {
		return e.lookup.texts(texts)
	}
	rows := make([][]float32, 0, len(texts))
	for some := range slices.Chunk(texts, maxTexts) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var ids []int64
		for _, text := range some {
			ids = append(ids, e.tokenizer.Encode(text)...)
		}
		got, err := e.embedIDs(ids, len(some))
		if err != nil {
			return nil, err
		}
		for _, v := range got {
			if err := usable(v); err != nil {
				return nil, err
			}
			vec.Normalize(v)
		}
		rows = append(rows, got...)
	}
	return rows, nil
}

// embedIDs runs the text tower on the ids of n texts.
func (e *Encoder) embedIDs(ids []int64, n int) ([][]float32, error) {
	t := &e.manifest.Text
	feeds := []feed{t.integers(ids)}
	if t.Mask != "" {
		feeds = append(feeds, t.integers(e.attention(ids)))
	}
	return e.text.embed(n, feeds...)
}

// attention is 1 for every id that belongs to its text, 0 for padding.
func (e *Encoder) attention(ids []int64) []int64 {
	mask := make([]int64, len(ids))
	context := e.manifest.Text.Context
	for from := 0; from < len(ids); from += context {
		for i := range e.tokenizer.attended(ids[from : from+context]) {
			mask[from+i] = 1
		}
	}
	return mask
}

// integers feeds numbers, Context a text, in the type that the graph takes.
func (t *TextTower) integers(values []int64) feed {
	shape := []int64{int64(t.Context)}
	if t.IDType == "int64" {
		return rows[int64]{values, shape}
	}
	narrow := make([]int32, len(values))
	for i, v := range values {
		narrow[i] = int32(v)
	}
	return rows[int32]{narrow, shape}
}

// EmbedNames returns one unit row for each entry, which lists the names of one
// taxon: every name in every prompt of the manifest is embedded, normalised,
// averaged, and normalised again (METHOD.md, section 1). With a table of names in
// place of a text tower see lookup.taxon.
func (e *Encoder) EmbedNames(ctx context.Context, names [][]string) ([][]float32, error) {
	return e.EmbedPrompted(ctx, names, e.manifest.Prompts)
}

// EmbedPrompted is EmbedNames with prompts in place of the manifest's, at least
// one, in each of which {} stands for the name. A table of names, which has no use
// for them, gives what EmbedNames does.
func (e *Encoder) EmbedPrompted(ctx context.Context, names [][]string, prompts []string) ([][]float32, error) {
	var texts []string
	for i, entry := range names {
		if len(entry) == 0 {
			return nil, fmt.Errorf("encoder: entry %d has no name to embed", i)
		}
		for _, name := range entry {
			if strings.TrimSpace(name) == "" {
				return nil, fmt.Errorf("encoder: entry %d has an empty name", i)
			}
			for _, prompt := range prompts {
				texts = append(texts, strings.Replace(prompt, "{}", name, 1))
			}
		}
	}
	if e.lookup != nil {
		return e.lookup.taxa(names)
	}
	units, err := e.EmbedTexts(ctx, texts)
	if err != nil {
		return nil, err
	}
	rows := make([][]float32, len(names))
	for i, entry := range names {
		n := len(entry) * len(prompts)
		if rows[i], err = meanDirection(units[:n]); err != nil {
			return nil, fmt.Errorf("encoder: names %q: %w", entry, err)
		}
		units = units[n:]
	}
	return rows, nil
}

// meanDirection is the normalised mean of unit rows.
func meanDirection(units [][]float32) ([]float32, error) {
	sum := make([]float32, len(units[0]))
	for _, u := range units {
		vec.Axpy(1, u, sum)
	}
	if vec.Normalize(sum) == 0 {
		return nil, errors.New("their embeddings cancel out")
	}
	return sum, nil
}
