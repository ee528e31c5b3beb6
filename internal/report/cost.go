package report

import (
	"fmt"
	"slices"

	"fieldmark/internal/fusion"
	"fieldmark/internal/protocol"
)

// cost is what learning and answering take, beside the paper's.
func (c composer) cost() (Section, bool) {
	s := Section{ID: "cost", Title: "What it costs",
		Text: []string{"Times are of this machine, and of whatever else it did meanwhile; the paper's are of its authors'. Inference is retrieval, classifiers and fusion on one core; the encoder is not counted."}}
	if t := c.times(); len(t.Rows) > 0 {
		s.Tables = append(s.Tables, t)
	}
	if t := c.sizes(); len(t.Rows) > 0 {
		s.Tables = append(s.Tables, t)
	}
	s.Charts = charts(c.growth, c.accuracyByTime)
	return s, len(s.Tables)+len(s.Charts) > 0
}

// times are those of the task-incremental run, each system by one rule.
func (c composer) times() Table {
	t := Table{ID: "times", Title: "The task-incremental run, in all", Columns: []Column{
		{Name: "System"}, {Name: "Exemplars", Numeric: true}, {Name: "Training", Numeric: true}, {Name: "Training an exemplar", Numeric: true}, {Name: "Inference", Numeric: true},
		{Name: "Paper: training", Numeric: true}, {Name: "an exemplar", Numeric: true}, {Name: "inference", Numeric: true},
	}, Note: fmt.Sprintf("The paper's run learned some %s exemplars, with ViT-B/32 and ψ = 50k.", thousands(paperExemplars))}
	for _, x := range c.systems() {
		p := x.last()
		row := []Cell{words(systemName(x.system)), count(int(p.Exemplars)), seconds(p.Train), seconds(p.Train / p.Exemplars), seconds(p.Answer), none(), none(), none()}
		for _, theirs := range paperTimes() {
			if (protocol.System{Kind: theirs.kind}) == x.system {
				row[5], row[6], row[7] = seconds(theirs.training), seconds(theirs.training/paperExemplars), seconds(theirs.inference)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// systems is one strand of the task-incremental run for each system: by aim-emb
// if that was asked.
func (c composer) systems() []strand {
	var list []strand
	for _, s := range strands(c.points, protocol.TaskIncremental, own) {
		if s.rule == fusion.ZeroShot || s.longTail || s.last().Exemplars == 0 {
			continue
		}
		i := slices.IndexFunc(list, func(x strand) bool { return x.system == s.system })
		switch {
		case i < 0:
			list = append(list, s)
		case s.rule == fusion.AIMEmb:
			list[i] = s
		}
	}
	return list
}

// sizes are the bytes that a memory takes, where it is largest.
func (c composer) sizes() Table {
	t := Table{ID: "sizes", Title: "What the memory takes", Columns: []Column{
		{Name: "System"}, {Name: "Exemplars", Numeric: true}, {Name: "Bytes an exemplar", Numeric: true}, {Name: "Classifiers, bytes", Numeric: true},
	}, Note: "The paper: up to 4,096 bytes an exemplar."}
	var systems []protocol.System
	largest := map[protocol.System]protocol.Row{}
	for _, r := range c.Rows {
		if r.Cost.Bytes == 0 || r.Exemplars == 0 {
			continue
		}
		if _, known := largest[r.System]; !known {
			systems = append(systems, r.System)
		}
		if r.Exemplars > largest[r.System].Exemplars {
			largest[r.System] = r
		}
	}
	for _, s := range systems {
		r := largest[s]
		t.Rows = append(t.Rows, []Cell{words(systemName(s)), count(r.Exemplars), count(r.Cost.Bytes / r.Exemplars), count(r.Cost.ClassifierBytes)})
	}
	return t
}
