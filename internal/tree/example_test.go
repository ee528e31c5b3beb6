package tree_test

import (
	"context"
	"fmt"

	"fieldmark/internal/probe"
	"fieldmark/internal/tree"
)

// A memory is taught, asked, and one lesson is taken back.
func Example() {
	ctx := context.Background()
	t, err := tree.New(2, tree.Params{})
	if err != nil {
		panic(err)
	}
	var last int
	for i, v := range [][]float32{{9, 1}, {8, 2}, {1, 9}, {2, 8}, {9, 2}} {
		if t, last, err = t.Insert([]int32{0, 0, 1, 1, 1}[i], v); err != nil {
			panic(err)
		}
	}
	consolidated := func(t *tree.Tree) *tree.Tree {
		for _, leaf := range t.Stale() {
			f, err := t.Fit(ctx, leaf, probe.Options{})
			if err != nil {
				panic(err)
			}
			t, _ = t.WithProbe(f)
		}
		return t
	}
	named := func(t *tree.Tree) int32 {
		p, err := t.Predict([]float32{9, 2}, 3)
		if err != nil {
			panic(err)
		}
		best, _ := p.Exemplar.Best()
		return best
	}
	taught := consolidated(t)
	withdrawn, err := taught.Withdraw(last)
	if err != nil {
		panic(err)
	}
	withdrawn = consolidated(withdrawn)
	fmt.Println(taught.Live(), withdrawn.Live(), named(withdrawn), taught.Pending()+withdrawn.Pending())
	// Output: 5 4 0 0
}
