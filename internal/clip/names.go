package clip

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"fieldmark/internal/vec"
)

// EmbedTexts returns the unit embeddings of texts as they are, one row each.
func (e *Encoder) EmbedTexts(ctx context.Context, texts []string) ([][]float32, error) {
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

func (e *Encoder) embedIDs(ids []int64, n int) ([][]float32, error) {
	if e.manifest.Text.IDType == "int64" {
		return embed(e.text, ids, n, int64(e.manifest.Text.Context))
	}
	narrow := make([]int32, len(ids))
	for i, id := range ids {
		narrow[i] = int32(id)
	}
	return embed(e.text, narrow, n, int64(e.manifest.Text.Context))
}

// EmbedNames returns one unit row for each entry, which lists the names of one
// taxon: every name in every prompt of the manifest is embedded, normalised,
// averaged, and normalised again (METHOD.md, section 1).
func (e *Encoder) EmbedNames(ctx context.Context, names [][]string) ([][]float32, error) {
	var texts []string
	for i, entry := range names {
		if len(entry) == 0 {
			return nil, fmt.Errorf("encoder: entry %d has no name to embed", i)
		}
		for _, name := range entry {
			if strings.TrimSpace(name) == "" {
				return nil, fmt.Errorf("encoder: entry %d has an empty name", i)
			}
			for _, prompt := range e.manifest.Prompts {
				texts = append(texts, strings.Replace(prompt, "{}", name, 1))
			}
		}
	}
	units, err := e.EmbedTexts(ctx, texts)
	if err != nil {
		return nil, err
	}
	rows := make([][]float32, len(names))
	for i, entry := range names {
		n := len(entry) * len(e.manifest.Prompts)
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
