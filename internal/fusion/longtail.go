package fusion

import "slices"

// Head tells which labels of Y_e the long-tail variant (paper, supplement) still
// counts as known when it forms P_in. Counts holds the number of exemplars of
// each label (0: not in Y_e). The rarest two thirds of the n labels that have any
// are treated as outside Y_e: floor(2n/3) of them, so that a single label stays.
// Among labels with equally many exemplars, the one with the lower index stays;
// number them by when they were first taught, and the elder stays.
func Head(counts []int) []bool {
	var labels []int
	for y, c := range counts {
		if c > 0 {
			labels = append(labels, y)
		}
	}
	slices.SortStableFunc(labels, func(a, b int) int { return counts[b] - counts[a] })
	head := make([]bool, len(counts))
	for _, y := range labels[:len(labels)-2*len(labels)/3] {
		head[y] = true
	}
	return head
}
