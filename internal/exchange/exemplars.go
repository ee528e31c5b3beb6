package exchange

import (
	"context"
	"io"

	"fieldmark/internal/identify"
)

// WriteExemplars writes the exemplars of a memory as npz, in the order in which
// they were taught.
func WriteExemplars(ctx context.Context, w io.Writer, e *identify.Exemplars) error {
	out := Exemplars{Dim: e.Encoder.Dim, Encoder: e.Encoder.Digest, Labels: e.Labels,
		Taxa: make([]int64, len(e.Refs)), Observations: make([]int64, len(e.Refs)),
		Vectors: func(visit func([]float32) error) error { return e.Vectors(ctx, visit) }}
	for i, x := range e.Refs {
		out.Taxa[i], out.Observations[i] = int64(x.Taxon), int64(x.Observation)
	}
	return WriteNPZ(w, out)
}
