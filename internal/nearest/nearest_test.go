package nearest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"sync"
	"testing"
)

// build appends every row.
func build(t testing.TB, dim int, rows [][]float32) *Vectors {
	t.Helper()
	v := NewVectors(dim, Float32)
	for i, r := range rows {
		var err error
		if v, err = v.Append(r); err != nil {
			t.Fatalf("row %d: %v", i, err)
		}
	}
	return v
}

// clustered draws n vectors around a few centres, with duplicates and scaled
// copies among them, as real memories have.
func clustered(r *rand.Rand, n, dim int) [][]float32 {
	centres := make([][]float64, 1+n/50)
	for i := range centres {
		centres[i] = make([]float64, dim)
		for d := range dim {
			centres[i][d] = r.NormFloat64()
		}
	}
	rows := make([][]float32, n)
	for i := range rows {
		rows[i] = make([]float32, dim)
		switch {
		case i > 0 && r.IntN(10) == 0:
			copy(rows[i], rows[r.IntN(i)])
		case i > 0 && r.IntN(10) == 0:
			for d, x := range rows[r.IntN(i)] {
				rows[i][d] = 2 * x
			}
		default:
			c := centres[r.IntN(len(centres))]
			for d := range dim {
				rows[i][d] = float32(c[d] + 0.5*r.NormFloat64())
			}
		}
	}
	return rows
}

// oracle sorts all kept vectors by cosine, computed in the plainest way.
func oracle(rows [][]float32, query []float32, k int, keep func(int) bool) []Neighbour {
	var all []Neighbour
	for id, r := range rows {
		if keep != nil && !keep(id) {
			continue
		}
		var dot, rr, qq float64
		for d := range r {
			dot += float64(r[d]) * float64(query[d])
			rr += float64(r[d]) * float64(r[d])
			qq += float64(query[d]) * float64(query[d])
		}
		cos := 0.0
		if qq > 0 {
			cos = dot / math.Sqrt(rr*qq)
		}
		all = append(all, Neighbour{id, cos})
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Cos > all[j].Cos+1e-14 })
	return all[:min(k, len(all))]
}

func equal(a, b []Neighbour) error {
	if len(a) != len(b) {
		return fmt.Errorf("%d neighbours, want %d", len(a), len(b))
	}
	for i := range a {
		if a[i].ID != b[i].ID || math.Abs(a[i].Cos-b[i].Cos) > 1e-13 {
			return fmt.Errorf("neighbour %d is %v, want %v", i, a[i], b[i])
		}
	}
	return nil
}

func TestExactAgainstOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	even := func(id int) bool { return id%2 == 0 }
	none := func(int) bool { return false }
	for _, n := range []int{1, 2, 9, 255, 256, 257, 700, 5000} {
		for _, dim := range []int{1, 3, 32} {
			if dim == 1 && n > 300 {
				continue
			}
			rows := clustered(r, n, dim)
			v := build(t, dim, rows)
			for _, k := range []int{1, 9, 40, n + 1} {
				for name, keep := range map[string]func(int) bool{"all": nil, "even": even, "none": none} {
					query := rows[r.IntN(n)]
					want := oracle(rows, query, k, keep)
					for _, workers := range []int{0, 1, 3} {
						got := Exact{Vectors: v, Workers: workers}.Search(query, k, keep)
						if err := equal(got, want); err != nil {
							t.Fatalf("n=%d dim=%d k=%d %s workers=%d: %v", n, dim, k, name, workers, err)
						}
					}
				}
			}
		}
	}
}

// Cosines that single precision cannot tell apart must still come in the order
// of their true values: row i leans away from the query by an angle that grows
// by 1e-6 a row towards the front, so that the last row is nearest.
func TestExactTellsNearTiesApart(t *testing.T) {
	const n = 500
	rows := make([][]float32, n)
	for i := range rows {
		rows[i] = []float32{1, float32(n-i) * 1e-6}
	}
	v := build(t, 2, rows)
	got := Exact{Vectors: v}.Search([]float32{1, 0}, 9, nil)
	for i, nb := range got {
		if nb.ID != n-1-i {
			t.Fatalf("neighbour %d is vector %d, want %d", i, nb.ID, n-1-i)
		}
	}
}

func TestSearchOfDegenerateQueries(t *testing.T) {
	v := build(t, 2, [][]float32{{1, 0}, {0, 1}, {1, 1}})
	zero := Exact{Vectors: v}.Search([]float32{0, 0}, 2, nil)
	if err := equal(zero, []Neighbour{{0, 0}, {1, 0}}); err != nil {
		t.Errorf("a query without direction: %v", err)
	}
	if got := (Exact{Vectors: v}).Search([]float32{1, 0}, 0, nil); got != nil {
		t.Errorf("k = 0 found %v", got)
	}
	if got := (Exact{Vectors: NewVectors(2, Float32)}).Search([]float32{1, 0}, 3, nil); got != nil {
		t.Errorf("an empty sequence holds %v", got)
	}
	huge := Exact{Vectors: v}.Search([]float32{0, 3e38}, 1, nil)
	if err := equal(huge, []Neighbour{{1, 1}}); err != nil {
		t.Errorf("a long query: %v", err)
	}
}

func TestAppendRefuses(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		row  []float32
		want error
	}{
		{[]float32{1}, ErrDimension},
		{nil, ErrDimension},
		{[]float32{inf, 1}, ErrNotFinite},
		{[]float32{inf - inf, 1}, ErrNotFinite},
		{[]float32{0, 0}, ErrNorm},
		{[]float32{1e-30, 0}, ErrNorm},
		{[]float32{1e30, 0}, ErrNorm},
	} {
		v := NewVectors(2, Float32)
		if _, err := v.Append(c.row); !errors.Is(err, c.want) {
			t.Errorf("Append(%v): %v, want %v", c.row, err, c.want)
		}
		if v.Len() != 0 {
			t.Errorf("a refused row was kept")
		}
	}
}

func TestVersionsGoSeparateWays(t *testing.T) {
	var rows [][]float32
	for i := range 2*chunkRows + 3 {
		rows = append(rows, []float32{float32(i + 1)})
	}
	for _, at := range []int{0, 1, chunkRows - 1, chunkRows, chunkRows + 1, 2 * chunkRows} {
		base := build(t, 1, rows[:at])
		a, _ := base.Append([]float32{1000})
		b, _ := base.Append([]float32{2000})
		a2, _ := a.Append([]float32{3000})
		got := []float32{a.Row(at, nil)[0], b.Row(at, nil)[0], a2.Row(at, nil)[0], a2.Row(at+1, nil)[0]}
		if want := []float32{1000, 2000, 1000, 3000}; !slices.Equal(got, want) {
			t.Errorf("after %d rows: %v, want %v", at, got, want)
		}
		if base.Len() != at || b.Len() != at+1 {
			t.Errorf("lengths %d and %d, want %d and %d", base.Len(), b.Len(), at, at+1)
		}
		for i := range at {
			if b.Row(i, nil)[0] != float32(i+1) || b.Norm(i) != float64(i+1) {
				t.Fatalf("row %d of a branch after %d is %v", i, at, b.Row(i, nil))
			}
		}
	}
}

// The race detector watches readers of every version while one appends.
func TestReadersBesideAWriter(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	rows := clustered(r, 3*chunkRows, 8)
	versions := make(chan *Vectors, len(rows))
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for v := range versions {
				want := oracle(rows[:v.Len()], rows[0], 3, nil)
				if err := equal(Exact{Vectors: v}.Search(rows[0], 3, nil), want); err != nil {
					t.Errorf("version of %d: %v", v.Len(), err)
				}
			}
		})
	}
	v := NewVectors(8, Float32)
	for i, row := range rows {
		v, _ = v.Append(row)
		if i%16 == 0 {
			versions <- v
		}
	}
	close(versions)
	wg.Wait()
}

func BenchmarkExact(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	rows := clustered(r, 20000, 512)
	v := build(b, 512, rows)
	for _, n := range []int{1000, 20000} {
		part := v
		if n < v.Len() {
			part = build(b, 512, rows[:n])
		}
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("n=%d/workers=%d", n, workers), func(b *testing.B) {
				for b.Loop() {
					Exact{Vectors: part, Workers: workers}.Search(rows[7], 9, nil)
				}
			})
		}
	}
}
