package eval

import (
	"context"
	"fmt"

	"fieldmark/internal/tree"
)

// PartitionAgreement is how far our own tree, given the same exemplars in the
// same order, puts them into the same leaves as the reference.
type PartitionAgreement struct {
	Run                 string
	Stage, Psi          int
	Leaves, Expected    int     // number of leaves with members, ours and the reference's
	Together, WantPairs int     // pairs of exemplars that share a leaf in both; in the reference
	Rand                float64 // Rand index: share of pairs on which both agree
}

// Partitions grows a tree for every stage and ψ of the pack.
func Partitions(ctx context.Context, p *Pack) ([]PartitionAgreement, error) {
	var out []PartitionAgreement
	for _, s := range p.Stages {
		for _, part := range s.Partitions {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			leaves, err := grow(p, s, part.Psi)
			if err != nil {
				return nil, fmt.Errorf("%s %d, ψ = %d: %w", s.Run, s.Stage, part.Psi, err)
			}
			a := agree(leaves, part.LeafOf)
			a.Run, a.Stage, a.Psi = s.Run, s.Stage, part.Psi
			out = append(out, a)
		}
	}
	return out, nil
}

// grow inserts a stage's exemplars one by one and returns the leaf of each.
func grow(p *Pack, s Stage, psi int) ([]int, error) {
	t, err := tree.New(len(p.Texts[0]), tree.Params{Psi: psi, C: p.C})
	if err != nil {
		return nil, err
	}
	e := t.Edit()
	for _, id := range s.Exemplars {
		if _, err := e.Insert(int32(p.ExemplarLabel[id]), p.Exemplars[id]); err != nil {
			return nil, err
		}
	}
	t = e.Tree()
	leaves := make([]int, len(s.Exemplars))
	for i := range leaves {
		leaves[i] = t.LeafOf(i)
	}
	return leaves, nil
}

// agree compares two partitions, whose leaves may be numbered differently.
func agree(got, want []int) PartitionAgreement {
	var a PartitionAgreement
	a.Leaves, a.Expected = distinct(got), distinct(want)
	same, pairs := 0, 0
	for i := range got {
		for j := range i {
			g, w := got[i] == got[j], want[i] == want[j]
			pairs++
			if w {
				a.WantPairs++
			}
			if g && w {
				a.Together++
			}
			if g == w {
				same++
			}
		}
	}
	a.Rand = 1
	if pairs > 0 {
		a.Rand = float64(same) / float64(pairs)
	}
	return a
}

func distinct(x []int) int {
	seen := map[int]bool{}
	for _, v := range x {
		seen[v] = true
	}
	return len(seen)
}
