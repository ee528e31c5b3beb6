package eval

import (
	"math"
	"testing"
)

// Two bins. (0, ½]: confidences .4 and .5, one right: |1 - .9| = .1.
// (½, 1]: .6, .8 and 1, one right: |1 - 2.4| = 1.4. ECE = (.1 + 1.4)/5 = .3.
func TestECEByHand(t *testing.T) {
	answers := []Answer{{.4, true}, {.5, false}, {.6, false}, {.8, true}, {1, false}}
	if got := ECE(answers, 2); math.Abs(got-.3) > 1e-12 {
		t.Errorf("ECE = %g, want .3", got)
	}
}

func TestECEAtTheEnds(t *testing.T) {
	if got := ECE([]Answer{{0, false}, {1, true}}, 15); got != 0 {
		t.Errorf("perfectly calibrated answers have ECE %g", got)
	}
	if got := ECE([]Answer{{1, false}}, 15); got != 1 {
		t.Errorf("certain and wrong has ECE %g, want 1", got)
	}
	if got := ECE(nil, 15); !math.IsNaN(got) {
		t.Errorf("ECE of nothing = %g, want NaN", got)
	}
}

// 2, 4, 9: mean 5, squared deviations 9 + 1 + 16 = 26, over 2 is 13.
func TestMeanSD(t *testing.T) {
	mean, sd := MeanSD([]float64{2, 4, 9})
	if math.Abs(mean-5) > 1e-12 || math.Abs(sd-math.Sqrt(13)) > 1e-12 {
		t.Errorf("mean %g, sd %g; want 5, √13", mean, sd)
	}
	if _, sd := MeanSD([]float64{1, 3}); math.Abs(sd-math.Sqrt2) > 1e-12 {
		t.Errorf("sd of 1 and 3 = %g, want √2", sd)
	}
	if _, sd := MeanSD([]float64{7}); sd != 0 {
		t.Errorf("sd of one number = %g", sd)
	}
}
