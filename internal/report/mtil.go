package report

import (
	"math"
	"slices"

	"fieldmark/internal/fusion"
	"fieldmark/internal/protocol"
)

// mtil is the multi-domain measure, beside the paper's.
func (c composer) mtil() (Section, bool) {
	if len(c.matrices) == 0 {
		return Section{}, false
	}
	columns := []Column{{Name: "System"}, {Name: "Rule"}, {Name: "Transfer", Numeric: true, Best: true}, {Name: "Avg.", Numeric: true, Best: true}, {Name: "Last", Numeric: true, Best: true}}
	ours := Table{ID: "mtil", Title: "Transfer, Avg. and Last", Columns: columns}
	var shown []strand
	for _, m := range c.matrices {
		s := strand{system: m.System, rule: m.Rule, longTail: m.LongTailRule}
		if m.Rule == fusion.ZeroShot { // the same by every system
			s.system, s.longTail = protocol.System{}, false
			if slices.ContainsFunc(shown, s.same) {
				continue
			}
		}
		shown = append(shown, s)
		ours.Rows = append(ours.Rows, []Cell{words(systemName(s.system)), words(s.ruleName()), share(m.Transfer), percent(m.Avg.Mean, m.Avg.SD), percent(m.Last.Mean, m.Last.SD)})
	}
	ours.fold(func(i int) bool { return shown[i].rank() < unranked })
	paper := Table{ID: "mtil-paper", Title: "The paper's, ViT-B/16, eleven tasks, order I", Columns: []Column{columns[0], {Name: "Transfer", Numeric: true}, {Name: "Avg.", Numeric: true}, {Name: "Last", Numeric: true}}}
	for _, p := range paperMTIL() {
		paper.Rows = append(paper.Rows, []Cell{words(p.system), percent(p.transfer/100, 0), percent(p.avg/100, 0), percent(p.last/100, 0)})
	}
	return Section{ID: "mtil", Title: "Before and after its own lesson (MTIL)", Tables: []Table{ours, paper, c.matrix()},
		Text: []string{"Transfer is the mean accuracy on tasks before they are taught, Avg. the mean over all stages, Last the mean after the last."}}, true
}

// matrix is the accuracy after each stage on each task, of the first that leads.
func (c composer) matrix() Table {
	best, rank := c.matrices[0], math.MaxInt
	for _, m := range c.matrices {
		s := strand{system: m.System, rule: m.Rule, longTail: m.LongTailRule}
		if r := s.rank(); m.Rule != fusion.ZeroShot && r < rank {
			best, rank = m, r
		}
	}
	s := strand{system: best.System, rule: best.Rule, longTail: best.LongTailRule}
	t := Table{ID: "mtil-matrix", Title: "Accuracy after each task on each task: " + s.name() + ", first order and seed", Columns: []Column{{Name: "After"}}}
	for _, task := range best.Tasks {
		t.Columns = append(t.Columns, Column{Name: task, Numeric: true})
	}
	for i, row := range best.Accuracy {
		cells := []Cell{words(best.Tasks[i])}
		for _, a := range row {
			cells = append(cells, percent(a, 0))
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}
