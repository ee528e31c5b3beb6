package eval

import "math"

// Running is the share of right answers among the last window answers (fewer at the
// beginning) after each answer, NaN-free: element i looks back from answer i.
func Running(answers []Answer, window int) []float64 {
	out := make([]float64, len(answers))
	right := 0
	for i, a := range answers {
		if a.Right {
			right++
		}
		if old := i - window; old >= 0 && answers[old].Right {
			right--
		}
		out[i] = float64(right) / float64(min(i+1, window))
	}
	return out
}

// Wilson is the 95 % score interval of a share of right ones among n (E. B. Wilson,
// "Probable Inference…", JASA 1927); 0 and 1 for none.
func Wilson(right, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959963984540054
	p, m := float64(right)/float64(n), float64(n)
	centre := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, centre-half), min(1, centre+half)
}

// Bin is one bar of a reliability diagram: answers of about one confidence.
type Bin struct {
	Asked      int     `json:"asked"`
	Right      int     `json:"right"`
	Confidence float64 `json:"confidence"` // their sum; its mean is Confidence/Asked
}

// Reliability counts answers by confidence, in the bins of ECE.
func Reliability(answers []Answer, bins int) []Bin {
	out := make([]Bin, bins)
	for _, a := range answers {
		b := &out[min(max(int(math.Ceil(a.Confidence*float64(bins)))-1, 0), bins-1)]
		b.Asked++
		b.Confidence += a.Confidence
		if a.Right {
			b.Right++
		}
	}
	return out
}
