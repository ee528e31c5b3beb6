package doubt

import (
	"context"
	"math"
	"slices"

	"fieldmark/internal/nearest"
)

const (
	outlierScore = 3.5    // modified z-score from which a distance is an outlier's
	normalMAD    = 0.6745 // MAD of a standard normal variable
	leastOfName  = 5      // exemplars without which a name has no usual distance
	// leastSpread bounds the MAD from below, in parts of the median, so that where
	// all lie equally far no hair's breadth counts.
	leastSpread = 0.1
)

// outliers compares each exemplar's distance to the nearest of its own name with
// what is usual for the name.
func (f *finder) outliers(ctx context.Context, ids []int) error {
	of := map[int32][]int{}
	for _, id := range ids {
		if label := f.m.Label(id); f.m.Count(label) >= leastOfName {
			of[label] = append(of[label], id)
		}
	}
	for _, members := range of {
		distances := make([]float64, len(members))
		for i, id := range members {
			if err := ctx.Err(); err != nil {
				return err
			}
			distances[i] = f.toOwn(id)
		}
		usual, spread := medianAndMAD(distances)
		spread = max(spread, leastSpread*usual)
		for i, d := range distances {
			if spread > 0 && normalMAD*(d-usual)/spread > outlierScore {
				f.doubt(members[i]).add((1-usual/d)/2, Reason{Kind: Outlier, Other: -1, Twin: -1, Distance: d, Usual: usual})
			}
		}
	}
	return nil
}

// toOwn is 1 − cos to the nearest exemplar of the same name and another photo; 0 if
// there is none.
func (f *finder) toOwn(id int) float64 {
	label := f.m.Label(id)
	own := func(n nearest.Neighbour) bool { return f.m.Label(n.ID) == label }
	list := f.l.Of(id)
	if at := slices.IndexFunc(list, own); at >= 0 {
		return 1 - list[at].Cos
	}
	found := f.m.Nearest(id, 1, func(other int) bool {
		return other != id && f.m.Label(other) == label && !f.m.SamePhoto(id, other)
	})
	if len(found) == 0 {
		return 0
	}
	return 1 - found[0].Cos
}

// medianAndMAD is the median and the median absolute deviation from it.
func medianAndMAD(x []float64) (median, mad float64) {
	sorted := slices.Sorted(slices.Values(x))
	median = sorted[len(sorted)/2]
	for i, v := range sorted {
		sorted[i] = math.Abs(v - median)
	}
	slices.Sort(sorted)
	return median, sorted[len(sorted)/2]
}
