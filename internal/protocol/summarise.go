package protocol

import (
	"fmt"

	"fieldmark/internal/eval"
	"fieldmark/internal/fusion"
)

// series is the rows that make one Point, less their stage.
type series struct {
	protocol   Protocol
	system     System
	rule       fusion.Rule
	longTail   bool
	candidates string
}

func (r Row) series() series {
	return series{r.Protocol, r.System, r.Rule, r.LongTailRule, r.Candidates}
}

func (p Point) series() series {
	return series{p.Protocol, p.System, p.Rule, p.LongTailRule, p.Candidates}
}

// pass is one run of a protocol: an order and a seed.
type pass struct {
	order int
	seed  uint64
}

// Summarise brings rows together: within an order and seed, the mean over tasks
// (and over the memories that learned one each); then mean and deviation over
// orders and seeds. Points come in the order in which their first row does. Rows
// of Growth, which have no answers, are left out.
func Summarise(rows []Row) []Point {
	type key struct {
		series
		stage int
	}
	at := map[key]int{}
	var groups [][]Row
	for _, r := range rows {
		if len(r.Scores) == 0 {
			continue
		}
		k := key{r.series(), r.Stage}
		i, ok := at[k]
		if !ok {
			i = len(groups)
			at[k] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	points := make([]Point, len(groups))
	for i, g := range groups {
		points[i] = summarise(g)
	}
	accumulate(points)
	return points
}

// summarise makes a point of the rows of one stage of one series.
func summarise(rows []Row) Point {
	first := rows[0]
	p := Point{
		Protocol: first.Protocol, System: first.System, Rule: first.Rule, LongTailRule: first.LongTailRule,
		Candidates: first.Candidates, Stage: first.Stage, StageName: first.StageName,
	}
	var passes []*sums
	at := map[pass]*sums{}
	for _, r := range rows {
		if r.StageName != p.StageName {
			p.StageName = fmt.Sprintf("stage %d", r.Stage)
		}
		k := pass{r.Order, r.Seed}
		if at[k] == nil {
			at[k] = newSums()
			passes = append(passes, at[k])
		}
		at[k].add(r)
	}
	p.Runs = len(passes)
	p.TargetAsked, p.ZeroShotAsked = passes[0].targetAsked, passes[0].zeroShotAsked
	n := float64(p.Runs)
	figures := map[string][]float64{}
	for _, s := range passes {
		p.Exemplars += s.exemplars / float64(s.rows) / n
		p.Train += s.train / n
		p.Answer += s.answer / n
		for name, v := range s.means() {
			figures[name] = append(figures[name], v)
		}
	}
	for name, values := range figures {
		f := figure(values)
		switch name {
		case "target":
			p.Target = &f
		case "zero-shot":
			p.ZeroShot = &f
		case "both":
			p.Both = &f
		case "ece":
			p.ECE = &f
		default:
			if p.Groups == nil {
				p.Groups = map[string]Figure{}
			}
			p.Groups[name[len(groupPrefix):]] = f
		}
	}
	return p
}

func figure(values []float64) Figure {
	mean, sd := eval.MeanSD(values)
	return Figure{Mean: mean, SD: sd}
}

// groupPrefix keeps the names of groups apart from the other figures'.
const groupPrefix = "group "

// accumulate adds to each point's seconds those of the stages before it.
func accumulate(points []Point) {
	type total struct{ train, answer float64 }
	of := map[series]total{}
	for i := range points {
		p := &points[i]
		k := p.series()
		t := of[k]
		t.train, t.answer = t.train+p.Train, t.answer+p.Answer
		p.Train, p.Answer = t.train, t.answer
		of[k] = t
	}
}

// Last are the points of the last stage of each series, in the order in which the
// series begin.
func Last(points []Point) []Point {
	at := map[series]int{}
	var out []Point
	for _, p := range points {
		i, ok := at[p.series()]
		if !ok {
			i = len(out)
			at[p.series()] = i
			out = append(out, p)
		}
		if p.Stage >= out[i].Stage {
			out[i] = p
		}
	}
	return out
}
