package main

import (
	"math"
	"testing"
)

// A line is found with no error, noise with one that has nought within two of it; what
// the first half does is of no concern.
func TestSlope(t *testing.T) {
	var line, noise []held
	for i := range 20 {
		x := held{done: 150 * i, bytes: 1e8 + 2000*150*float64(i)}
		if i < 10 {
			x.bytes = 5e8
		}
		line = append(line, x)
		noise = append(noise, held{done: 150 * i, bytes: 1e8 + 3e6*math.Sin(float64(7*i*i))})
	}
	if grows, give := slope(line); math.Abs(grows-2000) > 1e-6 || give > 1e-6 {
		t.Errorf("2000 bytes an action are %v ± %v", grows, give)
	}
	if grows, give := slope(noise); give == 0 || math.Abs(grows) > 2*give {
		t.Errorf("no growth is %v ± %v", grows, give)
	}
}
