package nearest

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"fieldmark/internal/vec"
)

func TestHalfRowsAreNearToWhatWasGiven(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, length := range []float64{2e-15, 1e-6, 1, 10, 65504, 9e14} {
		row := make([]float32, 37)
		for range 50 {
			most := 0.0
			for d := range row {
				row[d] = float32(r.NormFloat64() * math.Exp(-8*r.Float64()))
			}
			row[3] = 0
			vec.Normalize(row)
			vec.Scale(length, row)
			for _, x := range row {
				most = max(most, math.Abs(float64(x)))
			}
			v, err := NewVectors(len(row), Half).Append(row)
			if err != nil {
				t.Fatal(err)
			}
			got := v.Row(0, nil)
			for d, x := range row {
				bound := math.Max(math.Abs(float64(x))*0x1p-11, most*0x1p-39)
				if diff := math.Abs(float64(got[d]) - float64(x)); diff > bound {
					t.Fatalf("element %v became %v", x, got[d])
				}
			}
			if norm := vec.Norm(got); v.Norm(0) != norm {
				t.Fatalf("length %v, want %v", v.Norm(0), norm)
			}
			again, err := NewVectors(len(row), Half).Append(got)
			if err != nil || !slices.Equal(again.Row(0, nil), got) {
				t.Fatalf("a row that was rounded is rounded again: %v", err)
			}
		}
	}
}

func TestRowDecodesIntoWhatItIsGiven(t *testing.T) {
	v := NewVectors(3, Half)
	for _, row := range [][]float32{{1, 2, 3}, {4, 5, 6}} {
		v, _ = v.Append(row)
	}
	room := make([]float32, 5)
	if got := v.Row(1, room); !slices.Equal(got, []float32{4, 5, 6}) || &got[0] != &room[0] {
		t.Errorf("Row gave %v", got)
	}
	if got := v.Row(0, make([]float32, 2)); !slices.Equal(got, []float32{1, 2, 3}) {
		t.Errorf("with too little room: %v", got)
	}
}

// The answer of a scan over halves is that of double precision over the rows as
// they are kept.
func TestExactOverHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{1, 256, 2500} {
		rows := clustered(r, n, 24)
		v := NewVectors(24, Half)
		for _, row := range rows {
			v, _ = v.Append(row)
		}
		for i := range rows {
			rows[i] = slices.Clone(v.Row(i, nil))
		}
		for range 10 {
			q := rows[r.IntN(n)]
			for _, keep := range []func(int) bool{nil, func(id int) bool { return id%5 == 1 }} {
				want := oracle(rows, q, 9, keep)
				if err := equal(Exact{Vectors: v, Workers: 2}.Search(q, 9, keep), want); err != nil {
					t.Fatal(err)
				}
				var ids []int
				for id := range n {
					if keep == nil || keep(id) {
						ids = append(ids, id)
					}
				}
				if err := equal(Exact{Vectors: v}.Among(q, 9, ids), want); err != nil {
					t.Fatalf("Among: %v", err)
				}
			}
		}
	}
}

func TestVersionsOfHalvesGoSeparateWays(t *testing.T) {
	base := NewVectors(2, Half)
	for i := range chunkRows + 5 {
		base, _ = base.Append([]float32{float32(i), 1})
	}
	a, _ := base.Append([]float32{7, 7})
	b, _ := base.Append([]float32{9, 0.5})
	if got := a.Row(chunkRows+5, nil); !slices.Equal(got, []float32{7, 7}) {
		t.Errorf("first branch: %v", got)
	}
	if got := b.Row(chunkRows+5, nil); !slices.Equal(got, []float32{9, 0.5}) {
		t.Errorf("second branch: %v", got)
	}
	for i := range base.Len() {
		if got := b.Row(i, nil); !slices.Equal(got, []float32{float32(i), 1}) || b.Norm(i) != base.Norm(i) {
			t.Fatalf("row %d of a branch is %v", i, got)
		}
	}
}

// Whoever branches off a chunk copies no more of it than its own version shows:
// the rest is another's, who may be writing there (for the race detector).
func TestBranchesBesideAWriter(t *testing.T) {
	for range 50 {
		v, err := NewVectors(4, Half).Append([]float32{1, 2, 3, 4})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for writer := range 2 {
			wg.Go(func() {
				w, row := v, []float32{1, float32(writer), 0, 0}
				for at := 1; at < 20; at++ {
					var err error
					if w, err = w.Append(row); err != nil {
						t.Error(err)
						return
					}
					if got := w.Row(at, nil); !slices.Equal(got, row) {
						t.Errorf("row %d is %v, want %v", at, got, row)
					}
				}
			})
		}
		wg.Wait()
	}
}
