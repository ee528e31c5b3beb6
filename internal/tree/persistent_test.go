package tree

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func (a *array[T]) all() []T {
	var out []T
	for i := range a.len() {
		out = append(out, a.get(i))
	}
	return out
}

// Every version of an array must go on reading as the slice that it stood for.
func TestArrayVersions(t *testing.T) {
	type version struct {
		a    array[int]
		want []int
	}
	r := rand.New(rand.NewPCG(1, 1))
	now := version{}
	var kept []version
	by := new(owner)
	for i := range 6000 {
		if i%7 == 0 {
			by = new(owner) // what came before must now be left alone
		}
		switch {
		case i == 4000: // far out, with nothing between
			now.a.set(300_000, i, by)
			now.want = append(now.want, make([]int, 300_001-len(now.want))...)
			now.want[300_000] = i
		case i < 2000 && (i == 0 || r.IntN(4) > 0):
			now.a.set(now.a.len(), i, by)
			now.want = append(now.want, i)
		default:
			at := r.IntN(len(now.want))
			now.a.set(at, -i, by)
			now.want[at] = -i
		}
		if i%7 == 6 && i%91 < 7 {
			kept = append(kept, version{now.a, slices.Clone(now.want)})
		}
	}
	for _, v := range append(kept, now) {
		if !slices.Equal(v.a.all(), v.want) {
			t.Fatalf("the version of %d elements has changed", len(v.want))
		}
	}
}

func TestArrayOutOfRange(t *testing.T) {
	var a array[string]
	a.set(0, "a", nil)
	for name, f := range map[string]func(){
		"get": func() { a.get(1) }, "get below": func() { a.get(-1) }, "set": func() { a.set(-1, "", nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s out of range went unnoticed", name)
				}
			}()
			f()
		}()
	}
}
