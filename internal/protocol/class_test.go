package protocol

import (
	"reflect"
	"testing"

	"fieldmark/internal/fusion"
)

// Systems that only ask one memory in different ways get the rows that each gets of a
// memory of its own.
func TestAClassAnswersAsEachAlone(t *testing.T) {
	plan := smallPlan()
	plan.Protocols = []Protocol{ClassIncremental, TaskIncremental, Log, Growth}
	plan.Systems = []System{{Kind: fusion.Tree}, {Kind: fusion.TreeSingle, K: 3}, {Kind: fusion.KNNMV}, {Kind: fusion.KNNAvg, K: 5}, {Kind: fusion.LinProbe}}
	r := Runner{Suite: small(), Plan: plan, Workers: 2}
	of := map[System][]Row{}
	for _, row := range run(t, &r, none) {
		of[row.System] = append(of[row.System], row)
	}
	for _, s := range plan.Systems {
		alone := plan
		alone.Systems = []System{s}
		want := run(t, &Runner{Suite: small(), Plan: alone, Workers: 2}, none)
		if len(want) == 0 || !reflect.DeepEqual(timeless(of[s]), timeless(want)) {
			t.Errorf("%s: %d rows beside others, %d alone, or they differ", s, len(of[s]), len(want))
		}
	}
}

func TestTogether(t *testing.T) {
	tree, single := System{Kind: fusion.Tree}, System{Kind: fusion.TreeSingle, K: 3}
	mv, avg, lin := System{Kind: fusion.KNNMV}, System{Kind: fusion.KNNAvg}, System{Kind: fusion.LinProbe}
	for _, c := range []struct {
		systems []System
		want    int
	}{
		{[]System{tree, single, mv}, 2}, {[]System{single, tree}, 2}, {[]System{tree, {Kind: fusion.Tree, Psi: 10}}, 1},
		{[]System{mv, avg, lin}, 2}, {[]System{lin, lin}, 2}, {[]System{lin, tree}, 1},
	} {
		var cells []Cell
		for _, s := range c.systems {
			cells = append(cells, Cell{Protocol: Log, System: s})
		}
		if got := together(cells); got != c.want {
			t.Errorf("%v: %d are taught together, want %d", c.systems, got, c.want)
		}
	}
	if got := together([]Cell{{Protocol: Log, System: mv}, {Protocol: Growth, System: mv}}); got != 1 {
		t.Error("two protocols are taught together")
	}
}
