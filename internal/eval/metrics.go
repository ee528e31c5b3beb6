package eval

import "math"

// Answer is one prediction that was put to the test.
type Answer struct {
	Confidence float64 // probability of the label that was named, in [0,1]
	Right      bool
}

// ECE is the expected calibration error over equally wide bins of confidence
// (Guo, Pleiss, Sun, Weinberger, "On Calibration of Modern Neural Networks",
// ICML 2017, Eq. 3): Σ_b |B_b|/n · |accuracy(B_b) - confidence(B_b)|. A bin
// holds the confidences in (b/bins, (b+1)/bins]; NaN for no answers.
func ECE(answers []Answer, bins int) float64 {
	type bin struct{ right, confidence float64 }
	sums := make([]bin, bins)
	for _, a := range answers {
		b := int(math.Ceil(a.Confidence*float64(bins))) - 1
		s := &sums[min(max(b, 0), bins-1)]
		s.confidence += a.Confidence
		if a.Right {
			s.right++
		}
	}
	var sum float64
	for _, s := range sums {
		sum += math.Abs(s.right - s.confidence)
	}
	return sum / float64(len(answers))
}

// MeanSD is the mean of x and its standard deviation as a sample (n-1); the
// latter is 0 for fewer than two.
func MeanSD(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	if len(x) < 2 {
		return mean, 0
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(sd / float64(len(x)-1))
}
