// Package nearesttest makes vectors to test and to measure retrieval with.
package nearesttest

import (
	"math"
	"math/rand/v2"
)

// Clustered is an endless sequence of unit vectors that lie together as
// embeddings of photos do: around centres of random direction, two vectors of
// one cluster at a cosine of 0.6 to 0.9, which is the cluster's own. (On uniform
// noise every index looks like every other: nothing is near to anything.) Vector
// i depends on the seed and on i alone, so that several programs can be given the
// same ones, and queries are simply vectors beyond those that were stored.
type Clustered struct {
	seed    uint64
	centres [][]float32
	cosines []float64 // within each cluster
}

// NewClustered is the sequence of vectors with dim elements around some number of
// centres.
func NewClustered(seed uint64, dim, centres int) *Clustered {
	c := &Clustered{seed: seed, centres: make([][]float32, centres), cosines: make([]float64, centres)}
	r := rand.New(rand.NewPCG(seed, math.MaxUint64))
	for i := range c.centres {
		c.centres[i] = direction(r, make([]float32, dim))
		c.cosines[i] = 0.6 + 0.3*r.Float64()
	}
	return c
}

// Dim is the number of elements of a vector.
func (c *Clustered) Dim() int { return len(c.centres[0]) }

// Cluster is the number of the centre that vector i lies around.
func (c *Clustered) Cluster(i int) int { return c.draw(i).IntN(len(c.centres)) }

// draw is where all that vector i is made of comes from, its cluster first.
func (c *Clustered) draw(i int) *rand.Rand { return rand.New(rand.NewPCG(c.seed, uint64(i))) }

// Row writes vector i into dst, or into a new slice if dst is nil, and returns it.
func (c *Clustered) Row(i int, dst []float32) []float32 {
	if dst == nil {
		dst = make([]float32, c.Dim())
	}
	r := c.draw(i)
	cluster := r.IntN(len(c.centres))
	direction(r, dst)
	// Two vectors √c·centre + √(1−c)·noise have cosine c but for the noises' own
	// cosine, which is near 0 in many dimensions.
	along, across := float32(math.Sqrt(c.cosines[cluster])), float32(math.Sqrt(1-c.cosines[cluster]))
	var square float64
	for d, x := range c.centres[cluster] {
		dst[d] = along*x + across*dst[d]
		square += float64(dst[d]) * float64(dst[d])
	}
	for d := range dst {
		dst[d] /= float32(math.Sqrt(square))
	}
	return dst
}

// direction fills x with a unit vector of random direction.
func direction(r *rand.Rand, x []float32) []float32 {
	var square float64
	for d := range x {
		v := r.NormFloat64()
		x[d] = float32(v)
		square += v * v
	}
	for d := range x {
		x[d] /= float32(math.Sqrt(square))
	}
	return x
}
