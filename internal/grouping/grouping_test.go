package grouping

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"
)

// unit rows around a few centres: scattered by spread.
func scattered(rnd *rand.Rand, n, d, centres int, spread float64) [][]float32 {
	middle := make([][]float64, centres)
	for c := range middle {
		for range d {
			middle[c] = append(middle[c], rnd.NormFloat64())
		}
	}
	rows := make([][]float32, n)
	for i := range rows {
		var square float64
		v := make([]float64, d)
		for j, m := range middle[rnd.IntN(centres)] {
			v[j] = m + spread*rnd.NormFloat64()
			square += v[j] * v[j]
		}
		for _, x := range v {
			rows[i] = append(rows[i], float32(x/math.Sqrt(square)))
		}
	}
	return rows
}

func dot(a, b []float32) (s float64) {
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}

// butina is the definition: again and again the free row with the most free
// neighbours, the first of equal ones.
func butina(rows [][]float32, threshold float64) []Group {
	taken := make([]bool, len(rows))
	var groups []Group
	for {
		var best Group
		for i := range rows {
			if taken[i] {
				continue
			}
			g := Group{Leader: i}
			for j := range rows {
				if j != i && !taken[j] && dot(rows[i], rows[j]) >= threshold {
					g.Members = append(g.Members, j)
				}
			}
			if len(g.Members) > len(best.Members) {
				best = g
			}
		}
		if len(best.Members) == 0 {
			return groups
		}
		slices.SortStableFunc(best.Members, func(a, b int) int {
			x, y := dot(rows[best.Leader], rows[a]), dot(rows[best.Leader], rows[b])
			switch {
			case x > y:
				return -1
			case x < y:
				return 1
			}
			return a - b
		})
		taken[best.Leader] = true
		for _, m := range best.Members {
			taken[m] = true
		}
		groups = append(groups, best)
	}
}

// decided says that no pair is so near to the threshold, and no two members of
// one leader are so alike, that rounding could decide.
func decided(rows [][]float32, threshold float64) bool {
	for i := range rows {
		var all []float64
		for j := range rows {
			c := dot(rows[i], rows[j])
			if j != i && math.Abs(c-threshold) < 1e-5 {
				return false
			}
			if j != i && c > threshold {
				all = append(all, c)
			}
		}
		slices.Sort(all)
		for k := 1; k < len(all); k++ {
			if all[k]-all[k-1] < 1e-6 {
				return false
			}
		}
	}
	return true
}

func TestAgainstTheDefinition(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	compared := 0
	for trial := range 60 {
		n, d := 1+rnd.IntN(230), 3+rnd.IntN(40)
		rows := scattered(rnd, n, d, 1+rnd.IntN(12), 0.2+rnd.Float64())
		threshold := 0.3 + 0.6*rnd.Float64()
		if !decided(rows, threshold) {
			continue
		}
		compared++
		want := butina(rows, threshold)
		for _, workers := range []int{0, 1, 3} {
			got, err := Find(rows, float32(threshold), workers)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("trial %d: %d rows, %d numbers, threshold %v, %d workers:\ngot  %v\nwant %v", trial, n, d, threshold, workers, got, want)
			}
		}
	}
	if compared < 20 {
		t.Fatalf("only %d trials were decided", compared)
	}
}

// By hand: rows 0, 1, 2 in a fan of 20° each, row 3 across. At cos 25° row 1 has
// two neighbours, 0 and 2 one each, 3 none: 1 leads, and 3 is left out. Rows 0
// and 2 are both 20° away, so 0 comes first.
func TestAFan(t *testing.T) {
	at := func(degrees float64) []float32 {
		s, c := math.Sincos(degrees * math.Pi / 180)
		return []float32{float32(c), float32(s)}
	}
	threshold := float32(math.Cos(25 * math.Pi / 180))
	got, err := Find([][]float32{at(0), at(20), at(40), at(130)}, threshold, 1)
	if want := []Group{{Leader: 1, Members: []int{0, 2}}}; err != nil || got[0].Leader != 1 || len(got) != 1 ||
		!slices.Equal(slices.Sorted(slices.Values(got[0].Members)), want[0].Members) {
		t.Errorf("%v, %v", got, err)
	}
}

func TestNothingAndUnequalRows(t *testing.T) {
	if got, err := Find(nil, 0.5, 2); got != nil || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := Find([][]float32{{1, 0}, {1}}, 0.5, 2); err == nil {
		t.Error("rows of unequal length are taken")
	}
}

func BenchmarkFind(b *testing.B) {
	for _, n := range []int{1000, 3000, 5000} {
		rows := scattered(rand.New(rand.NewPCG(3, 4)), n, 512, n/12, 0.5)
		b.Run(fmt.Sprintf("rows=%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := Find(rows, 0.75, runtime.GOMAXPROCS(0)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
