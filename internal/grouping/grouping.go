// Package grouping finds photos that look alike: Taylor–Butina clustering of
// their embeddings (R. Taylor, J. Chem. Inf. Comput. Sci. 35, 1995; D. Butina,
// J. Chem. Inf. Comput. Sci. 39, 1999).
//
// Two rows are neighbours if their cosine is at least a threshold. The row with
// the most neighbours that belong to no group yet leads the first group, which
// is it and those; the row with the most that are left leads the next; equal
// ones in order of their rows. So every member is a neighbour of its leader:
// a group never drifts from one thing to another by small steps, as single-link
// clustering does, and there is no number of groups to be guessed. What has no
// neighbour is in no group.
package grouping

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"fieldmark/internal/vec"
)

// Group is rows that look alike, by their numbers.
type Group struct {
	Leader  int
	Members []int // without Leader; the most alike first
}

// link is a neighbour of a row.
type link struct {
	row int
	cos float32
}

// Find groups unit rows [N][D] at a cosine threshold, the largest group first.
// It compares all pairs: N² D / 2 multiplications, on up to workers goroutines.
// The result depends on rows and threshold alone, but for cosines that rounding
// (vec.DotError) puts on either side of the threshold.
func Find(rows [][]float32, threshold float32, workers int) ([]Group, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	for i, r := range rows {
		if len(r) != len(rows[0]) {
			return nil, fmt.Errorf("grouping: row %d has %d numbers, row 0 has %d", i, len(r), len(rows[0]))
		}
	}
	return lead(neighbours(rows, threshold, max(1, workers))), nil
}

// lead makes groups of the neighbours of each row.
func lead(near [][]link) []Group {
	free := make([]int, len(near)) // neighbours that belong to no group yet
	taken := make([]bool, len(near))
	most := 0
	for i, list := range near {
		free[i] = len(list)
		most = max(most, len(list))
	}
	// Rows by their count of free neighbours. Counts only fall, so a row that is
	// met with a smaller count than it was put under is put under that.
	by := make([][]int, most+1)
	for i := len(near) - 1; i >= 0; i-- {
		by[free[i]] = append(by[free[i]], i)
	}
	var groups []Group
	for n := most; n > 0; n-- {
		slices.SortFunc(by[n], func(a, b int) int { return cmp.Compare(b, a) })
		for len(by[n]) > 0 {
			i := by[n][len(by[n])-1]
			by[n] = by[n][:len(by[n])-1]
			switch {
			case taken[i]:
			case free[i] < n:
				by[free[i]] = append(by[free[i]], i)
			default:
				groups = append(groups, take(i, near, free, taken))
			}
		}
	}
	return groups
}

// take makes a group of a row and its free neighbours.
func take(leader int, near [][]link, free []int, taken []bool) Group {
	g := Group{Leader: leader}
	own := slices.DeleteFunc(slices.Clone(near[leader]), func(l link) bool { return taken[l.row] })
	slices.SortFunc(own, func(a, b link) int { return cmp.Or(cmp.Compare(b.cos, a.cos), cmp.Compare(a.row, b.row)) })
	for _, l := range own {
		g.Members = append(g.Members, l.row)
	}
	for _, i := range append([]int{leader}, g.Members...) {
		taken[i] = true
		for _, l := range near[i] {
			free[l.row]--
		}
	}
	return g
}

// block is how many rows are compared with all later ones at a time: a matrix
// product, whose result stays in the cache.
const block = 8 * 3 * vec.RowGroup

// neighbours lists, for each row, those whose cosine reaches the threshold, by
// their numbers.
func neighbours(rows [][]float32, threshold float32, workers int) [][]link {
	n, d := len(rows), len(rows[0])
	flat := make([]float32, (n+block)*d) // the last block is filled up with zeros
	for i, r := range rows {
		copy(flat[i*d:], r)
	}
	above := make([][]link, n) // those with a larger number
	work := make(chan int)
	var done sync.WaitGroup
	for range min(workers, (n+block-1)/block) {
		done.Go(func() { compare(flat, n, d, threshold, work, above) })
	}
	for lo := 0; lo < n; lo += block {
		work <- lo
	}
	close(work)
	done.Wait()
	near := make([][]link, n)
	for i, list := range above {
		for _, l := range list {
			near[i] = append(near[i], l)
			near[l.row] = append(near[l.row], link{i, l.cos})
		}
	}
	return near
}

// compare fills in above for the blocks of rows that come from work.
func compare(flat []float32, n, d int, threshold float32, work <-chan int, above [][]link) {
	lanes := vec.Lanes[float32]()
	ldc := (block + lanes - 1) / lanes * lanes
	cos := make([]float32, block*ldc)
	var panels []float32
	for lo := range work {
		panels = vec.PanelsTransposed(panels, flat[lo*d:], d, block, d)
		for from := lo; from < n; from += block {
			clear(cos)
			vec.MulAdd(block, d, block, flat[from*d:], d, panels, cos, ldc)
			for j := from; j < min(n, from+block); j++ {
				for k, c := range cos[(j-from)*ldc:][:min(block, n-lo)] {
					if i := lo + k; i < j && c >= threshold {
						above[i] = append(above[i], link{j, c})
					}
				}
			}
		}
	}
}
