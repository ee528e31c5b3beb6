package report

import "testing"

// a and c are one line, b and d another; e is a tenth of a point beside a at its end,
// f is shorter.
func TestOverlaps(t *testing.T) {
	x := []float64{1, 2}
	a, b := Line{Name: "a", X: x, Y: []float64{70, 71}}, Line{Name: "b", X: x, Y: []float64{60, 61}}
	c, d := Line{Name: "c", X: x, Y: []float64{70.05, 71}}, Line{Name: "d", X: x, Y: []float64{60, 61.09}}
	e, f := Line{Name: "e", X: x, Y: []float64{70, 71.2}}, Line{Name: "f", X: x[:1], Y: []float64{70}}
	for _, tt := range []struct {
		lines []Line
		want  string
	}{
		{nil, ""},
		{[]Line{a, b, e, f}, ""},
		{[]Line{a, b, c, e}, "On one line: a; c."},
		{[]Line{a, b, c, d}, "On one line: a; c. And: b; d."},
	} {
		if got := overlaps(tt.lines); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
