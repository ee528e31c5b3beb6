package identifytest

import (
	"context"
	"errors"
	"hash/fnv"
	"image"
	"math/rand/v2"

	"fieldmark/internal/nearest/nearesttest"
	"fieldmark/internal/vec"
)

// Exemplars is an endless sequence of labelled embeddings, of length near 10 and
// clustered as those of photos are. Number Elsewhere and those after it lie in
// another region, as photos of another kind would, with clusters of their own: a
// leaf fills with them alone, so that a memory of Elsewhere + ψ of them has a full
// one.
type Exemplars struct {
	Labels    int
	Elsewhere int // the first of the other region
	here      *nearesttest.Clustered
	there     *nearesttest.Clustered
}

const (
	centres = 3000 // clusters of a region
	length  = 10   // of an embedding
	apart   = 8    // how far the regions are apart, along the first axis
)

// NewExemplars is a sequence of embeddings with dim elements and some number of
// labels.
func NewExemplars(seed uint64, dim, labels, elsewhere int) *Exemplars {
	return &Exemplars{Labels: labels, Elsewhere: elsewhere,
		here:  nearesttest.NewClustered(2*seed, dim, centres),
		there: nearesttest.NewClustered(2*seed+1, dim, centres)}
}

// Dim is the number of elements of an embedding.
func (x *Exemplars) Dim() int { return x.here.Dim() }

// At is embedding i, and its label, 0 ≤ label < Labels.
func (x *Exemplars) At(i int) (v []float32, label int) {
	from := x.here
	if i >= x.Elsewhere {
		from = x.there
	}
	v = from.Row(i, nil)
	vec.Scale(length, v)
	if i >= x.Elsewhere {
		v[0] += apart
	}
	return v, from.Cluster(i) % x.Labels
}

// EmbedImage implements identify.Embedder.
func (e Encoder) EmbedImage(context.Context, image.Image) ([]float32, error) {
	return nil, errors.New("the made-up encoder reads no photos")
}

// EmbedNames implements identify.Embedder: each name has a direction of its own.
func (e Encoder) EmbedNames(_ context.Context, names [][]string) ([][]float32, error) {
	rows := make([][]float32, len(names))
	for i, n := range names {
		h := fnv.New64a()
		for _, s := range n {
			h.Write([]byte(s))
		}
		r := rand.New(rand.NewPCG(h.Sum64(), 0))
		rows[i] = make([]float32, e.Dim())
		for d := range rows[i] {
			rows[i][d] = float32(r.NormFloat64())
		}
		vec.Normalize(rows[i])
	}
	return rows, nil
}
