package protocol

import (
	"fmt"

	"fieldmark/internal/fusion"
)

// halfAPoint is how far zero-shot tasks may fall (METHOD section 5), and near
// below aim-emb (section 7).
const halfAPoint = .005

// Claims looks up, at the last stage of every protocol but Log, whether what the
// paper reports holds in points:
//
//   - AIM is no worse than averaging on zero-shot tasks;
//   - TreeProbe is no worse than KNN on target tasks;
//   - zero-shot tasks lose at most half a point against zero-shot;
//
// and, of ours, that near is at most half a point below aim-emb on either. What
// the points do not have is not looked up. Nothing is allowed for chance: judge a
// claim that fails by the number of images asked (Claim.Asked).
func Claims(points []Point) []Claim {
	last := map[series]Point{}
	final := Last(points)
	for _, p := range final {
		last[p.series()] = p
	}
	var out []Claim
	for _, p := range final {
		k := p.series()
		if k.protocol == Log {
			continue
		}
		for _, c := range comparisons(k) {
			other, ok := last[c.with]
			if !ok {
				continue
			}
			left, right := c.figure(p), c.figure(other)
			if left == nil || right == nil {
				continue
			}
			out = append(out, Claim{
				Text: c.text, Where: k.String(), Left: left.Mean, Right: right.Mean, Slack: c.slack, Asked: c.asked(p), Runs: p.Runs,
				Holds: left.Mean >= right.Mean-c.slack-rounding,
			})
		}
	}
	return out
}

// rounding is what means of equal counts may differ by.
const rounding = 1e-12

func (k series) String() string {
	out := fmt.Sprintf("%s, %s, %s", k.protocol, k.system, k.rule)
	if k.longTail {
		out += ", long tail"
	}
	if k.candidates != "own" {
		out += ", " + k.candidates
	}
	return out
}

// comparison is a series' figure set against another's.
type comparison struct {
	text string
	with series
	measure
	slack float64
}

// measure is one of a point's two accuracies, and how many images it is of.
type measure struct {
	figure func(Point) *Figure
	asked  func(Point) int
}

var (
	targets = measure{func(p Point) *Figure { return p.Target }, func(p Point) int { return p.TargetAsked }}
	others  = measure{func(p Point) *Figure { return p.ZeroShot }, func(p Point) int { return p.ZeroShotAsked }}
)

// comparisons are those in which a series stands on the left.
func comparisons(k series) []comparison {
	if k.longTail {
		return nil
	}
	by := func(r fusion.Rule) series { o := k; o.rule = r; return o }
	var out []comparison
	add := func(text string, with series, of measure, slack float64) {
		out = append(out, comparison{text, with, of, slack})
	}
	switch k.rule {
	case fusion.AIMEmb:
		add("AIM is no worse than averaging on zero-shot tasks (embeddings)", by(fusion.AvgEmb), others, 0)
		if k.system.Kind == fusion.Tree {
			knn := k
			knn.system = System{Kind: fusion.KNNWAvg, K: k.system.K, TauBeta: k.system.TauBeta}
			add("TreeProbe is no worse than KNN on target tasks", knn, targets, 0)
		}
		add("zero-shot tasks lose at most half a point", by(fusion.ZeroShot), others, halfAPoint)
	case fusion.AIMProb:
		add("AIM is no worse than averaging on zero-shot tasks (probabilities)", by(fusion.AvgProb), others, 0)
	case fusion.Near:
		add("near is at most half a point below aim-emb on target tasks", by(fusion.AIMEmb), targets, halfAPoint)
		add("near is at most half a point below aim-emb on zero-shot tasks", by(fusion.AIMEmb), others, halfAPoint)
	}
	return out
}
