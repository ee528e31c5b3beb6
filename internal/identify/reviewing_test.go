package identify

import (
	"slices"
	"testing"
	"time"
)

// The curve visits every cell once, and never leaps: two cells that follow one
// another on it share a side.
func TestHilbertsCurve(t *testing.T) {
	const bits, side = 5, 32
	type cell struct{ x, y int }
	at := make([]*cell, side*side)
	for x := range side {
		for y := range side {
			d := hilbert(uint64(x), uint64(y), bits)
			if d >= side*side || at[d] != nil {
				t.Fatalf("(%d, %d) is at %d, which is taken or past the end", x, y, d)
			}
			at[d] = &cell{x, y}
		}
	}
	for d := 1; d < len(at); d++ {
		dx, dy := at[d].x-at[d-1].x, at[d].y-at[d-1].y
		if dx*dx+dy*dy != 1 {
			t.Fatalf("from %v at %d to %v", *at[d-1], d-1, *at[d])
		}
	}
}

func TestArrange(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 5, n, 12, 0, 0, 0, time.UTC) }
	at := func(latitude, longitude float64) (*float64, *float64) { return &latitude, &longitude }
	skip1, skip2 := day(20), day(21)
	list := []Waiting{
		{Observation: 1, At: day(3), Reading: Reading{Chance: 0.9, Second: 0.05}},                  // doubt 0.15
		{Observation: 2, At: day(1), Reading: Reading{Chance: 0.5, Second: 0.45}},                  // 0.95
		{Observation: 3, At: day(2), Reading: Reading{Chance: 0.3, Second: 0.01}},                  // 0.71: unsure, but told from the second
		{Observation: 4, At: day(1), Reading: Reading{Chance: 0.5, Second: 0.5}, Skipped: &skip2},  // 1, put off
		{Observation: 5, At: day(9), Reading: Reading{Chance: 0.5, Second: 0.49}, Skipped: &skip1}, // put off before
	}
	list[0].Latitude, list[0].Longitude = at(48.1371, 11.5754) // Munich
	list[2].Latitude, list[2].Longitude = at(48.1372, 11.5755)
	for order, want := range map[ReviewOrder][]ObservationID{
		ByDoubt: {2, 3, 1, 5, 4}, "": {2, 3, 1, 5, 4}, ByTime: {2, 3, 1, 5, 4}, ByPlace: {3, 1, 2, 5, 4},
	} {
		sorted := slices.Clone(list)
		if err := arrange(sorted, order); err != nil {
			t.Fatal(err)
		}
		var got []ObservationID
		for _, w := range sorted {
			got = append(got, w.Observation)
		}
		// Which of two neighbours comes first on the curve is its own affair.
		if order == ByPlace && got[0] == 1 {
			got[0], got[1] = got[1], got[0]
		}
		if !slices.Equal(got, want) {
			t.Errorf("by %q: %v, want %v", order, got, want)
		}
	}
	if err := arrange(list, "size"); KindOf(err) != Invalid {
		t.Errorf("by size: %v", err)
	}
}

// What is said without reserve in the queue is what the page of the photo says so:
// the threshold is the one that was found, not the conventional one.
func TestAReadingIsSureFromTheThresholdThatWasFound(t *testing.T) {
	for _, tc := range []struct {
		chance, from float64
		want         bool
	}{{0.55, 0.5, true}, {0.65, 0.7, false}, {0.7, 0.7, true}} {
		if got := (Reading{Chance: tc.chance, From: tc.from}).Sure(); got != tc.want {
			t.Errorf("%v, said from %v on: sure %v", tc.chance, tc.from, got)
		}
	}
}
