package eval

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// plainRule is the rule of the test's tables: no window, no inertia.
var plainRule = ThresholdRule{Target: 0.9, Conventional: 0.6, Least: 0.3, Most: 0.9, Step: 0.1,
	Window: 1000, Enough: 20, EnoughSaid: 9, Every: 1, Inertia: 0}

func answersAt(confidence float64, right, wrong int) []Answer {
	var out []Answer
	for range right {
		out = append(out, Answer{confidence, true})
	}
	for range wrong {
		out = append(out, Answer{confidence, false})
	}
	return out
}

func join(parts ...[]Answer) (out []Answer) {
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func TestThresholdByHand(t *testing.T) {
	for name, c := range map[string]struct {
		answers []Answer
		want    Threshold
	}{
		"none": {nil, Threshold{Value: .6}},
		// 19 answers are too few, however good.
		"too few": {answersAt(.95, 19, 0), Threshold{Value: .6}},
		// 20 right ones at .95: at each threshold down to .3, (0+1)/21 = .048 ≤ .1.
		"all right": {answersAt(.95, 20, 0), Threshold{Value: .3, Measured: true, Met: true, Answers: 20, Said: 20, Right: 20}},
		// ≥ .7: 30 said, 1 wrong: 2/31 = .065 passes. ≥ .5: 40 said, 5 wrong: 6/41 = .146 does not; .6 says the same 30 as .7.
		"the middle is wrong": {join(answersAt(.95, 20, 0), answersAt(.75, 9, 1), answersAt(.55, 6, 4)),
			Threshold{Value: .6, Measured: true, Met: true, Answers: 40, Said: 30, Right: 29}},
		// A lower threshold that would pass again does not count: ≥ .7 fails (6 wrong of 30: 7/31), ≥ .3 would pass
		// (6 of 130: 7/131 = .053); only .8 and .9 are safe (20 said).
		"no island": {join(answersAt(.95, 20, 0), answersAt(.75, 4, 6), answersAt(.35, 100, 0)),
			Threshold{Value: .8, Measured: true, Met: true, Answers: 130, Said: 20, Right: 20}},
		// ≥ .9 is judged (20 said) and fails: 11/21. So nothing is safe.
		"never": {answersAt(.95, 10, 10), Threshold{Value: .9, Measured: true, Answers: 20, Said: 20, Right: 10}},
		// 30 answers, but no threshold of the grid has 9 said: nobody can tell.
		"too timid": {join(answersAt(.1, 22, 0), answersAt(.95, 8, 0)), Threshold{Value: .6, Answers: 30}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plainRule.Find(c.answers); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// It changes only at its steps, and only by as much as it must.
func TestThresholdHoldsStill(t *testing.T) {
	r := plainRule
	r.Step, r.Every, r.Inertia, r.Enough = 0.01, 25, 0.03, 100
	rng := rand.New(rand.NewPCG(1, 2))
	var answers []Answer
	last, changes := r.Find(nil), 0
	for i := range 2_000 {
		c := rng.Float64()
		answers = append(answers, Answer{c, rng.Float64() < math.Sqrt(c)})
		if i%5 != 4 {
			continue
		}
		now := r.Find(answers)
		if now.Value != last.Value {
			changes++
			if (i+1)%25 != 0 || last.Measured && math.Abs(now.Value-last.Value) < 0.03-1e-9 {
				t.Fatalf("after %d answers it went from %v to %v", i+1, last.Value, now.Value)
			}
		}
		last = now
	}
	if changes == 0 || changes > 40 {
		t.Errorf("it changed %d times in 2,000 answers", changes)
	}
	// P(right | c ≥ t) = (2/3)(1 - t^1.5)/(1 - t) = 0.9 at t = 0.63.
	if math.Abs(last.Value-0.63) > 0.12 {
		t.Errorf("it came to %v", last.Value)
	}
}

func TestRunningByHand(t *testing.T) {
	a := []Answer{{1, true}, {1, false}, {1, true}, {1, true}, {1, false}}
	want := []float64{1, .5, 2. / 3, 2. / 3, 2. / 3}
	for i, got := range Running(a, 3) {
		if math.Abs(got-want[i]) > 1e-12 {
			t.Errorf("after %d: %v, want %v", i+1, got, want[i])
		}
	}
}

// 8 of 10: the published interval is 0.490 to 0.943 (Newcombe 1998 gives the method).
func TestWilsonByHand(t *testing.T) {
	low, high := Wilson(8, 10)
	if math.Abs(low-0.4902) > 1e-4 || math.Abs(high-0.9433) > 1e-4 {
		t.Errorf("%v to %v", low, high)
	}
	if low, high := Wilson(0, 0); low != 0 || high != 1 {
		t.Errorf("of none: %v to %v", low, high)
	}
}

// The bars add up to the calibration error.
func TestReliabilityAddsUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var a []Answer
	for range 500 {
		a = append(a, Answer{rng.Float64(), rng.IntN(2) == 0})
	}
	a = append(a, Answer{0, true}, Answer{1, true})
	var sum float64
	for _, b := range Reliability(a, 10) {
		sum += math.Abs(float64(b.Right) - b.Confidence)
	}
	if got := sum / float64(len(a)); math.Abs(got-ECE(a, 10)) > 1e-12 {
		t.Errorf("%v, want %v", got, ECE(a, 10))
	}
}

// Confidences .2, .5 and .5 in (0, ½], .6 and 1 in (½, 1]; the bins are those of ECE.
func TestReliabilityByHand(t *testing.T) {
	answers := []Answer{{Confidence: .2, Right: true}, {Confidence: .5}, {Confidence: .5}, {Confidence: .6, Right: true}, {Confidence: 1, Right: true}}
	got := Reliability(answers, 2)
	want := []Bin{{Asked: 3, Right: 1, Confidence: 1.2}, {Asked: 2, Right: 2, Confidence: 1.6}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	var ece float64
	for _, b := range got {
		ece += math.Abs(float64(b.Right)-b.Confidence) / float64(len(answers))
	}
	if want := ECE(answers, 2); math.Abs(ece-want) > 1e-12 {
		t.Errorf("the diagram's ECE is %g, ECE says %g", ece, want)
	}
}
