// Package nearest finds the exemplars that are nearest to a vector by cosine.
//
// It is the retrieval half of the exemplar systems of Zhu, Lyu, Xiao and Hoiem,
// "Continual Learning in Open-vocabulary Classification with Complementary
// Memory Systems" (TMLR 10/2024), Sec. 3.2: N(v) = the k exemplars of greatest
// cos(v, v_j).
//
// Vectors stores the exemplars' embeddings, and Index is what every way of
// searching them fulfils: Exact compares with all of them; Hybrid asks a Graph
// (HNSW) for candidates and compares with those. A memory of many exemplars keeps
// one Graph beside its versions:
//
//	v := nearest.NewVectors(512, nearest.Half)
//	g, err := nearest.NewGraph(512, nearest.GraphParams{})
//	v, err = v.Append(embedding)                               // one goroutine; found at once
//	g.Extend(v, g.Len()+1024, 2)                               // now and then, in the background
//	g.Remove(id)                                               // after a withdrawal
//	nearest.Hybrid{Vectors: v, Graph: g}.Search(query, 9, keep) // any goroutine, any version
//
// doc/retrieval.md says what that takes and how good it is.
package nearest

import (
	"errors"
	"fmt"
	"slices"

	"fieldmark/internal/vec"
)

const (
	chunkBits = 8
	chunkRows = 1 << chunkBits // vectors a chunk holds: 512 KB of them at 512-d
	chunkMask = chunkRows - 1

	// minNorm and maxNorm bound a vector's length so that single precision can
	// neither overflow nor lose digits when it is compared with another.
	minNorm, maxNorm = 1e-15, 1e15
)

// What Append refuses, to be told apart with errors.Is.
var (
	ErrDimension = errors.New("wrong number of elements")
	ErrNotFinite = errors.New("an element is not a finite number")
	ErrNorm      = errors.New("length is zero or out of range")
)

// Format is how Vectors keeps each of its rows.
type Format int

const (
	// Float32 keeps a row exactly as it is given, in 4 bytes an element.
	Float32 Format = iota
	// Half rounds every element to half precision, in units of a power of two of
	// the row's own, so that it moves by at most 2⁻¹¹ of itself (2⁻³⁹ of the
	// greatest, if that is more): 2 bytes an element. A cosine moves by some 1e-5.
	Half
)

// Vectors is an immutable sequence of vectors of one dimension, numbered from 0
// in the order in which they were appended, each kept in one Format (not
// normalised) beside its length. Append makes a longer sequence that shares all
// storage with the shorter one, which stays valid: readers of any version and
// one that appends need no lock between them.
type Vectors struct {
	dim    int
	format Format
	n      int
	chunks []*chunk
}

// NewVectors is the empty sequence of vectors with dim elements each.
func NewVectors(dim int, format Format) *Vectors {
	if dim < 1 || format < Float32 || format > Half {
		panic(fmt.Sprintf("nearest: dimension %d, format %d", dim, format))
	}
	return &Vectors{dim: dim, format: format}
}

// Len is the number of vectors.
func (v *Vectors) Len() int { return v.n }

// Dim is the number of elements of each vector.
func (v *Vectors) Dim() int { return v.dim }

// Format is how the vectors are kept.
func (v *Vectors) Format() Format { return v.format }

// Row is the vector numbered id, as it is kept. It must not be changed. In Float32
// it is the stored row itself; in Half it is decoded into dst and lasts until dst
// is used again (a dst that is too short, such as nil, is replaced by a new one).
func (v *Vectors) Row(id int, dst []float32) []float32 {
	v.check(id)
	return v.chunks[id>>chunkBits].row(id&chunkMask, v.dim, dst)
}

// Norm is the Euclidean length of the vector numbered id, as it is kept.
func (v *Vectors) Norm(id int) float64 {
	v.check(id)
	return v.chunks[id>>chunkBits].norms[id&chunkMask]
}

// check keeps a version from showing what was appended after it.
func (v *Vectors) check(id int) {
	if uint(id) >= uint(v.n) {
		panic(fmt.Sprintf("nearest: vector %d of %d", id, v.n))
	}
}

// Check says whether Append would take row, and if not, why.
func (v *Vectors) Check(row []float32) error {
	if len(row) != v.dim {
		return fmt.Errorf("vector has %d elements, want %d: %w", len(row), v.dim, ErrDimension)
	}
	if !vec.Finite(row) {
		return fmt.Errorf("vector: %w", ErrNotFinite)
	}
	if n := vec.Norm(row); n < minNorm || n > maxNorm {
		return fmt.Errorf("vector of length %g, want %g to %g: %w", n, minNorm, maxNorm, ErrNorm)
	}
	return nil
}

// Append is the sequence v followed by a copy of row, which gets the number
// v.Len(). It costs O(dim). Appending twice to the same version is allowed and
// gives two sequences that go separate ways; the second copies one chunk.
func (v *Vectors) Append(row []float32) (*Vectors, error) {
	if err := v.Check(row); err != nil {
		return nil, err
	}
	w := v.longer()
	w.chunks[len(w.chunks)-1].put(v.n&chunkMask, row)
	return w, nil
}

// longer is v with room for one more, which its last chunk holds and the caller
// has to write.
func (v *Vectors) longer() *Vectors {
	w := &Vectors{dim: v.dim, format: v.format, n: v.n + 1, chunks: v.chunks}
	at := v.n & chunkMask
	if at == 0 {
		w.chunks = append(slices.Clip(v.chunks), newChunk(v.dim, v.format, 0))
	}
	last := len(w.chunks) - 1
	if !w.chunks[last].used.CompareAndSwap(int32(at), int32(at+1)) {
		w.chunks = slices.Clone(w.chunks)
		w.chunks[last] = w.chunks[last].branch(v.dim, v.format, at)
	}
	return w
}
