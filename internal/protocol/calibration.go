package protocol

import (
	"math"

	"fieldmark/internal/eval"
)

// diagram counts answers by confidence, in the bins of eval.ECE.
func diagram(answers []eval.Answer, bins int) []Bin {
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
