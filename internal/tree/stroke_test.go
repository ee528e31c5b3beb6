package tree

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"fieldmark/internal/probe"
)

// largeLeaf is a leaf that is stroked, at its optimum, and lessons for it: each
// fourth contradicts the leaf, and two are of a new label.
func largeLeaf(t *testing.T, psi int) (*Tree, data) {
	t.Helper()
	const n, lessons, dim, labels = 4400, 24, 32, 32
	d := exemplars(rand.New(rand.NewPCG(41, 41)), n+lessons, dim, labels)
	for i := n; i < n+lessons; i += 4 {
		d.labels[i] = d.labels[i-1]
	}
	d.labels[n+5], d.labels[n+9] = 7777, 7777
	tree := fold(t, data{d.rows[:n], d.labels[:n]}, Params{Psi: psi, Workers: 2})
	tree = consolidate(t, tree)
	if l := tree.leafAt(0); l.size(dim) <= strokeSize || l.live.overlay == nil {
		t.Fatalf("a leaf of size %d, want one that is stroked", l.size(dim))
	}
	return tree, data{d.rows[n:], d.labels[n:]}
}

func stroke(t *testing.T, tree *Tree, leaves ...int) *Tree {
	t.Helper()
	next, err := tree.Stroke(t.Context(), leaves, 2)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// The stroke of a large leaf looks at its lessons only, and comes near to where
// the fit of all members ends; the fit ends there whatever was stroked before.
func TestStrokeOfALargeLeaf(t *testing.T) {
	base, lessons := largeLeaf(t, 0)
	now := base
	var ids []int
	for i, row := range lessons.rows {
		next, id, err := now.Insert(lessons.labels[i], row)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
		now = stroke(t, next, 0)
		if !slices.Equal(now.Stale(), []int{0}) {
			t.Fatalf("stale leaves %v after a stroke, want 0", now.Stale())
		}
	}
	for _, id := range []int{3, ids[0], ids[9]} { // of the base, and lessons
		next, err := now.Withdraw(id)
		if err != nil {
			t.Fatal(err)
		}
		now = stroke(t, next, 0)
	}
	optimum := consolidate(t, now)
	var off, idle float64
	for i, row := range lessons.rows {
		want := predict(t, optimum, row).Prob(lessons.labels[i])
		off += abs(predict(t, now, row).Prob(lessons.labels[i]) - want)
		idle += abs(predict(t, base, row).Prob(lessons.labels[i]) - want)
	}
	if off > idle/2 {
		t.Errorf("the lessons are off by %v after strokes, %v without", off, idle)
	}
	cold, _, err := probe.Fit(t.Context(), now.Members(0), probe.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range lessons.rows {
		_, got, err := optimum.PredictLeaf(row)
		if err != nil {
			t.Fatal(err)
		}
		if a := apart(got, cold.Predict(row)); a > 1e-4 {
			t.Errorf("after strokes and a fit probabilities differ by %v from those of a cold fit", a)
		}
	}
	invariants(t, now)
}

// A third of a large leaf goes at once, as when a source is quarantined: its
// stroke must say of those who are left what the optimum does.
func TestStrokeAfterManyWithdrawals(t *testing.T) {
	const n, dim, labels = 300, 512, 48 // few of each, as in a memory that is young
	now := consolidate(t, fold(t, exemplars(rand.New(rand.NewPCG(53, 53)), n, dim, labels), Params{Workers: 2}))
	if now.leafAt(0).live.overlay == nil {
		t.Fatal("the leaf is not one that is stroked")
	}
	edit := now.Edit()
	for id := 0; id < now.Len(); id += 3 {
		if err := edit.Withdraw(id); err != nil {
			t.Fatal(err)
		}
	}
	withdrawn := edit.Tree()
	now = stroke(t, withdrawn, 0)
	optimum := consolidate(t, withdrawn)
	data := now.Members(0)
	other := 0
	for i := range data.Len() {
		row := data.Row(i)
		_, got, err := now.PredictLeaf(row)
		if err != nil {
			t.Fatal(err)
		}
		_, want, err := optimum.PredictLeaf(row)
		if err != nil {
			t.Fatal(err)
		}
		if top(got) != top(want) {
			other++
		}
	}
	if other > data.Len()/100 {
		t.Errorf("%d of %d members are named otherwise than by the optimum", other, data.Len())
	}
}

// top is the likeliest label.
func top(d probe.Distribution) int32 {
	return d.Labels[slices.Index(d.LogP, slices.Max(d.LogP))]
}

func abs(x float64) float64 { return max(x, -x) }

// A consolidation that ends on older members is not lost, and loses nothing.
func TestLessonsDuringAConsolidationStay(t *testing.T) {
	base, lessons := largeLeaf(t, 0)
	now, _, err := base.Insert(lessons.labels[0], lessons.rows[0])
	if err != nil {
		t.Fatal(err)
	}
	now = stroke(t, now, 0)
	slow, err := now.Fit(t.Context(), 0, probe.Options{Workers: 2})
	if err != nil || !slow.Report.Converged {
		t.Fatalf("%+v, %v", slow.Report, err)
	}
	var ids []int
	for i := 1; i < len(lessons.rows); i++ {
		next, id, err := now.Insert(lessons.labels[i], lessons.rows[i])
		if err != nil {
			t.Fatal(err)
		}
		ids, now = append(ids, id), stroke(t, next, 0)
	}
	if now, err = now.Withdraw(ids[4]); err != nil { // of label 7777
		t.Fatal(err)
	}
	now = stroke(t, now, 0)
	taken, ok := now.WithProbe(slow)
	if !ok || !slices.Equal(taken.Stale(), []int{0}) {
		t.Fatalf("taken %v, stale %v", ok, taken.Stale())
	}
	for i, row := range lessons.rows {
		before, after := predict(t, now, row), predict(t, taken, row)
		if d := abs(before.Prob(lessons.labels[i]) - after.Prob(lessons.labels[i])); d > 0.1 {
			t.Errorf("lesson %d: p moved by %v when an older optimum was taken", i, d)
		}
	}
	if p := predict(t, taken, lessons.rows[9]).Prob(7777); p < 0.05 {
		t.Errorf("a label taught during the consolidation has p = %v", p)
	}
	invariants(t, taken)
}

// A fit of a stroked leaf that is cut short does not undo the lessons, and the
// next one goes on from it.
func TestCancelledConsolidationOfALargeLeaf(t *testing.T) {
	base, lessons := largeLeaf(t, 0)
	now := base
	for i := range 8 {
		next, _, err := now.Insert(lessons.labels[i], lessons.rows[i])
		if err != nil {
			t.Fatal(err)
		}
		now = stroke(t, next, 0)
	}
	optimum := consolidate(t, now)
	for _, looks := range []int{0, 2, 60} {
		ctx := &counting{Context: t.Context(), left: looks}
		f, err := now.Fit(ctx, 0, probe.Options{})
		if err == nil {
			break // it ended before it was cancelled
		}
		if !errors.Is(err, context.Canceled) || f.Report.Converged {
			t.Fatalf("after %d looks: %+v, %v", looks, f.Report, err)
		}
		taken, ok := now.WithProbe(f)
		if ok != (f.Model != nil) {
			t.Errorf("after %d looks: taken %v", looks, ok)
		}
		for i := range 8 {
			if a := apart(predict(t, taken, lessons.rows[i]), predict(t, now, lessons.rows[i])); a > 0 {
				t.Errorf("after %d looks: a fit that was cut short moved a lesson by %v", looks, a)
			}
		}
		again := consolidate(t, taken)
		for _, row := range lessons.rows {
			if a := apart(predict(t, again, row), predict(t, optimum, row)); a > 1e-4 {
				t.Errorf("resumed after %d looks: probabilities differ by %v", looks, a)
			}
		}
	}
}

// counting ends its context after some looks at it.
type counting struct {
	context.Context
	left int
}

func (c *counting) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// After a split both leaves go on from what the whole had learnt.
func TestSplitOfAStrokedLeaf(t *testing.T) {
	base, lessons := largeLeaf(t, 4405)
	now := base
	for i := range 5 {
		next, _, err := now.Insert(lessons.labels[i], lessons.rows[i])
		if err != nil {
			t.Fatal(err)
		}
		now = stroke(t, next, 0)
	}
	divided, id, err := now.Insert(lessons.labels[9], lessons.rows[9])
	if err != nil || divided.Stats().Leaves != 2 {
		t.Fatalf("%+v, %v: want a split", divided.Stats(), err)
	}
	for i := range 5 {
		if a := apart(predict(t, divided, lessons.rows[i]), predict(t, now, lessons.rows[i])); a > 1e-9 {
			t.Errorf("a split alone moved probabilities by %v", a)
		}
	}
	divided = stroke(t, divided, divided.LeafOf(id))
	_, p, err := divided.PredictLeaf(lessons.rows[9])
	if err != nil || p.Prob(7777) < 0.05 {
		t.Errorf("a lesson after a split: p = %v, %v", p.Prob(7777), err)
	}
	invariants(t, consolidate(t, divided))
}

func TestStrokeOfSmallLeavesIsTheOptimum(t *testing.T) {
	d := exemplars(rand.New(rand.NewPCG(43, 43)), 90, 8, 5)
	tree := fold(t, d, Params{Psi: 40})
	optimum := consolidate(t, tree)
	tree = stroke(t, tree, append(tree.Stale(), -1, 0, tree.Len())...)
	if tree.Pending() != 0 || tree.Stats().Leaves < 2 {
		t.Errorf("%d of %d leaves are stale after a stroke", tree.Pending(), tree.Stats().Leaves)
	}
	for _, row := range d.rows {
		if a := apart(predict(t, tree, row), predict(t, optimum, row)); a > 2e-6 {
			t.Errorf("probabilities are %v from those of the optimum", a)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	next, _, err := tree.Insert(0, d.rows[0])
	if err != nil {
		t.Fatal(err)
	}
	if same, err := next.Stroke(cancelled, next.Stale(), 1); !errors.Is(err, context.Canceled) || same != next {
		t.Errorf("a cancelled stroke: %v", err)
	}
}

func TestRollFrom(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 44))
	var roll roll
	var want []int32
	for id := int32(0); id < 3000; id += 1 + r.Int32N(3) {
		roll.add(id)
		want = append(want, id)
	}
	for range 300 {
		i := r.IntN(len(want))
		roll.remove(want[i])
		want = slices.Delete(want, i, i+1)
	}
	for id := int32(-1); id < 3010; id += 7 {
		i, found := slices.BinarySearch(want, id)
		if got := roll.from(id); !slices.Equal(got, want[i:]) {
			t.Fatalf("from %d: %d numbers, want %d", id, len(got), len(want)-i)
		}
		if roll.has(int(id)) != found {
			t.Fatalf("has %d: want %v", id, found)
		}
	}
}
