package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"fieldmark/internal/identify/identifytest"
	"fieldmark/internal/nearest"
	"fieldmark/internal/probe"
	"fieldmark/internal/tree"
)

// leafSize is how many exemplars a leaf has, and with how many labels.
type leafSize struct{ n, k int }

func (s leafSize) String() string { return fmt.Sprintf("ψ = %s, K = %s", count(s.n), count(s.k)) }

// fullLeaf is one leaf of ψ exemplars, as the product keeps them, and what is asked
// of it.
type fullLeaf struct {
	tree  *tree.Tree
	leaf  int
	held  [][]float32
	draw  *identifytest.Exemplars
	after int // the first exemplar that is neither in the leaf nor held out
}

// newLeaf fills a leaf. There is room for further exemplars.
func (b *bench) newLeaf(size leafSize) (*fullLeaf, error) {
	n := size.n
	l := &fullLeaf{draw: identifytest.NewExemplars(b.seed, b.dim, size.k, 0), after: n + b.held}
	t, err := tree.New(b.dim, tree.Params{Psi: n + b.lessons + 1, Workers: b.workers, Format: nearest.Half})
	if err != nil {
		return nil, err
	}
	e := t.Edit()
	for i := range n {
		x, label := l.draw.At(i)
		if _, err := e.Insert(int32(label), x); err != nil {
			return nil, err
		}
	}
	l.tree = e.Tree()
	l.leaf = l.tree.LeafOf(0)
	for i := range b.held {
		x, _ := l.draw.At(n + i)
		l.held = append(l.held, x)
	}
	return l, nil
}

// spent is what something took: by the clock, and of all processors.
type spent struct{ clock, processors time.Duration }

// MarshalJSON implements json.Marshaler: two numbers of nanoseconds.
func (s spent) MarshalJSON() ([]byte, error) {
	return json.Marshal([2]time.Duration{s.clock, s.processors})
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *spent) UnmarshalJSON(data []byte) error {
	var both [2]time.Duration
	err := json.Unmarshal(data, &both)
	s.clock, s.processors = both[0], both[1]
	return err
}

func (s spent) plus(o spent) spent { return spent{s.clock + o.clock, s.processors + o.processors} }

// consolidate brings the leaf to its optimum.
func (l *fullLeaf) consolidate(ctx context.Context, workers int) (tree.Fitted, spent, error) {
	start, used := time.Now(), processorTime()
	f, err := l.tree.Fit(ctx, l.leaf, probe.Options{Workers: workers})
	took := spent{time.Since(start), processorTime() - used}
	if err == nil && !f.Report.Converged {
		err = fmt.Errorf("the fit ended with a gradient of %.1e", f.Report.GradNorm)
	}
	return f, took, err
}

// top1 is a model's likeliest label for each held-out query.
func (l *fullLeaf) top1(m *probe.Model) []int32 {
	labels := make([]int32, len(l.held))
	for i, x := range l.held {
		labels[i], _ = m.Predict(x).Best()
	}
	return labels
}

// mistakes are up to n exemplars beyond the leaf that a model names wrongly: what
// people correct. Where a model makes too few mistakes, others fill up.
func (l *fullLeaf) mistakes(m *probe.Model, n int) []int {
	var wrong, right []int
	for i := l.after; len(wrong) < n && i < l.after+20*n; i++ {
		x, label := l.draw.At(i)
		if best, _ := m.Predict(x).Best(); int(best) != label {
			wrong = append(wrong, i)
		} else {
			right = append(right, i)
		}
	}
	return append(wrong, right[:min(len(right), n-len(wrong))]...)
}

// alike is the share of equal labels.
func alike(a, b []int32) float64 {
	if len(a) != len(b) || len(a) == 0 {
		return math.NaN()
	}
	same := 0
	for i := range a {
		if a[i] == b[i] {
			same++
		}
	}
	return float64(same) / float64(len(a))
}
