package probe

import "math"

// leastDoubt bounds doubts from below, and so how many exemplars one may stand for.
const leastDoubt = 1e-12

// representatives are about most of the exemplars, or all if there are no more,
// ascending, and how many each stands for. Each is among them with a probability in
// proportion to its doubt, 1 for those in the greatest, by systematic sampling (at even
// distances of the summed probabilities): sums over them, weighted by the inverse, are
// near those over all.
func representatives(doubt []float32, most int) (ids []int, stands []float32) {
	bar := 0.0 // everything is certain
	if len(doubt) > most {
		bar = barFor(doubt, most)
	}
	for id, at := 0, 0.5; id < len(doubt); id++ {
		chance := 1.0
		if d := max(leastDoubt, float64(doubt[id])); d < bar {
			chance = d / bar
		}
		before := math.Floor(at)
		if at += chance; math.Floor(at) > before {
			ids, stands = append(ids, id), append(stands, float32(1/chance))
		}
	}
	return ids, stands
}

// barFor is the doubt from which on an exemplar is certain to be among most of them:
// that at which Σ min(1, doubt/bar) = most, by bisection.
func barFor(doubt []float32, most int) float64 {
	low, high := leastDoubt, float64(len(doubt))
	for range 50 {
		bar, sum := math.Sqrt(low*high), 0.0
		for _, d := range doubt {
			sum += min(1, max(leastDoubt, float64(d))/bar)
		}
		if sum > float64(most) {
			low = bar
		} else {
			high = bar
		}
	}
	return high
}
