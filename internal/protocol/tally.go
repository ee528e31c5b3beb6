package protocol

import (
	"slices"
	"strings"

	"fieldmark/internal/eval"
)

// heading names a Score before it has answers.
type heading struct {
	name     string
	zeroShot bool
}

// tally makes the scores of one variant of the answers to questions. Headings
// that nothing was asked under are left out.
func tally(headings []heading, questions []question, answers [][]answer, v, bins int) []Score {
	scores := make([]Score, len(headings))
	of := make([][]eval.Answer, len(headings))
	for i, h := range headings {
		scores[i] = Score{Task: h.name, ZeroShot: h.zeroShot}
	}
	for i, q := range questions {
		a := answers[i][v].Answer
		s := &scores[q.score]
		of[q.score] = append(of[q.score], a)
		right := 0
		if a.Right {
			right = 1
		}
		s.Asked++
		s.Right += right
		if q.group != "" {
			g := slices.IndexFunc(s.Groups, func(g Group) bool { return g.Name == q.group })
			if g < 0 {
				g = len(s.Groups)
				s.Groups = append(s.Groups, Group{Name: q.group})
			}
			s.Groups[g].Asked++
			s.Groups[g].Right += right
		}
	}
	out := scores[:0]
	for i, s := range scores {
		if s.Asked > 0 {
			s.ECE = eval.ECE(of[i], bins)
			slices.SortFunc(s.Groups, func(a, b Group) int { return strings.Compare(a.Name, b.Name) })
			out = append(out, s)
		}
	}
	return out
}

// reliability is the diagram over the answers that count for target tasks.
func reliability(headings []heading, questions []question, answers [][]answer, v, bins int) []eval.Bin {
	var of []eval.Answer
	for i, q := range questions {
		if !headings[q.score].zeroShot {
			of = append(of, answers[i][v].Answer)
		}
	}
	return eval.Reliability(of, bins)
}
