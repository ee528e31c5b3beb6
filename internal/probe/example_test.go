package probe_test

import (
	"context"
	"fmt"

	"fieldmark/internal/probe"
)

// points are exemplars of two elements.
type points struct {
	rows   [][]float32
	labels []int32
}

func (p points) Len() int            { return len(p.rows) }
func (p points) Row(i int) []float32 { return p.rows[i] }
func (p points) Label(i int) int32   { return p.labels[i] }

func ExampleFit() {
	data := points{rows: [][]float32{{9, 1}, {8, 2}, {1, 9}, {2, 8}}, labels: []int32{4, 4, 7, 7}}
	m, report, err := probe.Fit(context.Background(), data, probe.Options{})
	if err != nil {
		panic(err)
	}
	best, _ := m.Predict([]float32{7, 3}).Best()
	fmt.Println(m.Classes(), report.Converged, best)
	// Output: [4 7] true 4
}

// One lesson after the optimum, without going over the data again: the vector that was
// named 4 is taught as 9, which nothing was called before.
func ExampleOverlay_Learn() {
	ctx := context.Background()
	data := points{rows: [][]float32{{9, 1}, {8, 2}, {1, 9}, {2, 8}}, labels: []int32{4, 4, 7, 7}}
	m, _, err := probe.Fit(ctx, data, probe.Options{})
	if err != nil {
		panic(err)
	}
	c, err := probe.Curve(ctx, m, data, probe.Options{})
	if err != nil {
		panic(err)
	}
	x := []float32{9, 9}
	o := probe.NewOverlay(m, c).Learn([]probe.Exemplar{{ID: 4, X: x, Label: 9}}, nil, []int32{4, 7, 9}, 1)
	fmt.Println(m.Predict(x).Prob(9) == 0, o.Model().Predict(x).Prob(9) > 0, o.Model().Classes())
	// Output: true true [4 7 9]
}
