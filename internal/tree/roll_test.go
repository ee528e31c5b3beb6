package tree

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Every version of a roll must go on reading as the slice that it stood for.
func TestRollVersions(t *testing.T) {
	type version struct {
		roll roll
		want []int32
	}
	r := rand.New(rand.NewPCG(1, 1))
	var now version
	var kept []version
	next := int32(0)
	for i := range 20_000 {
		if i%50 == 0 {
			kept = append(kept, now)
			now = version{now.roll.clone(), slices.Clone(now.want)}
		}
		if shrinking := i/4000%2 == 1; len(now.want) > 0 && r.IntN(10) < 2 || shrinking && len(now.want) > 3 {
			at := r.IntN(len(now.want))
			now.roll.remove(now.want[at])
			now.want = slices.Delete(now.want, at, at+1)
		} else {
			next += 1 + r.Int32N(3)
			now.roll.add(next)
			now.want = append(now.want, next)
		}
	}
	for _, v := range append(kept, now) {
		if !slices.Equal(v.roll.list(), v.want) || v.roll.n != len(v.want) {
			t.Fatalf("the version of %d numbers has changed", len(v.want))
		}
		if v.roll.n > 0 && v.roll.first() != v.want[0] {
			t.Fatalf("first is %d, want %d", v.roll.first(), v.want[0])
		}
		if slices.ContainsFunc(v.roll.pieces, func(p []int32) bool { return len(p) == 0 }) {
			t.Fatal("a piece is empty")
		}
	}
}

// Two versions made from one must not see what the other adds.
func TestRollGoesSeparateWays(t *testing.T) {
	var base roll
	base.add(1)
	a, b := base.clone(), base.clone()
	a.add(2)
	b.add(3)
	base.add(4)
	if !slices.Equal(a.list(), []int32{1, 2}) || !slices.Equal(b.list(), []int32{1, 3}) || !slices.Equal(base.list(), []int32{1, 4}) {
		t.Errorf("%v, %v and %v", a.list(), b.list(), base.list())
	}
}

// Numbers that go and come back, anywhere, are where a sorted slice has them, and
// no version sees what happens to another.
func TestRollInsert(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var now roll
	var want []int32
	for i := range int32(3_000) {
		now.add(i)
		want = append(want, i)
	}
	frozen, all := now.clone(), slices.Clone(want)
	for i := range 20_000 {
		id := r.Int32N(3_000)
		if i%100 == 0 {
			now = now.clone()
		}
		at, there := slices.BinarySearch(want, id)
		if there {
			now.remove(id)
			want = slices.Delete(want, at, at+1)
		} else {
			now.insert(id)
			want = slices.Insert(want, at, id)
		}
		if now.has(int(id)) == there || now.n != len(want) {
			t.Fatalf("step %d: %d of %d", i, now.n, len(want))
		}
	}
	if !slices.Equal(now.list(), want) || !slices.Equal(frozen.list(), all) {
		t.Error("it holds other numbers")
	}
	if slices.ContainsFunc(now.pieces, func(p []int32) bool { return len(p) == 0 || len(p) > pieceLen }) {
		t.Error("a piece is empty, or too long")
	}
}
