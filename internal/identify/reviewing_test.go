package identify

import (
	"slices"
	"testing"
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

func TestTheQueueByPlace(t *testing.T) {
	at := func(id ObservationID, latitude, longitude float64) Waiting {
		return Waiting{Observation: id, Latitude: &latitude, Longitude: &longitude}
	}
	// Two in Munich some metres apart, one in Sydney between them by time, and one of
	// which nobody knows where it was.
	list := []Waiting{{Observation: 4}, at(1, 48.1371, 11.5754), at(2, -33.87, 151.21), at(3, 48.1372, 11.5755)}
	got := idsOf(byPlace(list, User{Role: Curator}))
	i, j := slices.Index(got, 1), slices.Index(got, 3)
	if len(got) != 4 || i-j != 1 && j-i != 1 || got[3] != 4 {
		t.Errorf("%v", got)
	}
}

func TestWhatIsPutOffComesLast(t *testing.T) {
	list := []Queued{{1, 7}, {2, 7}, {3, 8}, {4, 7}}
	if got := lastly(list, []ObservationID{4, 9, 1}); !slices.Equal(got, []Queued{{2, 7}, {3, 8}, {4, 7}, {1, 7}}) {
		t.Errorf("%v", got)
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
