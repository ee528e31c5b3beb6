package eval

import (
	"cmp"
	"math"
	"slices"
)

// ThresholdRule says how a threshold of confidence is found from answers that were
// put to the test: the smallest from which on answers are right often enough.
type ThresholdRule struct {
	Target       float64 // share of right answers that is promised, in (0,1)
	Conventional float64 // what holds until there are enough answers
	Least, Most  float64 // where it is looked for
	Step         float64 // of the grid between them
	Window       int     // answers, the latest, that count
	Enough       int     // answers below which the convention holds
	EnoughSaid   int     // answers at or above a threshold without which it is not judged
	Every        int     // it is reconsidered after so many answers
	Inertia      float64 // and changed if it would move by as much
}

// Threshold is what a ThresholdRule came to.
type Threshold struct {
	Value    float64
	Measured bool // false: the convention
	Met      bool // measured, and the target is met; false with Measured: at no threshold, so it is the highest
	Answers  int  // that counted when it was last reconsidered
	Said     int  // of those, at or above Value
	Right    int  // of Said
}

// Find goes through answers in their order and returns the threshold that holds
// after the last.
//
// A threshold t passes if (wrong + 1)/(said + 1) ≤ 1 - Target over the answers with
// a confidence ≥ t: the finite-sample bound of conformal risk control (Angelopoulos,
// Bates, Fisch, Lei, Schuster, "Conformal Risk Control", ICLR 2024, Eq. 4) for the
// loss 1 of a wrong answer. It is the smallest t of the grid that passes together
// with every greater one that is judged. It is reconsidered every few answers only,
// and moves by no less than Inertia, so that what is said does not flicker; the
// same answers always give the same threshold.
func (r ThresholdRule) Find(answers []Answer) Threshold {
	now := Threshold{Value: r.Conventional}
	for n := r.Every; n <= len(answers); n += r.Every {
		if n < r.Enough {
			continue
		}
		recent := answers[max(0, n-r.Window):n]
		next := r.at(recent)
		if now.Measured && next.Measured && math.Abs(next.Value-now.Value) < r.Inertia-1e-9 {
			next.Value = now.Value
			next.Said, next.Right = said(recent, now.Value)
		}
		now = next
	}
	return now
}

// at is the threshold by these answers alone.
func (r ThresholdRule) at(answers []Answer) Threshold {
	best := Threshold{Value: r.Conventional, Answers: len(answers)}
	falling := slices.SortedFunc(slices.Values(answers), func(a, b Answer) int { return cmp.Compare(b.Confidence, a.Confidence) })
	n, right := 0, 0
	for i := int(math.Round((r.Most - r.Least) / r.Step)); i >= 0; i-- {
		t := math.Round((r.Least+float64(i)*r.Step)*1e9) / 1e9
		for ; n < len(falling) && falling[n].Confidence >= t; n++ {
			if falling[n].Right {
				right++
			}
		}
		if n < r.EnoughSaid {
			continue
		}
		passes := float64(n-right+1)/float64(n+1) <= 1-r.Target+1e-12
		if !passes {
			if !best.Measured { // the highest that can be judged fails
				n, right = said(answers, r.Most)
				return Threshold{Value: r.Most, Measured: true, Answers: len(answers), Said: n, Right: right}
			}
			break
		}
		best = Threshold{Value: t, Measured: true, Met: true, Answers: len(answers), Said: n, Right: right}
	}
	return best
}

// said counts the answers of at least a confidence, and of those the right ones.
func said(answers []Answer, least float64) (n, right int) {
	for _, a := range answers {
		if a.Confidence >= least {
			n++
			if a.Right {
				right++
			}
		}
	}
	return n, right
}
