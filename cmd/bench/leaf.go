package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"

	"fieldmark/internal/identify/identifytest"
	"fieldmark/internal/nearest"
	"fieldmark/internal/probe"
	"fieldmark/internal/tree"
)

// fullLeaf is one leaf of ψ exemplars, as the product keeps them, and what is asked
// of it.
type fullLeaf struct {
	tree  *tree.Tree
	leaf  int
	held  [][]float32
	draw  *identifytest.Exemplars
	after int // the first exemplar that is neither in the leaf nor held out
}

// newLeaf fills a leaf of so many exemplars with k labels. There is room for
// further ones.
func (b *bench) newLeaf(k, n int) (*fullLeaf, error) {
	l := &fullLeaf{draw: identifytest.NewExemplars(b.seed, b.dim, k, 0), after: n + b.held}
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

// consolidate brings the leaf to its optimum.
func (l *fullLeaf) consolidate(ctx context.Context, workers int) (tree.Fitted, time.Duration, error) {
	start := time.Now()
	f, err := l.tree.Fit(ctx, l.leaf, probe.Options{Workers: workers})
	took := time.Since(start)
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

// refit is what scikit-learn says of the leaf with k labels and of its refits;
// it is asked once a run. The error is errMissing's if it is not there.
func (b *bench) refit(ctx context.Context, k int) ([]found, error) {
	if list, there := b.refits[k]; there {
		return list, nil
	}
	if why, there := b.missing[k]; there {
		return nil, errMissing(why)
	}
	list, err := b.askRefit(ctx, k)
	if err != nil {
		b.missing[k] = missing(err)
		return nil, err
	}
	b.refits[k] = list
	return list, nil
}

func (b *bench) askRefit(ctx context.Context, k int) ([]found, error) {
	if !slices.Contains(b.peers.wanted, scikit) {
		return nil, errMissing("not asked")
	}
	l, err := b.newLeaf(k, b.leaf)
	if err != nil {
		return nil, err
	}
	data := l.tree.Members(l.leaf)
	n := data.Len()
	more, label := l.draw.At(l.after)
	labels := make([]int32, n+1)
	for i := range n {
		labels[i] = data.Label(i)
	}
	labels[n] = int32(label)
	m := meta{Dim: b.dim, C: probe.DefaultC}
	if err := m.write(b.scratch); err != nil {
		return nil, err
	}
	if err := writeInts(filepath.Join(b.scratch, "leaf_labels.i32"), labels); err != nil {
		return nil, err
	}
	err = writeRows(filepath.Join(b.scratch, "leaf.f32"), n+1, func(i int) []float32 {
		if i < n {
			return data.Row(i)
		}
		return more
	})
	if err != nil {
		return nil, err
	}
	if err := writeRows(filepath.Join(b.scratch, "held.f32"), len(l.held), func(i int) []float32 { return l.held[i] }); err != nil {
		return nil, err
	}
	b.tell("scikit-learn: N = %d, K = %d, cold and warm", n, k)
	return b.peers.ask(ctx, scikit, "probe", b.scratch, b.workers)
}

// refitFigures are scikit-learn's times for a leaf, as peers of a row.
func (b *bench) refitFigures(ctx context.Context, k int) []figure {
	list, err := b.refit(ctx, k)
	figures := []figure{{name: scikit + " cold"}, {name: scikit + " warm"}}
	for i, what := range []string{"cold", "warm"} {
		if f, there := pick(list, what); there {
			figures[i].value = f.Seconds
			figures[i].note = fmt.Sprintf("%d iterations", f.Iterations)
		} else {
			figures[i].missing = missing(err)
		}
	}
	return figures
}
