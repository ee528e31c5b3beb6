package tree

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fieldmark/internal/probe"
	"fieldmark/internal/vec"
)

// plain is TreeProbe written down as METHOD.md, section 3, says it, with nothing
// shared, nothing cached and everything computed anew: the oracle.
type plain struct {
	rows   [][]float32
	labels []int32
	psi    int
	root   *plainNode
}

type plainNode struct {
	centroid    []float64
	left, right *plainNode
	members     []int
}

func (p *plain) mean(ids []int) []float64 {
	sum := make([]float64, len(p.rows[0]))
	for _, id := range ids {
		vec.Axpy(1, p.rows[id], sum)
	}
	for i := range sum {
		sum[i] /= float64(len(ids))
	}
	return sum
}

func (p *plain) descend(v []float32) *plainNode {
	n := p.root
	for n.left != nil {
		if vec.SquaredDistance(v, n.right.centroid) < vec.SquaredDistance(v, n.left.centroid) {
			n = n.right
		} else {
			n = n.left
		}
	}
	return n
}

func (p *plain) insert(label int32, v []float32) {
	id := len(p.rows)
	p.rows, p.labels = append(p.rows, v), append(p.labels, label)
	n := p.descend(v)
	for len(n.members) >= p.psi && p.split(n) {
		n = p.descend(v)
	}
	n.members = append(n.members, id)
	n.centroid = p.mean(n.members)
}

func (p *plain) withdraw(id int) {
	n := p.leafOf(p.root, id)
	n.members = slices.DeleteFunc(n.members, func(m int) bool { return m == id })
	if len(n.members) > 0 {
		n.centroid = p.mean(n.members)
	}
}

func (p *plain) leafOf(n *plainNode, id int) *plainNode {
	if n == nil || slices.Contains(n.members, id) {
		return n
	}
	if l := p.leafOf(n.left, id); l != nil {
		return l
	}
	return p.leafOf(n.right, id)
}

func (p *plain) split(n *plainNode) bool {
	farthest := func(c []float64) []float64 {
		best := n.members[0]
		for _, id := range n.members {
			if vec.SquaredDistance(p.rows[id], c) > vec.SquaredDistance(p.rows[best], c) {
				best = id
			}
		}
		return wide(p.rows[best])
	}
	c0 := farthest(p.mean(n.members))
	c1 := farthest(c0)
	var side, last [2][]int
	for {
		side = [2][]int{}
		for _, id := range n.members {
			s := 0
			if vec.SquaredDistance(p.rows[id], c1) < vec.SquaredDistance(p.rows[id], c0) {
				s = 1
			}
			side[s] = append(side[s], id)
		}
		if len(side[0]) == 0 || len(side[1]) == 0 {
			return false
		}
		if slices.Equal(side[0], last[0]) {
			break
		}
		last = side
		c0, c1 = p.mean(side[0]), p.mean(side[1])
	}
	n.left = &plainNode{centroid: p.mean(side[0]), members: side[0]}
	n.right = &plainNode{centroid: p.mean(side[1]), members: side[1]}
	n.members = nil
	return true
}

// leaves lists the members of every leaf, from left to right.
func (p *plain) leaves(n *plainNode) [][]int {
	if n.left == nil {
		return [][]int{n.members}
	}
	return append(p.leaves(n.left), p.leaves(n.right)...)
}

// cosine is that of the angle between a and b, neither of them zero.
func cosine(a, b []float32) float64 {
	return vec.DotWide(a, b) / (vec.Norm(a) * vec.Norm(b))
}

// predict is p_e over labels, by definition.
func (p *plain) predict(t *testing.T, v []float32, k int) map[int32]float64 {
	t.Helper()
	var live []int
	for _, l := range p.leaves(p.root) {
		live = append(live, l...)
	}
	slices.SortFunc(live, func(a, b int) int {
		if ca, cb := cosine(v, p.rows[a]), cosine(v, p.rows[b]); ca > cb+1e-15 {
			return -1
		} else if cb > ca+1e-15 {
			return 1
		}
		return a - b
	})
	live = live[:min(k, len(live))]
	out := make(map[int32]float64)
	for _, id := range live {
		var d data
		for _, m := range p.leafOf(p.root, id).members {
			d.rows, d.labels = append(d.rows, p.rows[m]), append(d.labels, p.labels[m])
		}
		m, _, err := probe.Fit(t.Context(), d, probe.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, lp := range m.Predict(v).LogP {
			out[m.Classes()[i]] += math.Exp(lp) / float64(len(live))
		}
	}
	return out
}

// data is probe.Data in memory.
type data struct {
	rows   [][]float32
	labels []int32
}

func (d data) Len() int            { return len(d.rows) }
func (d data) Row(i int) []float32 { return d.rows[i] }
func (d data) Label(i int) int32   { return d.labels[i] }

// exemplars draws n embeddings of length near 10 around one centre a label; some
// repeat an earlier one.
func exemplars(r *rand.Rand, n, dim, labels int) data {
	centres := make([][]float64, labels)
	for i := range centres {
		centres[i] = make([]float64, dim)
		for j := range centres[i] {
			centres[i][j] = r.NormFloat64()
		}
	}
	var d data
	for i := range n {
		label := r.IntN(labels)
		row := make([]float32, dim)
		vec.Axpy(1, centres[label], row)
		for j := range row {
			row[j] += float32(0.8*r.NormFloat64()) + 0.5
		}
		vec.Normalize(row)
		vec.Scale(9+2*r.Float64(), row)
		if i > 0 && r.IntN(8) == 0 {
			row = d.rows[r.IntN(i)]
		}
		d.rows, d.labels = append(d.rows, row), append(d.labels, int32(10*label))
	}
	return d
}

// leavesOf lists the members of each leaf, from left to right.
func leavesOf(tree *Tree) [][]int32 {
	var out [][]int32
	var walk func(at int)
	walk = func(at int) {
		n := tree.nodes.get(at)
		if n.leaf != nil {
			out = append(out, n.leaf.members.list())
			return
		}
		walk(n.left)
		walk(n.right)
	}
	walk(0)
	return out
}

// invariants checks all that must hold of any tree, counting everything anew.
func invariants(t *testing.T, tree *Tree) {
	t.Helper()
	parents := make([]int, tree.nodes.len())
	seen := make(map[int32]int)
	labels := make(map[int32]int)
	leaves, stale, stuck := 0, 0, 0
	for at := range tree.nodes.len() {
		n := tree.nodes.get(at)
		if n.leaf == nil {
			parents[n.left]++
			parents[n.right]++
			continue
		}
		leaves++
		l := n.leaf
		if l.stale() {
			stale++
		}
		if l.stuck {
			stuck++
		}
		members := l.members.list()
		if !slices.IsSorted(members) || len(members) != l.members.n {
			t.Errorf("leaf %d: members out of order", at)
		}
		counts := make(map[int32]int32)
		for _, id := range members {
			seen[id]++
			labels[tree.Label(int(id))]++
			counts[tree.Label(int(id))]++
			if tree.LeafOf(int(id)) != at || !tree.Has(int(id)) {
				t.Errorf("exemplar %d is a member of leaf %d, not of %d", id, at, tree.LeafOf(int(id)))
			}
		}
		if len(counts) != len(l.counts) {
			t.Errorf("leaf %d counts %v, want %v", at, l.counts, counts)
		}
		for _, c := range l.counts {
			if counts[c.label] != c.n {
				t.Errorf("leaf %d counts %v, want %v", at, l.counts, counts)
			}
		}
		if len(members) > 0 {
			want := centroidOf(sumOf(tree.vectors, members), len(members))
			for i := range want {
				if math.Abs(n.centroid[i]-want[i]) > 1e-9 {
					t.Fatalf("leaf %d: centroid is not the mean of its members", at)
				}
			}
		}
	}
	for at, n := range parents {
		if want := min(at, 1); n != want {
			t.Errorf("node %d has %d parents, want %d", at, n, want)
		}
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("exemplar %d lives in %d leaves", id, n)
		}
	}
	for _, l := range tree.Labels() {
		if labels[l.Label] != l.Count || tree.Count(l.Label) != l.Count {
			t.Errorf("label %d has %d exemplars, counted as %d", l.Label, labels[l.Label], l.Count)
		}
	}
	s := tree.Stats()
	got := fmt.Sprint(s.Exemplars, s.Labels, tree.Known(), len(tree.Labels()), s.Leaves, s.Stale, len(tree.Stale()), s.Unsplit, len(leavesOf(tree)))
	if want := fmt.Sprint(len(seen), len(labels), len(labels), len(labels), leaves, stale, stale, stuck, leaves); got != want {
		t.Errorf("statistics %s, want %s", got, want)
	}
}
