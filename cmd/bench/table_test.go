package main

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"
)

func TestFiguresAreWrittenToThreeDigits(t *testing.T) {
	for _, c := range []struct {
		unit unit
		v    float64
		want string
	}{
		{duration, 0.0123456, "12.3 ms"}, {duration, 61.04, "61.0 s"}, {duration, 4.2e-6, "4.20 µs"}, {duration, 3e-8, "30.0 ns"},
		{duration, 0, "0 ns"}, {duration, 1234.6, "1,235 s"}, {rate, 1234567, "1,234,567/s"}, {rate, 99.96, "100/s"},
		{share, .99567, "99.57 %"}, {excess, 3.21e-6, "+3.2e-06"}, {excess, -1e-7, "-1.0e-07"}, {size, 1802, "1,802 B"},
		{share, math.NaN(), "–"},
	} {
		if got := c.unit.write(c.v); got != c.want {
			t.Errorf("%v of unit %d is %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}

// A row of each direction, with bounds met and missed.
func TestVerdicts(t *testing.T) {
	slower := figure{name: "slower", value: 3}
	quick := row{unit: duration, ours: .02, peers: []figure{slower, {name: "gone", missing: "not installed"}}}
	busy := row{unit: rate, ours: 500, peers: []figure{{name: "busier", value: 1000}}}
	late := row{unit: duration, ours: .02, peers: []figure{{name: "slow", value: 2, least: true}}}
	alike := row{unit: share, ours: .97}
	for _, c := range []struct {
		row           row
		bound         bound
		goal, verdict string
	}{
		{quick, bound{value: .025}, "≤ 25.0 ms", "met"},
		{quick, bound{value: .01}, "≤ 10.0 ms", "missed: 2.00× the goal"},
		{quick, bound{100, "slower"}, "≥ 100× slower", "met"},                         // 3 / 0.02 = 150
		{quick, bound{1000, "slower"}, "≥ 1,000× slower", "missed: 0.15 of the goal"}, // 150 / 1000
		{late, bound{5, "slow"}, "≥ 5× slow", "met"},                                  // more than 2 / 0.02 = 100
		{late, bound{500, "slow"}, "≥ 500× slow", "not compared: stopped"},
		{quick, bound{5, "gone"}, "≥ 5× gone", "not compared"},
		{quick, bound{5, "unheard of"}, "≥ 5× unheard of", "not compared"},
		{busy, bound{value: 400}, "≥ 400/s", "met"},
		{busy, bound{1, "busier"}, "≥ 1× busier", "missed: 0.50 of the goal"},
		{alike, bound{value: .98}, "≥ 98.00 %", "missed by 1.00 points"},
		{alike, bound{value: .97}, "≥ 97.00 %", "met"},
		{alike.unmeasured("gone"), bound{value: .97}, "≥ 97.00 %", "not measured"},
	} {
		if got := c.row.goal(c.bound); got != c.goal {
			t.Errorf("goal %q, want %q", got, c.goal)
		}
		if got := c.row.verdict(c.bound); got != c.verdict {
			t.Errorf("%s with ours %g: %q, want %q", c.goal, c.row.ours, got, c.verdict)
		}
	}
}

func TestWhatStandsBeside(t *testing.T) {
	r := row{unit: duration, ours: .02}
	for _, c := range []struct {
		unit unit
		p    figure
		want string
	}{
		{duration, figure{name: "a", value: 3, note: "cold"}, "a 3.00 s (150×), cold"},
		{duration, figure{name: "a", value: 3, least: true}, "a > 3.00 s (> 150×)"},
		{rate, figure{name: "b", value: .01}, "b 0.01/s (2.00×)"},
		{share, figure{name: "c", value: .5}, "c 50.00 %"},
		{duration, figure{name: "d", missing: "not installed"}, "d: missing (not installed)"},
	} {
		r.unit = c.unit
		if got := r.beside(c.p); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestASectionIsWrittenBothWays(t *testing.T) {
	s := section{title: "speed", notes: []string{"A note."}, rows: []row{{what: "one | two", unit: duration, ours: .02,
		bounds: []bound{{value: .01}, {1, "x"}}, peers: []figure{{name: "x", value: .04}, {name: "y", missing: "gone"}}}}}
	var text, document bytes.Buffer
	if err := s.printText(&text); err != nil {
		t.Fatal(err)
	}
	s.writeMarkdown(&document)
	for _, want := range []string{"speed", "20.0 ms", "≤ 10.0 ms", "missed: 2.00× the goal", "x 40.0 ms (2.00×)", "y: missing (gone)", "A note."} {
		if !strings.Contains(text.String(), want) || !strings.Contains(document.String(), want) {
			t.Errorf("%q is missing in\n%s\nor in\n%s", want, &text, &document)
		}
	}
	row := `| one \| two | 20.0 ms | ≤ 10.0 ms<br>≥ 1× x | **missed: 2.00× the goal**<br>met | x 40.0 ms (2.00×)<br>y: missing (gone) |`
	if !strings.Contains(document.String(), row+"\n") {
		t.Errorf("no row\n%s\nin\n%s", row, &document)
	}
}

// Recall 0.99 is enough: the fastest of those that have it counts, however fast
// the others are; where none has it, the one that finds most.
func TestSearchesAreComparedWhereTheyFindEnough(t *testing.T) {
	sweep := []searches{{width: 16, recall: .9, perSecond: 9000}, {width: 64, recall: .99, perSecond: 4000},
		{width: 48, recall: .992, perSecond: 5000}, {width: 256, recall: 1, perSecond: 1000}}
	if got := leastEnough(sweep); got.width != 48 {
		t.Errorf("width %d counts, want 48", got.width)
	}
	if got := leastEnough([]searches{{width: 32, recall: .5, perSecond: 1}, {width: 16, recall: .4, perSecond: 2}}); got.width != 32 {
		t.Errorf("width %d counts, want 32", got.width)
	}
}

// The nearest rank: of 1, 2 … 100 ms, a share of 0.95 does not exceed 96 ms.
func TestQuantile(t *testing.T) {
	var list times
	for i := 100; i > 0; i-- {
		list = append(list, time.Duration(i)*time.Millisecond)
	}
	for q, want := range map[float64]float64{.5: .051, .95: .096, .99: .1, 1: .1, 0: .001} {
		if got := list.quantile(q); math.Abs(got-want) > 1e-12 {
			t.Errorf("quantile %g is %g, want %g", q, got, want)
		}
	}
}

func TestGrowing(t *testing.T) {
	got := growing(6000)
	want := []int{1000, 2000, 5000, 6000}
	if len(got) != len(want) {
		t.Fatalf("%v, want %v", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%v, want %v", got, want)
		}
	}
	if got := growing(500); len(got) != 1 || got[0] != 500 {
		t.Errorf("%v, want 500 alone", got)
	}
}

// Of two minutes, 20 seconds were gone when the cold fit began; of 3:20 that two
// processors worked, 30.
func TestAFitThatWasStopped(t *testing.T) {
	r := refit{said: []found{{What: "warm", Seconds: 5, Used: 7}, {What: "cold begins", Seconds: 20, Used: 30}},
		err: errSlow{2 * time.Minute, 200 * time.Second}}
	for _, c := range []struct {
		got   figure
		value float64
		least bool
	}{
		{r.figure("cold", byClock), 100, true}, {r.figure("cold", ofProcessors), 170, true},
		{r.figure("warm", byClock), 5, false}, {r.figure("warm", ofProcessors), 7, false},
	} {
		if c.got.value != c.value || c.got.least != c.least || c.got.missing != "" {
			t.Errorf("%+v, want %g", c.got, c.value)
		}
	}
	for _, p := range (refit{err: errMissing("gone")}).figures() {
		if p.missing != "gone" {
			t.Errorf("%+v", p)
		}
	}
}
