package report

import (
	"fmt"
	"slices"

	"fieldmark/internal/eval"
	"fieldmark/internal/fusion"
	"fieldmark/internal/protocol"
	"fieldmark/internal/tree"
)

func psi(s protocol.System) int {
	if s.Psi != 0 {
		return s.Psi
	}
	return tree.DefaultPsi
}

// log is test-then-train: accuracy and calibration as the memory is corrected.
func (c composer) log() (Section, bool) {
	all := c.logs()
	if len(all) == 0 {
		return Section{}, false
	}
	s := Section{ID: "log", Title: "Along a log of lessons",
		Text: []string{"Each photo is asked before it is taught, among the labels of all target tasks: what its reader would have been told. " +
			"A probability is calibrated if of the answers given with, say, 80 % four in five are right; the calibration error is the mean distance from that."},
		Tables: []Table{logTable(all)},
	}
	curve := Chart{ID: "log-accuracy", Title: "Accuracy against corrections", X: Axis{Label: "lessons"}, Y: Axis{Label: "top-1 of the latest, %"}}
	diagram := Chart{ID: "reliability", Title: "Reliability", X: Axis{Label: "stated probability, %", To: 100}, Y: Axis{Label: "right, %", To: 100},
		Note: fmt.Sprintf("Answers by what was said of them; a point is of %d answers or more.", fewAnswers)}
	first := slices.Clone(all)
	slices.SortStableFunc(first, func(a, b logged) int { return a.rank() - b.rank() })
	for _, l := range first[:min(len(first), mostLines)] {
		curve.Lines = append(curve.Lines, l.curve())
	}
	for _, l := range first[:min(len(first), mostDiagrams)] {
		if d := l.reliability(); len(d.X) > 0 {
			diagram.Lines = append(diagram.Lines, d)
		}
	}
	s.Charts = append(s.Charts, curve)
	if len(diagram.Lines) > 0 {
		diagram.Lines = append(diagram.Lines, Line{Name: "as it should be", X: []float64{0, 100}, Y: []float64{0, 100}, Reference: true})
		s.Charts = append(s.Charts, diagram)
	}
	return s, true
}

const (
	// mostDiagrams is how many lines a reliability diagram has at most: they cross.
	mostDiagrams = 3
	// fewAnswers is how many answers a point of it is of at least: one or two say
	// nothing.
	fewAnswers = 5
)

// logged is the windows of a log as one strand read it, all seeds together.
type logged struct {
	strand
	lessons, asked, right []float64 // of each window
	bins                  []eval.Bin
}

// logs are the strands of the protocol Log.
func (c composer) logs() []logged {
	var out []logged
	for _, s := range strands(c.points, protocol.Log, "union") {
		l := logged{strand: s}
		first := protocol.System{}
		for _, r := range c.Rows {
			if r.Protocol != protocol.Log || r.Rule != s.rule || s.rule != fusion.ZeroShot && (r.System != s.system || r.LongTailRule != s.longTail) {
				continue
			}
			if s.rule == fusion.ZeroShot { // the same by every system: it is counted once
				if first.Kind == "" {
					first = r.System
				}
				if r.System != first || r.LongTailRule {
					continue
				}
			}
			l.add(r)
		}
		out = append(out, l)
	}
	return out
}

func (l *logged) add(r protocol.Row) {
	for len(l.asked) < r.Stage {
		l.lessons, l.asked, l.right = append(l.lessons, 0), append(l.asked, 0), append(l.right, 0)
	}
	for _, s := range r.Scores {
		l.asked[r.Stage-1] += float64(s.Asked)
		l.right[r.Stage-1] += float64(s.Right)
		l.lessons[r.Stage-1] = max(l.lessons[r.Stage-1], float64(r.Exemplars))
	}
	if l.bins == nil {
		l.bins = make([]eval.Bin, len(r.Bins))
	}
	for i, b := range r.Bins {
		if i < len(l.bins) {
			l.bins[i].Asked += b.Asked
			l.bins[i].Right += b.Right
			l.bins[i].Confidence += b.Confidence
		}
	}
}

// curve is the share of right answers, window by window.
func (l logged) curve() Line {
	line := Line{Name: l.name()}
	for i, n := range l.asked {
		if n > 0 {
			line.X, line.Y = append(line.X, l.lessons[i]), append(line.Y, 100*l.right[i]/n)
		}
	}
	return line
}

// reliability is the share of right answers by what was said of them.
func (l logged) reliability() Line {
	line := Line{Name: l.name()}
	for _, b := range l.bins {
		if n := float64(b.Asked); n >= fewAnswers {
			line.X, line.Y = append(line.X, 100*b.Confidence/n), append(line.Y, 100*float64(b.Right)/n)
		}
	}
	return line
}

// total is the share of right answers in a stretch of windows.
func (l logged) total(from, to int) float64 {
	asked, right := 0.0, 0.0
	for i := from; i < to; i++ {
		asked, right = asked+l.asked[i], right+l.right[i]
	}
	return right / asked
}

// error is the expected calibration error over the whole log (eval.ECE), and the
// mean probability that was stated.
func (l logged) error() (ece, stated float64) {
	var answers []eval.Answer
	for _, b := range l.bins {
		for i := range b.Asked {
			a := eval.Answer{Confidence: b.Confidence / float64(b.Asked), Right: i < b.Right}
			answers = append(answers, a)
			stated += a.Confidence
		}
	}
	if len(answers) == 0 {
		return 0, 0
	}
	return eval.ECE(answers, len(l.bins)), stated / float64(len(answers))
}

func logTable(all []logged) Table {
	t := Table{ID: "log", Title: "Test, then train", Columns: []Column{
		{Name: "System"}, {Name: "Rule"}, {Name: "Whole log", Numeric: true, Best: true}, {Name: "First window", Numeric: true}, {Name: "Last window", Numeric: true, Best: true},
		{Name: "Stated", Numeric: true}, {Name: "Calibration error", Numeric: true},
	}}
	for _, l := range all {
		row := []Cell{words(systemName(l.system)), words(l.ruleName())}
		n := len(l.asked)
		ece, stated := l.error()
		for _, v := range []float64{l.total(0, n), l.total(0, 1), l.total(n-1, n), stated, ece} {
			row = append(row, percent(v, 0))
		}
		t.Rows = append(t.Rows, row)
	}
	t.fold(func(i int) bool { return all[i].rank() < unranked })
	if len(all) > 0 {
		t.Note = fmt.Sprintf("%s lessons.", thousands(lessonsOf(all[0])))
	}
	return t
}

func lessonsOf(l logged) int {
	n := 0.0
	for _, a := range l.asked {
		n += a
	}
	return int(n)
}
