package identify

import (
	"testing"
)

// However many lessons there were, a curve that is sent every second to a wall has a
// few hundred points at most, ends at the last lesson, and begins no sooner than asked.
func TestCurvesAreShort(t *testing.T) {
	for _, n := range []int{0, 2, 3, 100, 5000, 100_000} {
		trials := make([]TrialRecord, n)
		fused, zero := answersOf(trials)
		curve := curveOf(trials, fused, zero, boardWindow, boardLeast)
		if n < boardLeast {
			if len(curve) != 0 {
				t.Errorf("%d lessons have a curve", n)
			}
			continue
		}
		if len(curve) > 2*maxCurve || curve[0].Lesson < boardLeast || curve[len(curve)-1].Lesson != n {
			t.Errorf("%d lessons: %d points from %d to %d", n, len(curve), curve[0].Lesson, curve[len(curve)-1].Lesson)
		}
	}
}

// Of many photos that were taught at once a few decide which are near, spread over all.
func TestNearestToAFew(t *testing.T) {
	for _, n := range []int{1, 31, 32, 33, 63, 64, 500} {
		if got := len(nearestTo(make([][]float32, n)).about); got > turnTaught || got < min(n, turnTaught/2) {
			t.Errorf("%d were taught, %d are looked at", n, got)
		}
	}
}
