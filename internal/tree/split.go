package tree

import (
	"math"
	"slices"
	"sync"

	"fieldmark/internal/nearest"
	"fieldmark/internal/vec"
)

// maxLloyd bounds Lloyd's iterations. It ends by itself, but in the worst case
// only after exponentially many; real embeddings need some tens. Beyond the bound
// the split stands as it is, which is as deterministic, only a little less tight.
const maxLloyd = 300

// twoMeans divides the vectors of the given numbers by 2-means, and says of each
// whether it goes to side 1. It is deterministic: centre 0 starts at the vector
// farthest from the mean, centre 1 at the one farthest from that (the first of
// several), then Lloyd's iteration until nothing moves. A vector as far from
// either centre goes to side 0; so, if all are equal, all do.
func twoMeans(vectors *nearest.Vectors, ids []int32, workers int) []bool {
	m := &clustering{vectors: vectors, ids: ids, workers: workers, far: make([]bool, len(ids))}
	mean := centroidOf(sumOf(vectors, ids), len(ids))
	for side := range m.centre {
		from := mean
		if side == 1 {
			from = m.centre[0]
		}
		m.centre[side] = wide(m.row(m.farthest(from)))
	}
	m.assign()
	for side := range m.sum {
		m.sum[side] = make([]float64, vectors.Dim())
	}
	for i, far := range m.far {
		m.add(i, far, 1)
	}
	for range maxLloyd {
		if m.n[0] == 0 || m.n[1] == 0 {
			break
		}
		m.centre[0], m.centre[1] = centroidOf(m.sum[0], m.n[0]), centroidOf(m.sum[1], m.n[1])
		moved := m.assign()
		if len(moved) == 0 {
			break
		}
		for _, i := range moved {
			m.add(i, !m.far[i], -1)
			m.add(i, m.far[i], 1)
		}
	}
	return m.far
}

// clustering is the state of Lloyd's iteration.
type clustering struct {
	vectors *nearest.Vectors
	ids     []int32
	workers int
	far     []bool // which vectors are on side 1
	centre  [2][]float64
	sum     [2][]float64 // of each side's vectors
	n       [2]int       // vectors on each side
	decoded []float32    // room for a row
}

// row is vector i, until row is called again.
func (m *clustering) row(i int) []float32 {
	m.decoded = m.vectors.Row(int(m.ids[i]), m.decoded)
	return m.decoded
}

// farthest is the index of the vector farthest from c, the first of several.
func (m *clustering) farthest(c []float64) int {
	best, most := 0, -1.0
	for i := range m.ids {
		if d := vec.SquaredDistance(m.row(i), c); d > most {
			best, most = i, d
		}
	}
	return best
}

// add counts vector i (or, with sign −1, no longer counts it) on a side.
func (m *clustering) add(i int, far bool, sign int) {
	side := 0
	if far {
		side = 1
	}
	vec.Axpy(float64(sign), m.row(i), m.sum[side])
	m.n[side] += sign
}

// assign sends every vector to the side of the nearer centre, and returns which
// have moved, ascending.
func (m *clustering) assign() []int {
	plane := newBisector(m.centre[0], m.centre[1])
	workers := max(1, min(m.workers, len(m.ids)/1024))
	moved := make([][]int, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			var row []float32
			for i := w * len(m.ids) / workers; i < (w+1)*len(m.ids)/workers; i++ {
				id := int(m.ids[i])
				row = m.vectors.Row(id, row)
				if far := plane.beyond(row, m.vectors.Norm(id)); far != m.far[i] {
					m.far[i] = far
					moved[w] = append(moved[w], i)
				}
			}
		})
	}
	wg.Wait()
	return slices.Concat(moved...)
}

// bisector is the plane of all points as far from centre 0 as from centre 1.
type bisector struct {
	centre0, centre1 []float64
	normal           []float32 // unit vector from 0 to 1, in single precision
	offset           float64   // distance of the plane from the origin, along normal
	usable           bool      // the centres are far enough apart for normal to mean something
	far, blur        float64   // the greater of the centres' lengths, and 8(n + 5)·u/apart: see beyond
}

func newBisector(c0, c1 []float64) bisector {
	b := bisector{centre0: c0, centre1: c1, normal: make([]float32, len(c0))}
	w := slices.Clone(c1)
	vec.Axpy(-1, c0, w)
	n0, n1, apart := vec.Norm(c0), vec.Norm(c1), vec.Norm(w)
	b.usable = apart > 1e-6*(n0+n1)
	b.far, b.blur = max(n0, n1), float64(len(c0)+5)*0x1p-50/apart
	for i, v := range w {
		b.normal[i] = float32(v / apart)
		b.offset += float64(v / apart * ((c0[i] + c1[i]) / 2))
	}
	return b
}

// beyond says whether x, of length norm, is nearer to centre 1 than to centre 0.
// Single precision tells at a tenth of the cost for all x that are not within
// rounding of the plane; those are measured exactly, so that the answer is that
// of double precision always.
//
// Rounding is that of single precision, in Dot and in normal, and that of double
// precision: with u = 2⁻⁵³ and n elements a squared distance is right to
// (n/4 + 5)·u of itself, hence their difference, which is 2·apart times the distance
// from the plane, to 2(n/4 + 5)·u·(norm + far)²; offset, to 2(n + 5)·u·far, where
// far ≤ 2·far²/apart. Together that is less than 5(n + 5)·u·(norm + far)²/apart.
func (b *bisector) beyond(x []float32, norm float64) bool {
	if b.usable {
		along := float64(vec.Dot(b.normal, x)) - b.offset
		doubt := 2*norm*(vec.DotError(len(x))+0x1p-22) + b.blur*(norm+b.far)*(norm+b.far)
		if math.Abs(along) > doubt {
			return along > 0
		}
	}
	return vec.SquaredDistance(x, b.centre1) < vec.SquaredDistance(x, b.centre0)
}

// wide is x in double precision.
func wide(x []float32) []float64 {
	out := make([]float64, len(x))
	vec.Axpy(1, x, out)
	return out
}
