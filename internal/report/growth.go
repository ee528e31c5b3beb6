package report

import (
	"fmt"
	"slices"
	"strings"

	"fieldmark/internal/fusion"
	"fieldmark/internal/protocol"
)

// growth is the seconds that one exemplar takes, by how many there are already: of
// the first seed, for the paper's systems and as many others as there is room for.
func (c composer) growth() (Chart, bool) {
	chart := Chart{ID: "growth", Title: "Time to take in one exemplar",
		X: Axis{Label: "exemplars in the memory", Log: true}, Y: Axis{Label: "time", Log: true, Seconds: true},
		Note: "Until the classifiers are at their optimum again; for TreeProbe also the immediate stroke, after which the lesson counts. " +
			fmt.Sprintf("Dashed: the paper's means over a run of some %s exemplars.", thousands(paperExemplars))}
	var systems []protocol.System
	rows := map[protocol.System][]protocol.Row{}
	for _, r := range c.Rows {
		if r.Protocol != protocol.Growth || r.Cost.Lessons == 0 {
			continue
		}
		before := rows[r.System]
		if len(before) == 0 {
			systems = append(systems, r.System)
		} else if r.Seed != before[0].Seed || r.Order != before[0].Order {
			continue
		}
		rows[r.System] = append(before, r)
	}
	if len(systems) == 0 {
		return chart, false
	}
	slices.SortStableFunc(systems, func(a, b protocol.System) int {
		return strand{system: a, rule: fusion.AIMEmb}.rank() - strand{system: b, rule: fusion.AIMEmb}.rank()
	})
	reach := 1.0
	for i, s := range systems {
		name := systemName(s)
		if s == (protocol.System{Kind: fusion.Tree}) {
			stroke := perExemplar(rows[s], func(k protocol.Cost) float64 { return k.Place + k.Stroke })
			stroke.Name, name = name+", immediate stroke", name+", to its optimum"
			chart.Lines = append(chart.Lines, stroke)
		}
		if i == mostLines-1 {
			break
		}
		whole := perExemplar(rows[s], func(k protocol.Cost) float64 { return k.Place + k.Stroke + k.Train })
		whole.Name = name
		chart.Lines = append(chart.Lines, whole)
		for _, x := range whole.X {
			reach = max(reach, x)
		}
	}
	for _, p := range paperTimes() {
		mean := p.training / paperExemplars
		chart.Lines = append(chart.Lines, Line{Name: "paper: " + systemName(protocol.System{Kind: p.kind}), X: []float64{1, reach}, Y: []float64{mean, mean}, Reference: true})
	}
	return chart, true
}

// perExemplar is a cost by the exemplars in the memory; what took no time that the
// clock sees is left out, since it has no logarithm.
func perExemplar(rows []protocol.Row, of func(protocol.Cost) float64) Line {
	var l Line
	for _, r := range rows {
		if y := of(r.Cost) / float64(r.Cost.Lessons); y > 0 {
			l.X, l.Y = append(l.X, float64(r.Exemplars)), append(l.Y, y)
		}
	}
	return l
}

// accuracyByTime is the trade that ψ makes.
func (c composer) accuracyByTime() (Chart, bool) {
	chart := Chart{ID: "accuracy-time", Title: "Accuracy against training time",
		X: Axis{Label: "time to learn it all", Log: true, Seconds: true}, Y: Axis{Label: "target tasks, top-1, %"},
		Note: "TreeProbe's points are its values of ψ, smallest first; all answer by aim-emb if that was asked."}
	trees := Line{}
	var values []string
	list := c.systems()
	slices.SortStableFunc(list, func(a, b strand) int { return psi(a.system) - psi(b.system) })
	for _, s := range list {
		p := s.last()
		if p.Target == nil || !(p.Train > 0) || s.system.K != 0 || s.system.TauBeta != 0 {
			continue
		}
		if s.system.Kind == fusion.Tree {
			trees.X, trees.Y = append(trees.X, p.Train), append(trees.Y, 100*p.Target.Mean)
			values = append(values, short(psi(s.system)))
			continue
		}
		chart.Lines = append(chart.Lines, Line{Name: systemName(s.system), X: []float64{p.Train}, Y: []float64{100 * p.Target.Mean}})
	}
	if len(trees.X) > 0 {
		trees.Name = "TreeProbe, ψ = " + strings.Join(values, ", ")
		chart.Lines = append([]Line{trees}, chart.Lines...)
	}
	return chart, len(chart.Lines) > 1 || len(trees.X) > 1
}
