package tree

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fieldmark/internal/probe"
)

func (p *plain) restore(id int) {
	v := p.rows[id]
	n := p.descend(v)
	for len(n.members) >= p.psi && p.split(n) {
		n = p.descend(v)
	}
	n.members = append(n.members, id)
	slices.Sort(n.members)
	n.centroid = p.mean(n.members)
}

// Exemplars that come, go and come back make the tree that the definition makes of
// them.
func TestRestoreAgainstTheOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 2))
	for round := range 4 {
		d := exemplars(r, 150, 4, 5)
		tree, err := New(4, Params{Psi: 7 + round})
		if err != nil {
			t.Fatal(err)
		}
		oracle := &plain{psi: 7 + round, root: &plainNode{}}
		e := tree.Edit()
		var live, gone []int
		for i := range d.rows {
			id, err := e.Insert(d.labels[i], d.rows[i])
			if err != nil {
				t.Fatal(err)
			}
			oracle.insert(d.labels[i], d.rows[i])
			live = append(live, id)
			for len(live) > 3 && r.IntN(2) == 0 {
				id := take(r, &live)
				if err := e.Withdraw(id); err != nil {
					t.Fatal(err)
				}
				oracle.withdraw(id)
				gone = append(gone, id)
			}
			for len(gone) > 0 && r.IntN(5) > 1 {
				id := take(r, &gone)
				if err := e.Restore(id); err != nil {
					t.Fatal(err)
				}
				oracle.restore(id)
				live = append(live, id)
			}
			if i%3 == 0 {
				e = e.Tree().Edit() // another version goes on from here
			}
		}
		tree = e.Tree()
		invariants(t, tree)
		got, want := leavesOf(tree), oracle.leaves(oracle.root)
		if len(got) != len(want) {
			t.Fatalf("%d leaves, want %d", len(got), len(want))
		}
		for i, leaf := range got {
			if !slices.EqualFunc(leaf, want[i], func(a int32, b int) bool { return int(a) == b }) {
				t.Errorf("leaf %d holds %v, want %v", i, leaf, want[i])
			}
		}
	}
}

func take(r *rand.Rand, from *[]int) int {
	i := r.IntN(len(*from))
	id := (*from)[i]
	*from = slices.Delete(*from, i, i+1)
	return id
}

// What went and came back, in any order, predicts as if it had never gone.
func TestRestoreBringsBackThePredictions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	d := exemplars(r, 60, 6, 4)
	tree := fold(t, d, Params{Psi: 100})
	before := consolidate(t, tree)
	e := before.Edit()
	order := r.Perm(40)
	for _, id := range order {
		if err := e.Withdraw(id); err != nil {
			t.Fatal(err)
		}
	}
	r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	middle := consolidate(t, e.Tree()).Edit()
	for _, id := range order {
		if err := middle.Restore(id); err != nil {
			t.Fatal(err)
		}
	}
	after := consolidate(t, middle.Tree())
	for i := range 20 {
		a, b := before.root().predict(d.rows[i]), after.root().predict(d.rows[i])
		if !slices.Equal(a.Labels, b.Labels) {
			t.Fatalf("labels %v, then %v", a.Labels, b.Labels)
		}
		for j := range a.LogP {
			if math.Abs(math.Exp(a.LogP[j])-math.Exp(b.LogP[j])) > 1e-4 {
				t.Errorf("query %d, label %d: %v, then %v", i, a.Labels[j], math.Exp(a.LogP[j]), math.Exp(b.LogP[j]))
			}
		}
	}
}

func (t *Tree) root() *leaf { return t.leafAt(0) }

// What stands, and what never was, cannot come back.
func TestRestoreRefuses(t *testing.T) {
	tree := fold(t, exemplars(rand.New(rand.NewPCG(1, 1)), 5, 3, 2), Params{})
	for _, id := range []int{-1, 0, 5} {
		if _, err := tree.Restore(id); !errors.Is(err, ErrUnknown) {
			t.Errorf("exemplar %d: %v", id, err)
		}
	}
}

// A fit of members to which one has come back since is of no use: it would pass
// for one that knows it.
func TestAFitFromBeforeARestore(t *testing.T) {
	tree := fold(t, exemplars(rand.New(rand.NewPCG(1, 1)), 12, 3, 2), Params{})
	without := next(t)(tree.Withdraw(3))
	f, err := without.Fit(t.Context(), 0, probe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	back := next(t)(without.Restore(3))
	if _, ok := back.WithProbe(f); ok {
		t.Error("it was taken")
	}
	if len(back.Stale()) != 1 {
		t.Error("the leaf is not stale")
	}
	if tree = consolidate(t, back); tree.Pending() != 0 {
		t.Error("the leaf cannot be fitted any more")
	}
}

func next(t *testing.T) func(*Tree, error) *Tree {
	return func(tree *Tree, err error) *Tree {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
}
