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
