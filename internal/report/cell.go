package report

import (
	"fmt"
	"math"
	"strconv"
)

// Cell is one value as it is shown, and as it is counted.
type Cell struct {
	Text string
	// Value is NaN for a cell that is no number, or is missing. SD is its standard
	// deviation, 0 where there is none.
	Value, SD float64
}

// missing marks what was not measured.
const missing = "–"

func words(s string) Cell { return Cell{Text: s, Value: math.NaN()} }

func none() Cell { return words(missing) }

// percent is a share as a percentage.
func percent(share, sd float64) Cell {
	c := Cell{Text: fmt.Sprintf("%.1f", 100*share), Value: 100 * share, SD: 100 * sd}
	if sd >= 0.0005 { // less would be written as 0.0
		c.Text += fmt.Sprintf(" ± %.1f", 100*sd)
	}
	return c
}

func count(n int) Cell { return Cell{Text: thousands(n), Value: float64(n)} }

// seconds is a time to two digits or so, with its unit.
func seconds(s float64) Cell {
	if math.IsNaN(s) {
		return none()
	}
	return Cell{Text: duration(s), Value: s}
}

func duration(s float64) string {
	switch {
	case s == 0:
		return "0 s"
	case s < 1e-3:
		return digits(s*1e6) + " µs"
	case s < 1:
		return digits(s*1e3) + " ms"
	case s < 1000:
		return digits(s) + " s"
	}
	return thousands(int(math.Round(s))) + " s"
}

// roundDuration is duration for a power of ten, without the noughts behind a point.
func roundDuration(s float64) string {
	for _, unit := range []struct {
		seconds float64
		name    string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}} {
		if s > unit.seconds*.999 {
			return thousands(int(math.Round(s/unit.seconds))) + " " + unit.name
		}
	}
	return thousands(int(math.Round(s*1e9))) + " ns"
}

// digits writes a positive number below 1,000 to three digits at most.
func digits(x float64) string {
	switch {
	case x >= 99.95:
		return fmt.Sprintf("%.0f", x)
	case x >= 9.995:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
