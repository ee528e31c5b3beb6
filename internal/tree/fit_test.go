package tree

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"fieldmark/internal/probe"
)

func TestSplitGoesUnnoticed(t *testing.T) {
	d := exemplars(rand.New(rand.NewPCG(2, 2)), 61, 6, 4)
	whole := consolidate(t, fold(t, data{d.rows[:60], d.labels[:60]}, Params{Psi: 60}))
	divided, _, err := whole.Insert(d.labels[60], d.rows[60])
	if err != nil {
		t.Fatal(err)
	}
	if s := divided.Stats(); s.Leaves != 2 || s.Stale != 2 {
		t.Fatalf("%+v, want two stale leaves", s)
	}
	for _, v := range d.rows {
		if a := apart(predict(t, divided, v), predict(t, whole, v)); a > 1e-12 {
			t.Errorf("a split alone moved probabilities by %v", a)
		}
	}
}

func TestStaleLeaf(t *testing.T) {
	d := exemplars(rand.New(rand.NewPCG(3, 3)), 50, 6, 3)
	tree := consolidate(t, fold(t, d, Params{}))
	stale, id, err := tree.Insert(500, d.rows[0])
	if err != nil {
		t.Fatal(err)
	}
	leaf := stale.LeafOf(id)
	if !slices.Equal(stale.Stale(), []int{leaf}) || stale.Pending() != 1 {
		t.Fatalf("stale leaves %v, want %d", stale.Stale(), leaf)
	}
	if p := predict(t, stale, d.rows[0]); p.Prob(500) != 0 || sum(p) < 1-1e-9 {
		t.Errorf("an unfitted label has probability %v", p.Prob(500))
	}
	f, err := stale.Fit(t.Context(), leaf, probe.Options{MaxIter: 2}) // immediate stroke
	if err != nil {
		t.Fatal(err)
	}
	taught, ok := stale.WithProbe(f)
	if p := predict(t, taught, d.rows[0]); !ok || p.Prob(500) < 0.01 || taught.Pending() != 1 {
		t.Errorf("after two steps p = %v, %d stale", p.Prob(500), taught.Pending())
	}

	// All of one label withdrawn: it must be gone before any fit.
	e := taught.Edit()
	for i, l := range d.labels {
		if l == 10 {
			if err := e.Withdraw(i); err != nil {
				t.Fatal(err)
			}
		}
	}
	if p := predict(t, e.Tree(), d.rows[0]); p.Prob(10) != 0 || sum(p) < 1-1e-9 || sum(p) > 1+1e-9 {
		t.Errorf("a withdrawn label has probability %v of %v", p.Prob(10), sum(p))
	}
	invariants(t, consolidate(t, e.Tree()))
}

// After a split both leaves still know the labels of the whole. One that is then
// withdrawn altogether must vanish from both.
func TestWithdrawnLabelVanishesFromTheOtherLeaf(t *testing.T) {
	var d data
	for i := range 10 {
		d.rows = append(d.rows, []float32{1, float32(i) / 20}, []float32{-1, float32(i) / 20})
		d.labels = append(d.labels, int32(1+i%2), int32(3+i%2))
	}
	tree := consolidate(t, fold(t, d, Params{Psi: 20}))
	tree, _, err := tree.Insert(1, []float32{1, 0})
	if err != nil {
		t.Fatal(err)
	}
	e := tree.Edit()
	for i, l := range d.labels {
		if l == 4 {
			if err := e.Withdraw(i); err != nil {
				t.Fatal(err)
			}
		}
	}
	tree = e.Tree()
	for _, v := range [][]float32{{1, 0.1}, {-1, 0.1}} {
		_, p, err := tree.PredictLeaf(v)
		if err != nil || p.Prob(4) != 0 || sum(p) < 1-1e-9 {
			t.Errorf("at %v: p(4) = %v of %v, %v", v, p.Prob(4), sum(p), err)
		}
	}
}

func TestWithProbeKeepsTheNewer(t *testing.T) {
	d := exemplars(rand.New(rand.NewPCG(4, 4)), 40, 5, 3)
	v1 := fold(t, d, Params{Psi: 42})
	const leaf = 0
	fit := func(tree *Tree, opts probe.Options) Fitted {
		t.Helper()
		f, err := tree.Fit(t.Context(), leaf, opts)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	must := func(tree *Tree, f Fitted, want bool, what string) *Tree {
		t.Helper()
		next, ok := tree.WithProbe(f)
		if ok != want {
			t.Errorf("%s: taken %v, want %v", what, ok, want)
		}
		return next
	}
	first := fit(v1, probe.Options{MaxIter: 1})
	better := fit(v1, probe.Options{MaxIter: 8})
	optimum := fit(v1, probe.Options{})
	a := must(v1, better, true, "the first probe")
	must(a, first, false, "a worse one of the same members")
	a = must(a, optimum, true, "the optimum")
	must(a, better, false, "a worse one than the optimum")

	v2, _, err := a.Insert(0, d.rows[1])
	if err != nil {
		t.Fatal(err)
	}
	newer := fit(v2, probe.Options{MaxIter: 2})
	b := must(v2, newer, true, "a probe of newer members")
	must(b, optimum, false, "the optimum of older members")
	b = must(v1, optimum, true, "the optimum")
	if b.Pending() != 0 {
		t.Errorf("the optimum leaves the leaf stale")
	}

	// Members changed while it was fitted: taken, but the leaf stays stale, and
	// what was withdrawn meanwhile does not come back.
	v3, id3, err := v2.Insert(900, d.rows[2])
	if err != nil {
		t.Fatal(err)
	}
	slow := fit(v3, probe.Options{})
	v4, err := v3.Withdraw(id3)
	if err != nil {
		t.Fatal(err)
	}
	c := must(v4, slow, true, "an optimum that is late")
	if c.Pending() != 1 || slices.Contains(c.Probe(leaf).Classes(), 900) {
		t.Errorf("%d stale, classes %v", c.Pending(), c.Probe(leaf).Classes())
	}

	split, _, err := v3.Insert(0, d.rows[5])
	if err != nil || split.Stats().Leaves != 2 {
		t.Fatalf("%+v, %v: want a split", split.Stats(), err)
	}
	must(split, slow, false, "a probe of a leaf that was split")
}

func TestCancelledFitCanBeUsed(t *testing.T) {
	d := exemplars(rand.New(rand.NewPCG(5, 5)), 80, 5, 3)
	tree := fold(t, d, Params{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f, err := tree.Fit(ctx, 0, probe.Options{})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want that of the context", err)
	}
	if next, ok := tree.WithProbe(f); ok || next != tree {
		t.Errorf("a fit that came nowhere is taken")
	}
}

// Under steady teaching a consolidation is cancelled again and again, at times
// before it has done anything. What the next one achieves must still be taken.
func TestAFitThatCameNowhereDoesNotBlockTheNext(t *testing.T) {
	d := exemplars(rand.New(rand.NewPCG(5, 5)), 80, 5, 3)
	tree := fold(t, d, Params{})
	stroke := func(ctx context.Context) (Fitted, bool) {
		t.Helper()
		f, err := tree.Fit(ctx, 0, probe.Options{MaxIter: 2})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		next, ok := tree.WithProbe(f)
		tree = next
		return f, ok
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	first, ok := stroke(t.Context())
	if !ok {
		t.Fatal("the first stroke is not taken")
	}
	if _, ok := stroke(cancelled); ok {
		t.Error("a fit that came nowhere is taken")
	}
	second, ok := stroke(t.Context())
	if !ok || second.Report.Converged || second.Report.Objective >= first.Report.Objective {
		t.Errorf("a further stroke, from f = %v to %v, taken: %v", first.Report.Objective, second.Report.Objective, ok)
	}
}

// A leaf whose fit ended short of the optimum can be told by its revision from
// one that has something new to fit.
func TestRevisionTellsWhatWasTried(t *testing.T) {
	d := exemplars(rand.New(rand.NewPCG(7, 7)), 40, 5, 3)
	tree := fold(t, d, Params{Psi: 41})
	if got := empty(t, 5, Params{}).Revision(0); got != 0 {
		t.Errorf("an empty leaf has revision %d", got)
	}
	// Tol below what rounding allows: the fit ends and has not converged.
	f, err := tree.Fit(t.Context(), 0, probe.Options{Tol: 1e-300})
	if err != nil || f.Report.Converged {
		t.Fatalf("%+v, %v: want an end short of convergence", f.Report, err)
	}
	tree, ok := tree.WithProbe(f)
	if !ok || !slices.Equal(tree.Stale(), []int{f.Leaf}) || f.Revision == 0 || tree.Revision(f.Leaf) != f.Revision {
		t.Fatalf("taken %v, stale %v, revision %d, tried %d", ok, tree.Stale(), tree.Revision(f.Leaf), f.Revision)
	}
	next, id, err := tree.Insert(0, d.rows[0])
	if err != nil || next.Revision(f.Leaf) <= f.Revision || tree.Revision(f.Leaf) != f.Revision {
		t.Errorf("revision %d after an insertion, %d before; %v", next.Revision(f.Leaf), tree.Revision(f.Leaf), err)
	}
	gone, err := next.Withdraw(id)
	if err != nil || gone.Revision(f.Leaf) <= next.Revision(f.Leaf) {
		t.Errorf("revision %d after a withdrawal, %d before; %v", gone.Revision(f.Leaf), next.Revision(f.Leaf), err)
	}
	split, _, err := next.Insert(0, d.rows[1])
	if err != nil || split.Revision(f.Leaf) != 0 || split.Revision(split.Len()) != 0 {
		t.Fatalf("revision %d of a leaf that was split, %v", split.Revision(f.Leaf), err)
	}
	for _, leaf := range split.Stale() {
		if split.Revision(leaf) == 0 {
			t.Errorf("stale leaf %d has revision 0", leaf)
		}
	}
}

func TestLinProbeIsFittedOnce(t *testing.T) {
	d := exemplars(rand.New(rand.NewPCG(6, 6)), 120, 6, 4)
	tree := fold(t, d, Params{Psi: 30})
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tree.LinProbe(cancelled, 1); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want that of the context", err)
	}
	var wg sync.WaitGroup
	models := make([]*probe.Model, 8)
	for i := range models {
		wg.Go(func() {
			var err error
			if models[i], err = tree.LinProbe(t.Context(), 1); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, m := range models {
		if m != models[0] {
			t.Errorf("LinProbe was fitted more than once")
		}
	}
	if m, _ := consolidate(t, tree).LinProbe(t.Context(), 1); m != models[0] {
		t.Errorf("fitting leaves has thrown the LinProbe away")
	}

	cold, _, err := probe.Fit(t.Context(), d, probe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	next, err := tree.Withdraw(3)
	if err != nil {
		t.Fatal(err)
	}
	if next, _, err = next.Insert(d.labels[3], d.rows[3]); err != nil {
		t.Fatal(err)
	}
	warm, err := next.LinProbe(t.Context(), 2)
	if err != nil || warm == models[0] {
		t.Fatalf("another version has the same LinProbe (%v)", err)
	}
	for _, v := range d.rows {
		for _, m := range []*probe.Model{models[0], warm} {
			if a := apart(m.Predict(v), cold.Predict(v)); a > 2e-6 {
				t.Errorf("probabilities differ by %v from those of a cold fit", a)
			}
		}
	}
	if m, err := empty(t, 6, Params{}).LinProbe(t.Context(), 1); m != nil || err != nil {
		t.Errorf("an empty memory has the LinProbe %v, %v", m, err)
	}
}

// A learner inserts, withdraws, fits and publishes while readers predict, as in
// the service; versions that were put by must stay as they were.
func TestReadersBesideALearner(t *testing.T) {
	d := exemplars(rand.New(rand.NewPCG(9, 9)), 250, 5, 4)
	var now atomic.Pointer[Tree]
	now.Store(empty(t, 5, Params{Psi: 40}))
	var stop atomic.Bool
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			for n := i; !stop.Load(); n++ {
				tree := now.Load()
				p, err := tree.Predict(d.rows[n%len(d.rows)], 9)
				if err != nil || len(p.Neighbours) != min(9, tree.Live()) {
					t.Errorf("%d neighbours of %d, %v", len(p.Neighbours), tree.Live(), err)
					return
				}
				if s := sum(p.Exemplar); tree.Live() > 0 && (s < 1-1e-9 || s > 1+1e-9) {
					t.Errorf("probabilities add up to %v", s)
					return
				}
			}
		})
	}
	kept := make(map[*Tree][32]byte)
	publish := func(tree *Tree, err error) {
		if err != nil {
			t.Fatal(err)
		}
		now.Store(tree)
	}
	for i, row := range d.rows {
		tree, id, err := now.Load().Insert(d.labels[i], row)
		publish(tree, err)
		if i%5 == 4 {
			publish(tree.Withdraw(i - 3))
		}
		f, err := now.Load().Fit(t.Context(), now.Load().LeafOf(id), probe.Options{MaxIter: 2})
		tree, _ = now.Load().WithProbe(f)
		publish(tree, err)
		if i%50 == 0 {
			kept[tree] = tree.Digest()
			publish(consolidate(t, tree), nil)
		}
	}
	stop.Store(true)
	wg.Wait()
	invariants(t, now.Load())
	for tree, digest := range kept {
		if tree.Digest() != digest {
			t.Errorf("the version of %d exemplars has changed", tree.Len())
		}
		invariants(t, tree)
	}
}
