package web

import (
	"math"
	"testing"
)

// 48° 8′ 13.2″ = 48 + 8/60 + 13.2/3600 = 48.137.
func TestParseDegrees(t *testing.T) {
	for text, want := range map[string]float64{
		"48.137": 48.137, " 48,137 ": 48.137, "-11.5": -11.5, "−11.5": -11.5, "0": 0, "+3": 3,
		"48° 8' 13.2\" N": 48.137, "48°8′13.2″N": 48.137, "N 48 8 13.2": 48.137, "48 8.22": 48.137, "48° 8,22' n": 48.137,
		"11.5 S": -11.5, "S 11° 30'": -11.5, "-11 30": -11.5, "48.137°": 48.137,
	} {
		if got, ok := parseDegrees(text, "N", "S"); !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("%q is %v, %v; want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "north", "48 60", "48 8 61", "11.5 W", "-11.5 S", "1e3", "NaN", "48 8 13 2", "4 8.1.2", "48..1"} {
		if got, ok := parseDegrees(text, "N", "S"); ok {
			t.Errorf("%q was taken for %v", text, got)
		}
	}
}

// East is Ost in German: both letters mean it.
func TestParseDegreesOfTheEast(t *testing.T) {
	for text, want := range map[string]float64{"11.5 E": 11.5, "11° 30′ O": 11.5, "o 11.5": 11.5, "11.5 W": -11.5} {
		if got, ok := parseDegrees(text, "EO", "W"); !ok || got != want {
			t.Errorf("%q is %v, %v; want %v", text, got, ok, want)
		}
	}
}

func TestSplitPlace(t *testing.T) {
	for in, want := range map[[2]string][2]string{
		{"48.137, 11.575", ""}:         {"48.137", "11.575"},
		{"48°8'13\"N 11°34'30\"E", ""}: {"48°8'13\"N", "11°34'30\"E"},
		{"48,137", "11,575"}:           {"48,137", "11,575"},
		{"48,137", ""}:                 {"48,137", ""},
		{"", ""}:                       {"", ""},
		{"N 48 8.22", ""}:              {"N 48 8.22", ""},
	} {
		if a, b := splitPlace(in[0], in[1]); a != want[0] || b != want[1] {
			t.Errorf("%q is %q and %q, want %q", in, a, b, want)
		}
	}
}
