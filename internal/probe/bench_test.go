package probe

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func BenchmarkColdFit(b *testing.B) {
	for _, s := range []struct{ n, k int }{{50, 10}, {2000, 50}, {20000, 50}, {50000, 100}} {
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

// One correction of a full leaf, beside what it stands for: fits of all of it, cold
// and from the optimum before, timed in the same run. After a hundred corrections
// the model is compared with the optimum on 2,000 further vectors.
func BenchmarkStroke(b *testing.B) {
	for _, k := range []int{100, 1000} {
		b.Run(fmt.Sprintf("N=50000/K=%d", k), func(b *testing.B) { benchmarkStroke(b, 50000, k) })
	}
}

func benchmarkStroke(b *testing.B, n, k int) {
	const lessons, held = 100, 2000
	data := embeddings(n+held, k, 512, 1)
	for i := n - lessons; i < n; i += 2 {
		data.labels[i] = data.labels[i+1] // a correction, more often than not
	}
	before := set{data.rows[:n-lessons], data.labels[:n-lessons]}
	after := set{data.rows[:n], data.labels[:n]}
	labels := slices.Clone(after.labels)
	slices.Sort(labels)
	labels = slices.Compact(labels)

	start := time.Now()
	base, _ := fit(b, before, Options{Workers: 2})
	cold := time.Since(start)
	curve, err := Curve(b.Context(), base, before, Options{Workers: 2})
	if err != nil {
		b.Fatal(err)
	}
	start = time.Now()
	optimum, _ := fit(b, after, Options{Workers: 2, Warm: base})
	warm := time.Since(start)

	var took []time.Duration
	var taught *Overlay
	i := 0
	overlay := NewOverlay(base, curve)
	for b.Loop() {
		start := time.Now()
		x := Exemplar{ID: i, X: after.rows[n-lessons+i], Label: after.labels[n-lessons+i]}
		overlay = overlay.Learn([]Exemplar{x}, nil, labels, 2)
		took = append(took, time.Since(start))
		if i++; i == lessons {
			i, taught, overlay = 0, overlay, NewOverlay(base, curve)
		}
	}
	slices.Sort(took)
	median := took[len(took)/2]
	b.ReportMetric(float64(took[len(took)*95/100])/1e6, "p95-ms")
	b.ReportMetric(float64(cold)/float64(median), "cold/stroke")
	b.ReportMetric(float64(warm)/float64(median), "warm/stroke")
	if taught != nil {
		b.ReportMetric(100*agreement(taught.Model(), optimum, data.rows[n:]), "%alike")
		b.ReportMetric(100*agreement(base, optimum, data.rows[n:]), "%alike-idle")
	}
}

// The first model of a leaf that was never fitted, by a beginning and by three
// steps of a fit, timed in the same run: how many of 2,000 further vectors they
// name right, and how much dearer the steps are.
func BenchmarkBegin(b *testing.B) {
	for _, k := range []int{100, 1000} {
		b.Run(fmt.Sprintf("N=20000/K=%d", k), func(b *testing.B) { benchmarkBegin(b, 20000, k) })
	}
}

func benchmarkBegin(b *testing.B, n, k int) {
	const held = 2000
	all := embeddings(n+held, k, 512, 1)
	data := set{all.rows[:n], all.labels[:n]}
	right := func(m *Model) float64 {
		named := 0
		for i := n; i < n+held; i++ {
			if label, _ := m.Predict(all.rows[i]).Best(); label == all.labels[i] {
				named++
			}
		}
		return 100 * float64(named) / held
	}
	var begun *Model
	for b.Loop() {
		var err error
		if begun, _, err = Begin(b.Context(), data, Options{Workers: 2}); err != nil {
			b.Fatal(err)
		}
	}
	began := b.Elapsed() / time.Duration(b.N)
	start := time.Now()
	steps, _ := fit(b, data, Options{Workers: 2, MaxIter: 3})
	b.ReportMetric(float64(time.Since(start))/float64(began), "steps/begin")
	b.ReportMetric(right(begun), "%right")
	b.ReportMetric(right(steps), "%right-steps")
}
