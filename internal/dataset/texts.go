package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"fieldmark/internal/clip"
)

// embedNames returns a unit row for each entry, as Encoder.EmbedPrompted does; rows
// are cached under what makes them. Without a prompt the encoder's own are used.
func embedNames(ctx context.Context, o Options, names [][]string, prompt string) ([][]float32, error) {
	m := o.Encoder.Manifest()
	prompts := m.Prompts
	if prompt != "" && m.Text.Lookup == nil {
		prompts = []string{prompt}
	}
	tower, err := json.Marshal(struct {
		Text    clip.TextTower
		Prompts []string
		Dim     int
	}{m.Text, prompts, m.Dim})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(tower)
	digest := "text " + hex.EncodeToString(sum[:])
	keys := make([]inputKey, len(names))
	for i, entry := range names {
		keys[i] = sha256.Sum256([]byte(strings.Join(entry, "\x00")))
	}
	rows, err := o.Cache.get(ctx, digest, m.Dim, keys)
	if err != nil {
		return nil, err
	}
	var missing []inputKey
	var unknown [][]string
	for i, k := range keys {
		if rows[k] == nil {
			missing, unknown = append(missing, k), append(unknown, names[i])
		}
	}
	if len(missing) > 0 {
		made, err := o.Encoder.EmbedPrompted(ctx, unknown, prompts)
		if err != nil {
			return nil, err
		}
		if err := o.Cache.put(ctx, digest, missing, made); err != nil {
			return nil, err
		}
		for i, k := range missing {
			rows[k] = made[i]
		}
	}
	out := make([][]float32, len(names))
	for i, k := range keys {
		out[i] = rows[k]
	}
	return out, nil
}
