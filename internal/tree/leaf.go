package tree

import (
	"cmp"
	"math"
	"slices"

	"fieldmark/internal/nearest"
	"fieldmark/internal/probe"
	"fieldmark/internal/vec"
)

// node is a node of the clustering tree: an inner one with two children, or a
// leaf.
type node struct {
	owner *owner
	// centroid is the mean of a leaf's members: of those that it last had, if it
	// is empty now. It is nil in a root that never had any. In an inner node it is
	// the mean at the time of the split: it routes, and does not follow what is
	// inserted below.
	centroid    []float64
	left, right int   // numbers of an inner node's children
	leaf        *leaf // nil in an inner node
}

// leaf is what a node knows as long as it is a leaf.
type leaf struct {
	members  roll         // numbers of its exemplars
	sum      []float64    // of the members' embeddings
	counts   []labelCount // of the members' labels, ascending by label
	revision uint64       // counts the changes of members
	stuck    bool         // it could not be split: all members are equal
	returned uint64       // revision at which a member last came back, or got another label, under its old number

	model  *probe.Model // nil: not fitted yet
	fitted uint64       // revision that model was fitted on
	done   bool         // model is the optimum there
	f      float64      // objective that model reached there, if it is not
	live   live         // how the model follows single lessons
}

type labelCount struct {
	label int32
	n     int32
}

// stale says whether the model is not the optimum for the present members.
func (l *leaf) stale() bool { return !l.done || l.fitted != l.revision }

// clone is a leaf that may be changed without l noticing.
func (l *leaf) clone() *leaf {
	c := *l
	c.members = l.members.clone()
	c.sum = slices.Clone(l.sum)
	c.counts = slices.Clone(l.counts)
	return &c
}

// count adds d to the number of members with a label, and returns the result.
func (l *leaf) count(label, d int32) int32 {
	i, ok := slices.BinarySearchFunc(l.counts, label, func(c labelCount, label int32) int {
		return cmp.Compare(c.label, label)
	})
	if !ok {
		l.counts = slices.Insert(l.counts, i, labelCount{label: label})
	}
	l.counts[i].n += d
	n := l.counts[i].n
	if n == 0 {
		l.counts = slices.Delete(l.counts, i, i+1)
	}
	return n
}

// labels are those that members have, ascending.
func (l *leaf) labels() []int32 {
	out := make([]int32, len(l.counts))
	for i, c := range l.counts {
		out[i] = c.label
	}
	return out
}

// has says whether a member has the label.
func (l *leaf) has(label int32) bool {
	_, ok := slices.BinarySearchFunc(l.counts, label, func(c labelCount, label int32) int {
		return cmp.Compare(c.label, label)
	})
	return ok
}

// changed notes that members have changed. Where none or one label is left, the
// optimum is known without a fit.
func (l *leaf) changed(dim int) {
	l.revision++
	switch len(l.counts) {
	case 0:
		l.adopt(nil)
	case 1:
		label := l.counts[0].label
		if !slices.Equal(l.model.Classes(), []int32{label}) {
			l.model = probe.Constant(dim, label)
		}
		l.adopt(l.model)
	}
}

// adopt makes m the optimum for the present members.
func (l *leaf) adopt(m *probe.Model) { l.model, l.fitted, l.done = m, l.revision, true }

// predict is the leaf's distribution for v. A leaf that has members but no model
// gives its labels' frequencies, from which a cold fit would start.
func (l *leaf) predict(v []float32) probe.Distribution {
	if l.model != nil {
		return l.model.Predict(v)
	}
	return l.frequencies()
}

// frequencies is the distribution of the members' labels.
func (l *leaf) frequencies() probe.Distribution {
	d := probe.Distribution{Labels: make([]int32, len(l.counts)), LogP: make([]float64, len(l.counts))}
	for i, c := range l.counts {
		d.Labels[i] = c.label
		d.LogP[i] = math.Log(float64(c.n) / float64(l.members.n))
	}
	return d
}

// centroidOf is the mean of n vectors of the given sum.
func centroidOf(sum []float64, n int) []float64 {
	mean := make([]float64, len(sum))
	for i, s := range sum {
		mean[i] = s / float64(n)
	}
	return mean
}

// sumOf adds up the vectors of the given numbers, in their order.
func sumOf(vectors *nearest.Vectors, ids []int32) []float64 {
	sum := make([]float64, vectors.Dim())
	var row []float32
	for _, id := range ids {
		row = vectors.Row(int(id), row)
		vec.Axpy(1, row, sum)
	}
	return sum
}
