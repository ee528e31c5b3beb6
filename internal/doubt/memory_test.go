package doubt

import (
	"testing"

	"fieldmark/internal/nearest"
	"fieldmark/internal/probe"
	"fieldmark/internal/tree"
)

// treeMemory is a tree whose exemplars are all of photos of their own, but for those
// that share one.
type treeMemory struct {
	*tree.Tree
	photo []int             // by exemplar
	kin   map[[2]int32]bool // labels that agree
}

func (m *treeMemory) SamePhoto(a, b int) bool { return m.photo[a] == m.photo[b] }

func (m *treeMemory) OfPhoto(id int) []int {
	var out []int
	for other := range m.photo {
		if m.Has(other) && m.photo[other] == m.photo[id] {
			out = append(out, other)
		}
	}
	return out
}

func (m *treeMemory) Agree(a, b int32) bool { return m.kin[[2]int32{a, b}] || m.kin[[2]int32{b, a}] }

func (m *treeMemory) Nearest(id, k int, keep func(int) bool) []nearest.Neighbour {
	found, err := m.Tree.Nearest(m.Vectors().Row(id, nil), k, keep)
	if err != nil {
		panic(err) // a row of the tree is a query for it
	}
	return found
}

func (m *treeMemory) Leaf(id int) (probe.Distribution, error) {
	p, err := m.PredictFrom(m.Vectors().Row(id, nil), []nearest.Neighbour{{ID: id, Cos: 1}})
	return p.Exemplar, err
}

func (m *treeMemory) standing() (ids []int) {
	for id := range m.Len() {
		if m.Has(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// teach is a memory of rows, fitted.
func teach(t testing.TB, rows [][]float32, labels []int32) *treeMemory {
	t.Helper()
	tr, err := tree.New(len(rows[0]), tree.Params{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	e := tr.Edit()
	m := &treeMemory{kin: map[[2]int32]bool{}}
	for i, row := range rows {
		if _, err := e.Insert(labels[i], row); err != nil {
			t.Fatal(err)
		}
		m.photo = append(m.photo, i)
	}
	m.Tree = fitted(t, e.Tree())
	return m
}

func fitted(t testing.TB, tr *tree.Tree) *tree.Tree {
	t.Helper()
	for _, leaf := range tr.Stale() {
		f, err := tr.Fit(t.Context(), leaf, probe.Options{Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		tr, _ = tr.WithProbe(f)
	}
	return tr
}

func find(t testing.TB, m *treeMemory, p Params) []Doubt {
	t.Helper()
	l := NewLists(p)
	if err := l.Update(t.Context(), m, m.standing(), true); err != nil {
		t.Fatal(err)
	}
	found, err := Find(t.Context(), m, l)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
