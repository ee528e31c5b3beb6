package adopt

import (
	"fmt"
	"math"

	"fieldmark/internal/vec"
)

// shapes asks which of two texts each of two pictures is.
func (s *smoke) shapes(pictures, texts [][]float32, words []string, tau float64) {
	var share [2]float64 // of the right text
	for i, p := range pictures {
		z := []float64{tau * cosine(p, texts[0]), tau * cosine(p, texts[1])}
		vec.Softmax(z)
		share[i] = z[i]
	}
	figures := fmt.Sprintf("the drawn circle is %q to %.1f %%, the drawn square %q to %.1f %%", words[0], 100*share[0], words[1], 100*share[1])
	if share[0] > 0.5 && share[1] > 0.5 {
		s.note("red circle, blue square: told apart (%s)", figures)
		return
	}
	s.warn("it does not tell a drawn red circle from a blue square (%s). An encoder of organisms need not, but if this is a general CLIP "+
		"(OpenAI's, OpenCLIP's, SigLIP, MobileCLIP), then it was read wrongly: compare size, mean, std and tokenizer above with its card", figures)
}

func leastCosine(a, b [][]float32) float64 {
	least := math.Inf(1)
	for i := range a {
		least = min(least, cosine(a[i], b[i]))
	}
	return least
}

// cosine of vectors that are not zero; package clip gives no others.
func cosine(a, b []float32) float64 {
	return min(vec.DotWide(a, b)/(vec.Norm(a)*vec.Norm(b)), 1)
}
