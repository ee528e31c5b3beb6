package protocol

import (
	"context"
	"fmt"

	"fieldmark/internal/fusion"
	"fieldmark/internal/nearest"
	"fieldmark/internal/probe"
	"fieldmark/internal/tree"
)

// example is an embedding and its label.
type example struct {
	label  int32
	vector []float32
}

// memory is an exemplar system that is taught and asked.
type memory interface {
	// place takes exemplars in; the classifiers follow by stroke or train.
	place(x []example) error
	// stroke lets the classifiers follow what was placed last at bounded cost, as
	// far as the system can.
	stroke(ctx context.Context) error
	// train brings every classifier to its optimum and returns how many stopped
	// short of it.
	train(ctx context.Context) (unconverged int, err error)
	// nearest are the k nearest exemplars, nearest first.
	nearest(v []float32, k int) []nearest.Neighbour
	// read asks the classifiers about v, as a system of this memory asks them.
	read(s System, v []float32, near []nearest.Neighbour) (reading, error)
	label(id int) int32
	// vector is the exemplar's raw embedding, not to be changed.
	vector(id int) []float32
	// bytes are those of the exemplars' vectors and labels, and of the classifiers.
	bytes() (exemplars, classifiers int)
}

// reading is what a memory's classifiers say of an image. The zero reading is
// that of a memory without classifiers.
type reading struct {
	p         probe.Distribution
	best      int32   // arg max of p, where it is one classifier's
	predicted []int32 // ŷ_j of each neighbour, where it is an ensemble's
}

// labelBytes is what an exemplar's label takes, an int32.
const labelBytes = 4

// alike says whether two systems are taught the same memory, and only ask it in
// different ways.
func (s System) alike(o System) bool {
	return s.isKNN() && o.isKNN() || s.Kind == o.Kind && !s.isTree() || s.isTree() && o.isTree() && s.Psi == o.Psi
}

// newMemory is an empty memory of vectors with dim elements, which finds neighbours
// by a graph if it is to. A LinProbe, which only the rules near and careful ask for any, has
// none. lessons says whether it will be taught single ones, by stroke.
func newMemory(s System, dim, workers int, graph, lessons bool) (memory, error) {
	var find finder
	if graph && s.Kind != fusion.LinProbe {
		g, err := nearest.NewGraph(dim, nearest.GraphParams{})
		if err != nil {
			return nil, err
		}
		find = finder{g, workers}
	}
	switch s.Kind {
	case fusion.KNNMV, fusion.KNNAvg, fusion.KNNWAvg:
		return newStoreOf(dim, find), nil
	case fusion.LinProbe:
		return &linProbe{store: *newStoreOf(dim, find), workers: workers}, nil
	case fusion.Tree, fusion.TreeSingle:
		t, err := tree.New(dim, tree.Params{Psi: s.Psi, Workers: workers, Batches: !lessons})
		return &treeProbe{tree: t, find: find, workers: workers}, err
	}
	return nil, fmt.Errorf("protocol: no memory for system %q", s.Kind)
}

// finder finds neighbours; the zero finder by a scan.
type finder struct {
	graph   *nearest.Graph
	workers int
}

// extend takes in what v has more than it had.
func (f finder) extend(v *nearest.Vectors) {
	if f.graph != nil {
		f.graph.Extend(v, v.Len(), f.workers)
	}
}

func (f finder) search(v *nearest.Vectors, query []float32, k int) []nearest.Neighbour {
	return nearest.Hybrid{Vectors: v, Graph: f.graph}.Search(query, k, nil)
}

// store is the exemplars alone: KNN.
type store struct {
	vectors *nearest.Vectors
	labels  []int32
	find    finder
}

func newStoreOf(dim int, find finder) *store {
	return &store{vectors: nearest.NewVectors(dim, nearest.Float32), find: find}
}

func (s *store) place(x []example) error {
	for _, e := range x {
		v, err := s.vectors.Append(e.vector)
		if err != nil {
			return err
		}
		s.vectors, s.labels = v, append(s.labels, e.label)
	}
	s.find.extend(s.vectors)
	return nil
}

func (s *store) stroke(context.Context) error       { return nil }
func (s *store) train(context.Context) (int, error) { return 0, nil }
func (s *store) label(id int) int32                 { return s.labels[id] }
func (s *store) vector(id int) []float32            { return s.vectors.Row(id, nil) }

func (s *store) nearest(v []float32, k int) []nearest.Neighbour {
	return s.find.search(s.vectors, v, k)
}

func (s *store) read(System, []float32, []nearest.Neighbour) (reading, error) {
	return reading{}, nil
}

func (s *store) bytes() (exemplars, classifiers int) {
	return s.vectors.Len() * (s.vectors.EncodedLen() + labelBytes), 0
}

// linProbe is one classifier over all exemplars.
type linProbe struct {
	store
	model   *probe.Model
	trained int // exemplars that model knows
	workers int
}

func (l *linProbe) Len() int            { return len(l.labels) }
func (l *linProbe) Row(i int) []float32 { return l.vectors.Row(i, nil) }
func (l *linProbe) Label(i int) int32   { return l.labels[i] }

func (l *linProbe) train(ctx context.Context) (int, error) {
	if l.trained == l.Len() {
		return 0, nil
	}
	m, report, err := probe.Fit(ctx, l, probe.Options{Warm: l.model, Workers: l.workers})
	if err != nil {
		return 0, err
	}
	l.model, l.trained = m, l.Len()
	if !report.Converged {
		return 1, nil
	}
	return 0, nil
}

func (l *linProbe) read(_ System, v []float32, _ []nearest.Neighbour) (reading, error) {
	d := l.model.Predict(v)
	best, _ := d.Best()
	return reading{p: d, best: best}, nil
}

func (l *linProbe) bytes() (exemplars, classifiers int) {
	exemplars, _ = l.store.bytes()
	return exemplars, weightBytes(l.model)
}

// weightBytes is what a classifier's weights and intercepts take as float32.
func weightBytes(m *probe.Model) int {
	if m == nil {
		return 0
	}
	return 4 * len(m.Classes()) * (m.Dim() + 1)
}
