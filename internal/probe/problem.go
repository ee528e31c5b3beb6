package probe

import (
	"fmt"
	"math"
	"slices"

	"fieldmark/internal/vec"
)

// problem is f and its gradient over θ = (W, b′), K·D + K numbers, where
// b′ = b + Wμ and μ is the mean exemplar: f is the same function of either
// intercept, but embeddings lie far from the origin, and centring them makes W
// and b′ all but independent of each other.
type problem struct {
	rows    [][]float32 // N × D
	y       []int32     // N, index of each exemplar's class
	mean    []float32   // D
	classes []int32     // K labels, ascending
	k, d    int
	c       float64
	// workers share the work in such a way that their number does not change
	// the result by a bit.
	workers int
}

func (p *problem) size() int { return p.k*p.d + p.k }

// meanOf is μ. It need not be exact: any centre gives the same f.
func meanOf(rows [][]float32, d int) []float32 {
	sum := make([]float64, d)
	for _, r := range rows {
		vec.Axpy(1, r, sum)
	}
	mean := make([]float32, d)
	for i, s := range sum {
		mean[i] = float32(s / float64(len(rows)))
	}
	return mean
}

// gather reads the data, and numbers its labels in ascending order.
func gather(data Data, opts Options) (*problem, error) {
	n := data.Len()
	p := &problem{rows: make([][]float32, n), y: make([]int32, n), c: opts.C, workers: opts.Workers}
	labels := make([]int32, n)
	for i := range n {
		p.rows[i], labels[i] = data.Row(i), data.Label(i)
		if len(p.rows[i]) != len(p.rows[0]) || len(p.rows[0]) == 0 {
			return nil, fmt.Errorf("probe: exemplar %d has %d elements, the first has %d", i, len(p.rows[i]), len(p.rows[0]))
		}
	}
	p.d = len(p.rows[0])
	if opts.Warm != nil && opts.Warm.dim != p.d {
		return nil, fmt.Errorf("probe: exemplars of %d elements, a model of %d to start from", p.d, opts.Warm.dim)
	}
	p.mean = meanOf(p.rows, p.d)

	classes := slices.Clone(labels)
	slices.Sort(classes)
	classes = slices.Clip(slices.Compact(classes))
	for i, label := range labels {
		k, _ := slices.BinarySearch(classes, label)
		p.y[i] = int32(k)
	}
	p.classes, p.k = classes, len(classes)
	return p, nil
}

// start is θ of the warm model; cold, W = 0 and b′ = log class frequencies,
// which is the best b′ for that W. A class that the warm model does not know
// gets zero weights and the intercept of its least likely class.
func (p *problem) start(warm *Model) []float64 {
	theta := make([]float64, p.size())
	w, b := theta[:p.k*p.d], theta[p.k*p.d:]
	if warm == nil {
		count := make([]float64, p.k)
		for _, k := range p.y {
			count[k]++
		}
		for k, c := range count {
			b[k] = math.Log(c / float64(len(p.y)))
		}
		return theta
	}

	lowest := math.Inf(1)
	at := make([]float64, len(warm.classes)) // b′ of the warm model
	for i := range warm.classes {
		row, bi := warm.Weights(i)
		at[i] = bi + vec.DotWide(row, p.mean)
		lowest = min(lowest, at[i])
	}
	for k, label := range p.classes {
		b[k] = lowest
		if i, ok := slices.BinarySearch(warm.classes, label); ok {
			row, _ := warm.Weights(i)
			vec.Axpy(1, row, w[k*p.d:(k+1)*p.d])
			b[k] = at[i]
		}
	}
	return theta
}

// model rounds W to single precision, and makes of b′ the b that goes with the
// rounded W.
func (p *problem) model(theta []float64) *Model {
	m := &Model{dim: p.d, classes: p.classes, w: make([]float32, p.k*p.d), b: slices.Clone(theta[p.k*p.d:])}
	for i := range m.w {
		m.w[i] = float32(theta[i])
	}
	for k := range m.b {
		row, _ := m.Weights(k)
		m.b[k] -= vec.DotWide(row, p.mean)
	}
	centre(m.b)
	return m
}
