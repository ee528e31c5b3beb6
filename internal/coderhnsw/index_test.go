package coderhnsw

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"fieldmark/internal/nearest"
	"fieldmark/internal/nearest/nearesttest"
)

func stored(t testing.TB, c *nearesttest.Clustered, n int) *nearest.Vectors {
	t.Helper()
	v := nearest.NewVectors(c.Dim(), nearest.Half)
	var err error
	for i := range n {
		if v, err = v.Append(c.Row(i, nil)); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

// What it finds may be the wrong neighbours, but must be told rightly.
func TestAnswersAreInOrderAndKept(t *testing.T) {
	seq := nearesttest.NewClustered(1, 16, 5)
	v := stored(t, seq, 700)
	x := New(1, 40)
	for _, taken := range []int{0, 500} {
		x.Extend(v, taken)
		for i := range 50 {
			q := seq.Row(10_000+i, nil)
			for name, keep := range map[string]func(int) bool{
				"all": nil, "third": func(id int) bool { return id%3 == 0 }, "two": func(id int) bool { return id < 2 },
			} {
				exact := nearest.Exact{Vectors: v}.Search(q, v.Len(), keep)
				got := x.Of(v).Search(q, 9, keep)
				if len(got) != min(9, len(exact)) || taken == 0 && !slices.Equal(got, exact[:len(got)]) {
					t.Fatalf("%d taken in, %s: %v", taken, name, got)
				}
				at := -1
				for _, nb := range got { // each is one of the exact answer's, and they come in its order
					next := slices.Index(exact, nb)
					if next <= at {
						t.Fatalf("%d taken in, %s: %v is not in order, or not right", taken, name, nb)
					}
					at = next
				}
			}
		}
	}
	row := v.Row(650, nil) // not taken in
	if got := x.Of(v).Search(row, 1, nil); len(got) != 1 || got[0].ID != 650 {
		t.Errorf("the tail is not scanned: %v", got)
	}
}

var benchN = flag.Int("n", 10_000, "vectors that the benchmark stores")

// BenchmarkSearch reports the share of the true nine nearest that are found.
func BenchmarkSearch(b *testing.B) {
	seq := nearesttest.NewClustered(1, 512, max(10, *benchN/333))
	v := stored(b, seq, *benchN)
	x := New(1, 20)
	x.Extend(v, v.Len())
	const queries = 100
	for _, width := range []int{20, 100, 400} {
		x.graph.EfSearch = width
		b.Run(fmt.Sprintf("n=%d/width=%d", *benchN, width), func(b *testing.B) {
			found := 0
			for i := range queries {
				q := seq.Row(1<<30+i, nil)
				want := nearest.Exact{Vectors: v}.Search(q, 9, nil)
				for _, nb := range x.Of(v).Search(q, 9, nil) {
					if slices.Contains(want, nb) {
						found++
					}
				}
			}
			i := 0
			for b.Loop() {
				x.Of(v).Search(seq.Row(1<<30+i%queries, nil), 9, nil)
				i++
			}
			b.ReportMetric(float64(found)/(9*queries), "recall")
		})
	}
}
