package tree

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// many repeats a few thousand distinct embeddings, each a little moved.
func many(n, dim, labels int) data {
	r := rand.New(rand.NewPCG(1, 1))
	d := exemplars(r, min(n, 4000), dim, labels)
	for i := len(d.rows); i < n; i++ {
		from := r.IntN(4000)
		row := make([]float32, dim)
		for j, v := range d.rows[from] {
			row[j] = v + float32(0.1*r.NormFloat64())
		}
		d.rows, d.labels = append(d.rows, row), append(d.labels, d.labels[from])
	}
	return d
}

// One insertion, published: what a correction costs before any fitting.
func BenchmarkInsert(b *testing.B) {
	for _, s := range []struct{ n, psi int }{{1000, 50000}, {20000, 50000}, {20000, 500}} {
		d := many(s.n, 512, 100)
		tree := fold(b, d, Params{Psi: s.psi})
		b.Run(fmt.Sprintf("n=%d/psi=%d", s.n, s.psi), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if _, _, err := tree.Insert(d.labels[i%s.n], d.rows[i%s.n]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFold(b *testing.B) {
	for _, s := range []struct{ n, psi int }{{20000, 50000}, {20000, 500}} {
		d := many(s.n, 512, 100)
		b.Run(fmt.Sprintf("n=%d/psi=%d", s.n, s.psi), func(b *testing.B) {
			for b.Loop() {
				fold(b, d, Params{Psi: s.psi, Workers: 2})
			}
		})
	}
}

func BenchmarkSplit(b *testing.B) {
	d := many(20000, 512, 100)
	tree := fold(b, d, Params{})
	for b.Loop() {
		twoMeans(tree.vectors, tree.leafAt(0).members.list(), 2)
	}
}
