package eval

import (
	"context"
	"fmt"
	"math"

	"fieldmark/internal/nearest"
	"fieldmark/internal/probe"
	"fieldmark/internal/vec"
)

// memory is what the exemplars of one Stage know: every system of METHOD
// section 3, the trees by their given partitions.
type memory struct {
	stage  Stage
	nLabel int
	label  []int // of each exemplar, in the order of insertion
	index  nearest.Exact
	lin    *probe.Model
	leaves [][]*probe.Model // for each of stage.Partitions, by leaf
}

// reading is what a memory says of one image. Distributions are log p over all
// labels of the pack, -Inf where unknown.
type reading struct {
	neighbours []nearest.Neighbour
	lin        []float64
	trees      []treeReading // for each of stage.Partitions
}

// treeReading is the ensemble's log p_e, and the label that the leaf of each
// neighbour predicts.
type treeReading struct {
	logP      []float64
	predicted []int
}

// newMemory fits every probe of a stage to convergence.
func newMemory(ctx context.Context, p *Pack, s Stage, workers int) (*memory, error) {
	m := &memory{stage: s, nLabel: len(p.Labels)}
	rows := nearest.NewVectors(len(p.Texts[0]), nearest.Float32)
	for _, id := range s.Exemplars {
		var err error
		if rows, err = rows.Append(p.Exemplars[id]); err != nil {
			return nil, err
		}
		m.label = append(m.label, p.ExemplarLabel[id])
	}
	m.index = nearest.Exact{Vectors: rows}
	all := make([]int, len(s.Exemplars))
	for i := range all {
		all[i] = i
	}
	var err error
	if m.lin, err = m.fit(ctx, p.C, all, workers); err != nil {
		return nil, err
	}
	for _, part := range s.Partitions {
		members := map[int][]int{}
		n := 0
		for i, leaf := range part.LeafOf {
			members[leaf] = append(members[leaf], i)
			n = max(n, leaf+1)
		}
		leaves := make([]*probe.Model, n)
		for l := range leaves {
			if leaves[l], err = m.fit(ctx, p.C, members[l], workers); err != nil {
				return nil, fmt.Errorf("ψ = %d, leaf %d: %w", part.Psi, l, err)
			}
		}
		m.leaves = append(m.leaves, leaves)
	}
	return m, nil
}

// read asks every system about v.
func (m *memory) read(v []float32, k int) reading {
	r := reading{neighbours: m.index.Search(v, k, nil), lin: m.spread(probe.Distribution{})}
	if m.lin != nil {
		r.lin = m.spread(m.lin.Predict(v))
	}
	for t, part := range m.stage.Partitions {
		of := map[int][]float64{} // log p of each retrieved leaf
		var tr treeReading
		sum := make([]float64, m.nLabel)
		for _, nb := range r.neighbours {
			leaf := part.LeafOf[nb.ID]
			if of[leaf] == nil {
				of[leaf] = m.spread(m.leaves[t][leaf].Predict(v))
			}
			tr.predicted = append(tr.predicted, vec.ArgMax(of[leaf]))
			for y, l := range of[leaf] {
				sum[y] += math.Exp(l) / float64(len(r.neighbours))
			}
		}
		for y, s := range sum {
			sum[y] = math.Log(s)
		}
		tr.logP = sum
		r.trees = append(r.trees, tr)
	}
	return r
}

// spread lays a distribution out over all labels.
func (m *memory) spread(d probe.Distribution) []float64 {
	out := make([]float64, m.nLabel)
	for y := range out {
		out[y] = math.Inf(-1)
	}
	for i, y := range d.Labels {
		out[y] = d.LogP[i]
	}
	return out
}

// fit converges a probe over the given exemplars of the stage.
func (m *memory) fit(ctx context.Context, c float64, members []int, workers int) (*probe.Model, error) {
	model, report, err := probe.Fit(ctx, subset{m, members}, probe.Options{C: c, Workers: workers})
	if err == nil && !report.Converged {
		err = fmt.Errorf("the probe over %d exemplars did not converge: gradient %g", len(members), report.GradNorm)
	}
	return model, err
}

// subset is some exemplars of a memory as the data of a probe.
type subset struct {
	m       *memory
	members []int
}

func (s subset) Len() int            { return len(s.members) }
func (s subset) Row(i int) []float32 { return s.m.index.Vectors.Row(s.members[i], nil) }
func (s subset) Label(i int) int32   { return int32(s.m.label[s.members[i]]) }
