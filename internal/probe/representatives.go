package probe

import "math"

// leastDoubt bounds how many exemplars one may stand for.
const leastDoubt = 1e-12

// representatives are about most of the exemplars, or all if there are no more,
// ascending, and how many each stands for. Each is among them with odds in
// proportion to its doubt, which is certainty for those in the greatest, at even
// distances: sums over them weighted so are near those over all.
func representatives(doubt []float32, most int) (ids []int, stands []float32) {
	bar := 0.0 // a doubt that is certain to be among them
	if len(doubt) > most {
		bar = barFor(doubt, most)
	}
	for id, at := 0, 0.5; id < len(doubt); id++ {
		odds := 1.0
		if d := max(leastDoubt, float64(doubt[id])); d < bar {
			odds = d / bar
		}
		before := math.Floor(at)
		if at += odds; math.Floor(at) > before {
			ids, stands = append(ids, id), append(stands, float32(1/odds))
		}
	}
	return ids, stands
}

// barFor is the bar at which the odds add up to most, by bisection.
func barFor(doubt []float32, most int) float64 {
	low, high := leastDoubt, float64(len(doubt))
	for range 50 {
		bar, odds := math.Sqrt(low*high), 0.0
		for _, d := range doubt {
			odds += min(1, max(leastDoubt, float64(d))/bar)
		}
		if odds > float64(most) {
			low = bar
		} else {
			high = bar
		}
	}
	return high
}
