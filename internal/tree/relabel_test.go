package tree

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fieldmark/internal/probe"
)

// Exemplars that come, go, come back and are given other labels make the tree, and
// once it is consolidated the answers, that the definition makes of them.
func TestRelabelAgainstTheOracle(t *testing.T) {
	for round := range 4 {
		r := rand.New(rand.NewPCG(uint64(round), 16))
		d := exemplars(r, 120, 4, 5)
		tree := empty(t, 4, Params{Psi: 7 + 10*round})
		oracle := &plain{psi: 7 + 10*round, root: &plainNode{}}
		e := tree.Edit()
		for i := range d.rows {
			if _, err := e.Insert(d.labels[i], d.rows[i]); err != nil {
				t.Fatal(err)
			}
			oracle.insert(d.labels[i], d.rows[i])
			for range 3 {
				id := r.IntN(i + 1)
				switch n := r.IntN(6); {
				case n < 2:
					label := int32(10 * r.IntN(7)) // two labels that nothing was inserted with
					if err := e.Relabel(id, label); err != nil {
						t.Fatal(err)
					}
					oracle.labels[id] = label
				case n == 2 && e.Has(id):
					if err := e.Withdraw(id); err != nil {
						t.Fatal(err)
					}
					oracle.withdraw(id)
				case n == 3 && !e.Has(id):
					if err := e.Restore(id); err != nil {
						t.Fatal(err)
					}
					oracle.restore(id)
				}
			}
			if i%5 == 0 {
				e = consolidate(t, e.Tree()).Edit() // labels change in leaves that are fitted too
				invariants(t, e.Tree())
			}
		}
		tree = consolidate(t, e.Tree())
		invariants(t, tree)
		if got, want := fmt.Sprint(leavesOf(tree)), fmt.Sprint(oracle.leaves(oracle.root)); got != want {
			t.Fatalf("leaves\n%v, want\n%v", got, want)
		}
		for range 10 {
			v := d.rows[r.IntN(len(d.rows))]
			p, q := predict(t, tree, v), oracle.predict(t, v, 9)
			if len(q) != len(p.Labels) || math.Abs(sum(p)-1) > 1e-9 {
				t.Fatalf("%d labels of mass %v, want %d", len(p.Labels), sum(p), len(q))
			}
			for label, pr := range q {
				if math.Abs(p.Prob(label)-pr) > 2e-5 {
					t.Errorf("p(%d) = %v, want %v", label, p.Prob(label), pr)
				}
			}
		}
	}
}

// A label that is given to another's exemplars, all of them, is gone before anything
// is fitted; and back once they are.
func TestALabelThatIsMergedIsGoneAtOnce(t *testing.T) {
	d := exemplars(rand.New(rand.NewPCG(5, 5)), 200, 4, 4)
	tree := consolidate(t, fold(t, d, Params{Psi: 60}))
	before, e := tree, tree.Edit()
	var moved []int
	for id, label := range d.labels {
		if label == 10 {
			moved = append(moved, id)
			if err := e.Relabel(id, 20); err != nil {
				t.Fatal(err)
			}
		}
	}
	tree = e.Tree()
	invariants(t, tree)
	if tree.Count(10) != 0 || tree.Count(20) != before.Count(10)+before.Count(20) || tree.Known() != before.Known()-1 {
		t.Errorf("%v, before %v", tree.Labels(), before.Labels())
	}
	for _, v := range d.rows {
		if p := predict(t, tree, v); p.Prob(10) != 0 || math.Abs(sum(p)-1) > 1e-9 {
			t.Fatalf("p(10) = %v of %v", p.Prob(10), sum(p))
		}
	}
	for _, at := range tree.Stale() {
		if slices.Contains(tree.Probe(at).Classes(), 10) {
			t.Errorf("leaf %d still knows the label", at)
		}
	}
	for _, id := range moved {
		tree = next(t)(tree.Relabel(id, 10))
	}
	if tree.Digest() != before.Digest() {
		t.Error("given back, it is another tree")
	}
	tree = consolidate(t, tree)
	for _, v := range d.rows[:40] {
		if a := apart(predict(t, tree, v), predict(t, before, v)); a > 2e-5 {
			t.Errorf("given back, probabilities are %v apart", a)
		}
	}
}

// A large leaf answers with the new label after the next stroke, and ends at the
// optimum that it would have had with that label from the start.
func TestRelabelInALargeLeaf(t *testing.T) {
	base, _ := largeLeaf(t, 0)
	e := base.Edit()
	asTaught := fold(t, dataOf(base), Params{Workers: 2}).Edit()
	for id := range 400 {
		label := base.Label(id)
		if label < 100 {
			continue
		}
		for _, x := range []*Edit{e, asTaught} {
			if err := x.Relabel(id, label-100); err != nil {
				t.Fatal(err)
			}
		}
	}
	now := stroke(t, e.Tree(), 0)
	want := fold(t, dataOf(asTaught.Tree()), Params{Workers: 2})
	if now.Digest() != want.Digest() {
		t.Fatal("another tree than one that was taught so")
	}
	want = consolidate(t, want)
	var same int
	for i := range 400 {
		v := now.Vectors().Row(i, nil)
		if top(predict(t, now, v)) == top(predict(t, want, v)) {
			same++
		}
	}
	if same < 380 {
		t.Errorf("stroked, it names %d of 400 as the optimum does", same)
	}
	now = consolidate(t, now)
	for i := range 100 {
		v := now.Vectors().Row(i, nil)
		if a := apart(predict(t, now, v), predict(t, want, v)); a > 1e-3 {
			t.Errorf("consolidated, probabilities are %v apart", a)
		}
	}
}

// dataOf is what a tree holds, withdrawn exemplars included.
func dataOf(t *Tree) data {
	var d data
	for id := range t.Len() {
		d.rows, d.labels = append(d.rows, t.Vectors().Row(id, nil)), append(d.labels, t.Label(id))
	}
	return d
}

// One that left a large leaf under its old label is taken out of what that knew under
// the old label, whatever it is called since; also when the leaf is read from a
// snapshot.
func TestADepartureUnderTheOldLabel(t *testing.T) {
	base, _ := largeLeaf(t, 0)
	gone := next(t)(base.Withdraw(3))
	renamed := next(t)(gone.Relabel(3, base.Label(3)+10))
	if renamed.leafAt(0).live.overlay == nil {
		t.Fatal("the leaf no longer follows lessons: what was renamed is not one of its own")
	}
	want, got := stroke(t, gone, 0), stroke(t, renamed, 0)
	restored := read(t, written(t, got), base.Dim(), Params{Workers: 2})
	if restored.Digest() != got.Digest() {
		t.Fatal("it is read as another tree")
	}
	for _, next := range []*Tree{want, got, restored} {
		invariants(t, next)
	}
	again, err := restored.Withdraw(4)
	if err != nil {
		t.Fatal(err)
	}
	wantAgain := next(t)(want.Withdraw(4))
	again, wantAgain = stroke(t, again, 0), stroke(t, wantAgain, 0)
	for i := range 60 {
		v := base.Vectors().Row(i, nil)
		if a := apart(predict(t, got, v), predict(t, want, v)); a != 0 {
			t.Errorf("probabilities are %v apart", a)
		}
		if a := apart(predict(t, again, v), predict(t, wantAgain, v)); a > 1e-4 {
			t.Errorf("after a snapshot they are %v apart", a)
		}
	}
	back := next(t)(got.Restore(3))
	if back.Label(3) != base.Label(3)+10 || back.Count(base.Label(3)+10) != base.Count(base.Label(3)+10)+1 {
		t.Error("it came back under its old label")
	}
}

// A fit of members of which one has another label since is of no use.
func TestAFitFromBeforeARelabel(t *testing.T) {
	tree := fold(t, exemplars(rand.New(rand.NewPCG(1, 1)), 12, 3, 3), Params{})
	f, err := tree.Fit(t.Context(), 0, probe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	other := next(t)(tree.Relabel(3, tree.Label(3)+5))
	if _, ok := other.WithProbe(f); ok {
		t.Error("it was taken")
	}
	if len(other.Stale()) != 1 {
		t.Error("the leaf is not stale")
	}
	if consolidate(t, other).Pending() != 0 {
		t.Error("the leaf cannot be fitted any more")
	}
	if same := next(t)(tree.Relabel(3, tree.Label(3))); same.Revision(0) != tree.Revision(0) {
		t.Error("the label that it has changes the leaf")
	}
}

func TestRelabelRefuses(t *testing.T) {
	tree := fold(t, exemplars(rand.New(rand.NewPCG(1, 1)), 5, 3, 2), Params{})
	for _, id := range []int{-1, 5} {
		if _, err := tree.Relabel(id, 1); !errors.Is(err, ErrUnknown) {
			t.Errorf("exemplar %d: %v", id, err)
		}
	}
	if _, err := tree.Relabel(0, -1); err == nil {
		t.Error("a label below 0 is taken")
	}
}
