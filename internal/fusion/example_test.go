package fusion_test

import (
	"fmt"
	"math"

	"fieldmark/internal/fusion"
)

// Zero-shot takes the image for candidate 0. Its own photo was taught as 1: the paper's
// rule hardly notices, near follows.
func Example() {
	image := []float32{1, 0, 0}
	s, err := fusion.NewScorer(fusion.Query{
		Vector: image, Texts: [][]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, Candidates: 3, Tau: 20,
		Known:      []bool{false, true, false},
		Neighbours: []fusion.Neighbour{{Cosine: 1, Row: 1, Predicted: 1, Vector: image}},
		Near:       fusion.NearParams{Slope: 20, Midpoint: 0.8},
	})
	if err != nil {
		panic(err)
	}
	exemplars, err := s.Tree([]float64{math.Inf(-1), 0, math.Inf(-1)}) // the leaf is sure of 1
	if err != nil {
		panic(err)
	}
	for _, rule := range []fusion.Rule{fusion.ZeroShot, fusion.AIMEmb, fusion.Near} {
		r, err := s.Fuse(rule, exemplars)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s %.2f\n", rule, r.P)
	}
	// Output:
	// zero-shot [1.00 0.00 0.00]
	// aim-emb [1.00 0.00 0.00]
	// near [0.01 0.99 0.00]
}
