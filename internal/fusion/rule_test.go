package fusion

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// What a rule does not say that it reads changes no answer of it; what it says, does.
func TestWhatRulesRead(t *testing.T) {
	nearest, known := map[Rule]bool{}, map[Rule]bool{}
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 5))
		q, logProb, row := randomQuery(rng)
		q.Labels = len(q.Texts)
		answer := func(q Query, rule Rule) []float64 { return fuse(t, scorer(t, q), rule, logProb, row).P }
		otherNearest, otherKnown := q, q
		otherNearest.Nearest = []Neighbour{{Cosine: .9, Row: rng.IntN(len(q.Texts)), Vector: randomExemplar(rng, len(q.Vector))}}
		otherKnown.Known = make([]bool, q.Candidates)
		for y := range otherKnown.Known {
			otherKnown.Known[y] = !q.Known[y]
		}
		for _, rule := range Rules() {
			p := answer(q, rule)
			nearest[rule] = nearest[rule] || !alike(answer(otherNearest, rule), p, 0)
			known[rule] = known[rule] || !alike(answer(otherKnown, rule), p, 0)
		}
	}
	for _, rule := range Rules() {
		if rule.AsksNearest() != nearest[rule] || rule.ReadsKnown() != known[rule] {
			t.Errorf("%s: asks the nearest %v, and they change it: %v; reads what is known %v, and that changes it: %v",
				rule, rule.AsksNearest(), nearest[rule], rule.ReadsKnown(), known[rule])
		}
	}
}

func TestNames(t *testing.T) {
	for _, r := range Rules() {
		if got, err := ParseRule(string(r)); err != nil || got != r {
			t.Errorf("ParseRule(%q) = %q, %v", r, got, err)
		}
	}
	for _, s := range Systems() {
		if got, err := ParseSystem(string(s)); err != nil || got != s {
			t.Errorf("ParseSystem(%q) = %q, %v", s, got, err)
		}
	}
	for _, bad := range []string{"", "AIM-emb", "aim"} {
		_, err := ParseRule(bad)
		if err == nil || !strings.Contains(err.Error(), "aim-prob-printed, aim-prob-program, bayes, aim-bayes, careful, near") {
			t.Errorf("ParseRule(%q): error %v does not list the rules", bad, err)
		}
		_, err = ParseSystem(bad)
		if err == nil || !strings.Contains(err.Error(), "tree, tree-single, knn-mv") {
			t.Errorf("ParseSystem(%q): error %v does not list the systems", bad, err)
		}
	}
}
