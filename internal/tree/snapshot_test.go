package tree

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"testing"

	"fieldmark/internal/nearest"
	"fieldmark/internal/probe"
)

func written(t testing.TB, tree *Tree) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := tree.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(t testing.TB, b []byte, dim int, params Params) *Tree {
	t.Helper()
	tree, err := Read(bufio.NewReader(bytes.NewReader(b)), dim, params)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// alike checks that two trees have the same digest and statistics, and answer
// alike to the bit.
func alike(t *testing.T, got, want *Tree, queries [][]float32) {
	t.Helper()
	if got.Digest() != want.Digest() {
		t.Fatal("another digest")
	}
	if got.Stats() != want.Stats() || fmt.Sprint(got.Stale()) != fmt.Sprint(want.Stale()) || fmt.Sprint(got.Labels()) != fmt.Sprint(want.Labels()) {
		t.Fatalf("%+v, stale %v, want %+v, %v", got.Stats(), got.Stale(), want.Stats(), want.Stale())
	}
	for _, v := range queries {
		p, err := got.Predict(v, 9)
		if err != nil {
			t.Fatal(err)
		}
		q, err := want.Predict(v, 9)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(p, q) {
			t.Fatalf("predicts %+v, want %+v", p, q)
		}
	}
}

// After any sequence of insertions, withdrawals, splits and fits, a tree that is
// written and read is the same, and goes on as one that was never put down.
func TestWhatIsReadIsWhatWasWritten(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 4))
		params := Params{Psi: 3 + r.IntN(40), Format: nearest.Format(seed % 2)}
		d := exemplars(r, 300, 5, 5)
		never, now := empty(t, 5, params), empty(t, 5, params)
		for i, row := range d.rows {
			withdraw, at := r.IntN(3) == 0, r.IntN(i+1)
			fit := r.IntN(20) == 0
			for _, tree := range []**Tree{&never, &now} {
				next, _, err := (*tree).Insert(d.labels[i], row)
				if err == nil && withdraw && next.Has(at) {
					next, err = next.Withdraw(at)
				}
				if err != nil {
					t.Fatal(err)
				}
				if stale := next.Stale(); fit && len(stale) > 0 {
					f, err := next.Fit(t.Context(), stale[at%len(stale)], probe.Options{MaxIter: 1 + at%30})
					if err != nil {
						t.Fatal(err)
					}
					next, _ = next.WithProbe(f)
				}
				*tree = next
			}
			if r.IntN(25) == 0 {
				now = read(t, written(t, now), 5, params)
				invariants(t, now)
				alike(t, now, never, d.rows[:10])
			}
		}
		alike(t, now, never, d.rows[:10])
		alike(t, consolidate(t, now), consolidate(t, never), d.rows[:10])
	}
}

func TestSnapshotsOfOtherTreesAreRefused(t *testing.T) {
	d := exemplars(rand.New(rand.NewPCG(1, 4)), 30, 4, 3)
	b := written(t, consolidate(t, fold(t, d, Params{Psi: 10})))
	for name, c := range map[string]struct {
		dim    int
		params Params
	}{"dimension": {5, Params{Psi: 10}}, "ψ": {4, Params{Psi: 11}}, "C": {4, Params{Psi: 10, C: 1}}, "format": {4, Params{Psi: 10, Format: nearest.Half}}} {
		if _, err := Read(bufio.NewReader(bytes.NewReader(b)), c.dim, c.params); !errors.Is(err, ErrForeign) {
			t.Errorf("another %s: %v", name, err)
		}
	}
	read(t, b, 4, Params{Psi: 10, Workers: 7})
	other := bytes.Clone(b)
	other[0]++
	if _, err := Read(bufio.NewReader(bytes.NewReader(other)), 4, Params{Psi: 10}); !errors.Is(err, ErrForeign) {
		t.Errorf("another form: %v", err)
	}
}

func TestTornSnapshotsAreRefused(t *testing.T) {
	d := exemplars(rand.New(rand.NewPCG(1, 4)), 30, 4, 3)
	b := written(t, consolidate(t, fold(t, d, Params{Psi: 10})))
	for n := range b {
		if _, err := Read(bufio.NewReader(bytes.NewReader(b[:n])), 4, Params{Psi: 10}); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("the first %d of %d bytes: %v", n, len(b), err)
		}
	}
}

// A writer that fails must be heard of, wherever it fails.
func TestWriteReportsFailure(t *testing.T) {
	d := exemplars(rand.New(rand.NewPCG(1, 4)), 3000, 4, 3)
	tree := fold(t, d, Params{})
	for _, room := range []int{0, 10, 70_000} {
		if err := tree.Write(&fullDisk{room}); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("room for %d bytes: %v", room, err)
		}
	}
}

type fullDisk struct{ room int }

func (f *fullDisk) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

// smallTrees are snapshots of three trees with params, of 3 elements.
func smallTrees(t testing.TB, params Params) [][]byte {
	r := rand.New(rand.NewPCG(2, 4))
	tree := fold(t, exemplars(r, 14, 3, 3), params)
	for id := range 4 {
		var err error
		if tree, err = tree.Withdraw(3 * id); err != nil {
			t.Fatal(err)
		}
	}
	settled := consolidate(t, tree)
	return [][]byte{written(t, empty(t, 3, params)), written(t, tree), written(t, settled), written(t, stroked(t, settled))}
}

// stroked gives a leaf what only large ones have: a curvature and a lesson.
func stroked(t testing.TB, tree *Tree) *Tree {
	t.Helper()
	for at := range tree.nodes.len() {
		l := tree.leafAt(at)
		if l == nil || len(l.counts) < 2 {
			continue
		}
		curve, err := probe.Curve(t.Context(), l.model, tree.Members(at), probe.Options{C: tree.params.C})
		if err != nil {
			t.Fatal(err)
		}
		e := tree.Edit()
		e.change(at, func(n *node) {
			n.leaf.live.rebase(Fitted{Model: l.model, Revision: l.revision, curvature: curve, upTo: tree.Len() - 1})
			n.leaf.live.lose(0, tree.Label(0), l.revision+1)
			e.t.learn(n.leaf)
		})
		return e.Tree()
	}
	t.Fatal("no leaf of two labels")
	return nil
}

// sound checks that Read answers with an error or with a tree that can be used.
func sound(t *testing.T, b []byte, params Params) {
	t.Helper()
	tree, err := Read(bufio.NewReader(bytes.NewReader(b)), 3, params)
	if err != nil {
		return
	}
	for id := range tree.Len() {
		if tree.Has(id) != (tree.LeafOf(id) >= 0) {
			t.Errorf("exemplar %d lives in %d", id, tree.LeafOf(id))
		}
	}
	if len(leavesOf(tree)) != tree.Stats().Leaves {
		t.Errorf("%d leaves can be reached of %d", len(leavesOf(tree)), tree.Stats().Leaves)
	}
	if _, err := tree.Predict([]float32{1, 2, 3}, 9); err != nil {
		t.Error(err)
	}
	if _, _, err := tree.Insert(1, []float32{1, 2, 3}); err != nil {
		t.Error(err)
	}
	read(t, written(t, tree), 3, params)
}

func TestASnapshotWithAnyByteChanged(t *testing.T) {
	params := Params{Psi: 4, Format: nearest.Half}
	for _, b := range smallTrees(t, params) {
		for at := range b {
			for _, bit := range []byte{1, 0x80} {
				b[at] ^= bit
				sound(t, b, params)
				b[at] ^= bit
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	params := Params{Psi: 4}
	for _, b := range smallTrees(f, params) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) { sound(t, b, params) })
}

// A large leaf follows lessons after it was read as before: exactly, from its
// optimum, and about so in the middle of lessons, which it learns again.
func TestAStrokedLeafIsReadAsItWas(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 4))
	d := exemplars(r, 2300, 128, 16)
	tree := consolidate(t, fold(t, data{d.rows[:2200], d.labels[:2200]}, Params{}))
	lesson := func(tree *Tree, i, withdraw int) *Tree {
		next, _, err := tree.Insert(d.labels[i], d.rows[i])
		if err == nil && withdraw >= 0 {
			next, err = next.Withdraw(withdraw)
		}
		if err == nil {
			next, err = next.Stroke(t.Context(), next.Stale(), 1)
		}
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	restored := read(t, written(t, tree), 128, Params{})
	if restored.leafAt(0).live.overlay == nil {
		t.Fatal("the leaf has lost what it is stroked by")
	}
	for i := range 5 {
		tree, restored = lesson(tree, 2200+i, -1+2*i), lesson(restored, 2200+i, -1+2*i)
	}
	alike(t, restored, tree, d.rows[:10])

	again := read(t, written(t, tree), 128, Params{})
	alike(t, again, tree, d.rows[:10])
	tree, again = lesson(tree, 2210, -1), lesson(again, 2210, -1)
	for _, v := range d.rows[2195:2215] {
		if a := apart(predict(t, tree, v), predict(t, again, v)); a > 0.02 {
			t.Errorf("probabilities are %v apart after a further lesson", a)
		}
	}
}

// What was taught and withdrawn again since the optimum has no part in it, and
// must not be taken out of it when the lessons are learnt again.
func TestAWithdrawnLessonStaysWithdrawnWhenRead(t *testing.T) {
	tree, lessons := largeLeaf(t, 0)
	var ids []int
	for i := range 8 {
		next, id, err := tree.Insert(lessons.labels[i], lessons.rows[i])
		if err != nil {
			t.Fatal(err)
		}
		ids, tree = append(ids, id), stroke(t, next, 0)
	}
	for _, id := range ids {
		next, err := tree.Withdraw(id)
		if err != nil {
			t.Fatal(err)
		}
		tree = stroke(t, next, 0)
	}
	restored := read(t, written(t, tree), tree.Dim(), Params{Workers: 2})
	for _, now := range []**Tree{&tree, &restored} {
		next, _, err := (*now).Insert(lessons.labels[11], lessons.rows[11])
		if err != nil {
			t.Fatal(err)
		}
		*now = stroke(t, next, 0)
	}
	for i := range 8 {
		if a := apart(predict(t, tree, lessons.rows[i]), predict(t, restored, lessons.rows[i])); a > 1e-4 {
			t.Errorf("lesson %d: probabilities are %v apart", i, a)
		}
	}
}

// A large leaf of one label has its optimum without a fit, also when it is read.
func TestALargeLeafOfOneLabelIsReadAsItWas(t *testing.T) {
	const dim = 1 << 12
	tree := empty(t, dim, Params{})
	edit, row := tree.Edit(), make([]float32, dim)
	for i := range strokeSize/dim + 1 {
		row[i] = 1
		if _, err := edit.Insert(3, row); err != nil {
			t.Fatal(err)
		}
	}
	tree = edit.Tree()
	alike(t, read(t, written(t, tree), dim, Params{}), tree, [][]float32{row})
}
