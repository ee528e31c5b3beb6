package report

import (
	"math"
	"slices"
	"strings"
)

// tooClose is the distance, in percent, at which two points cannot be told apart in
// a chart.
const tooClose = .1

// overlaps says which lines of a chart lie on one another all along, so that but one
// of them is seen; "" if none do.
func overlaps(lines []Line) string {
	var said []string
	done := make([]bool, len(lines))
	for i, l := range lines {
		var names []string
		for j := i; j < len(lines); j++ {
			if !done[j] && l.covers(lines[j]) {
				done[j] = true
				names = append(names, lines[j].Name)
			}
		}
		if len(names) > 1 {
			said = append(said, strings.Join(names, "; "))
		}
	}
	if len(said) == 0 {
		return ""
	}
	return "On one line: " + strings.Join(said, ". And: ") + "."
}

// covers says whether two lines have the same points, as far as one can see.
func (l Line) covers(o Line) bool {
	return slices.Equal(l.X, o.X) && slices.EqualFunc(l.Y, o.Y, func(a, b float64) bool { return math.Abs(a-b) < tooClose })
}
