package probe

import (
	"fmt"
	"testing"
)

func BenchmarkColdFit(b *testing.B) {
	for _, s := range []struct{ n, k int }{{50, 10}, {2000, 50}, {20000, 50}} {
		data := embeddings(s.n, s.k, 512, 1)
		b.Run(fmt.Sprintf("N=%d/K=%d", s.n, s.k), func(b *testing.B) {
			for b.Loop() {
				_, r := fit(b, data, Options{Workers: 2})
				b.ReportMetric(float64(r.Iterations), "steps")
			}
		})
	}
}

// A fit after one more exemplar, from the model before it.
func BenchmarkWarmFit(b *testing.B) {
	for _, s := range []struct{ n, k int }{{50, 10}, {2000, 50}} {
		data := embeddings(s.n, s.k, 512, 1)
		before, _ := fit(b, set{data.rows[:s.n-1], data.labels[:s.n-1]}, Options{Workers: 2})
		b.Run(fmt.Sprintf("N=%d/K=%d", s.n, s.k), func(b *testing.B) {
			for b.Loop() {
				_, r := fit(b, data, Options{Workers: 2, Warm: before})
				b.ReportMetric(float64(r.Iterations), "steps")
			}
		})
	}
}
