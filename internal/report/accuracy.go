package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"fieldmark/internal/fusion"
	"fieldmark/internal/protocol"
	"fieldmark/internal/tree"
)

// own is the candidates of a protocol in which each task has its own.
const own = "own"

// taskIncremental is the paper's main experiment, beside its own figures.
func (c composer) taskIncremental() (Section, bool) {
	list := strands(c.points, protocol.TaskIncremental, own)
	if len(list) == 0 {
		return Section{}, false
	}
	paper := Table{ID: "task-incremental-paper", Title: "The paper's figures, eight target tasks and three zero-shot tasks",
		Note:    "Other encoders and other data: compare what learning adds, not the heights.",
		Columns: []Column{{Name: "Encoder"}, {Name: "System"}, {Name: "Target tasks", Numeric: true}, {Name: "Zero-shot tasks", Numeric: true}}}
	for _, p := range paperTasks() {
		paper.Rows = append(paper.Rows, []Cell{words(p.encoder), words(p.system), percent(p.target/100, 0), percent(p.zeroShot/100, 0)})
	}
	text := []string{"Each stage teaches one whole task to the same memory. Target tasks should gain, zero-shot tasks should not lose."}
	if list[len(list)-1].last().Exemplars <= tree.DefaultPsi {
		text = append(text, fmt.Sprintf("With no more than ψ exemplars TreeProbe has a single leaf and is LinProbe: here TreeProbe (%s) is.", short(tree.DefaultPsi)))
	}
	return Section{
		ID: "task-incremental", Title: "One task after another",
		Text: text,
		Tables: []Table{
			lastStages("task-incremental", "After the last task", list, onTargets(), onOthers(), calibrated()), paper,
		},
		Charts: charts(
			func() (Chart, bool) {
				return byStage("task-target", "Target tasks, learned or not yet", "after the task", list, target)
			},
			func() (Chart, bool) {
				return byStage("task-zero-shot", "Zero-shot tasks", "after the task", list, zeroShot)
			},
		),
	}, true
}

func (c composer) classIncremental() (Section, bool) {
	list := strands(c.points, protocol.ClassIncremental, own)
	if len(list) == 0 {
		return Section{}, false
	}
	return Section{
		ID: "class-incremental", Title: "Some classes after others",
		Text: []string{"Each task is learned by a memory of its own, a part of its classes at a time. All its classes are candidates from the first stage on: " +
			"the seen should gain at once, and the unseen should not lose to them."},
		Tables: []Table{
			lastStages("class-incremental", "After all classes", list, onTargets(), onOthers()),
			c.middle(list),
		},
		Charts: charts(
			func() (Chart, bool) { return byStage("class-target", "All classes", "classes taught", list, target) },
			func() (Chart, bool) {
				return byStage("class-seen", "Classes that were taught", "classes taught", list, group("seen"))
			},
			func() (Chart, bool) {
				return byStage("class-unseen", "Classes yet to come", "classes taught", list, group("unseen"))
			},
		),
	}, true
}

// middle is seen and unseen classes as means over the stages that have both.
func (c composer) middle(list []strand) Table {
	t := Table{ID: "class-incremental-seen", Title: "Seen and unseen classes, means over the stages that have both",
		Columns: []Column{{Name: "System"}, {Name: "Rule"}, {Name: "Seen", Numeric: true, Best: true}, {Name: "Unseen", Numeric: true, Best: true}}}
	for _, s := range list {
		seen, unseen, n := 0.0, 0.0, 0.0
		for _, p := range s.points {
			a, b := group("seen")(p), group("unseen")(p)
			if a != nil && b != nil {
				seen, unseen, n = seen+a.Mean, unseen+b.Mean, n+1
			}
		}
		row := []Cell{words(systemName(s.system)), words(s.ruleName()), none(), none()}
		if n > 0 {
			row[2], row[3] = percent(seen/n, 0), percent(unseen/n, 0)
		}
		t.Rows = append(t.Rows, row)
	}
	t.fold(func(i int) bool { return list[i].rank() < unranked })
	return t
}

func (c composer) dataIncremental() (Section, bool) {
	list := strands(c.points, protocol.DataIncremental, own)
	if len(list) == 0 {
		return Section{}, false
	}
	return Section{
		ID: "data-incremental", Title: "More and more photos",
		Text:   []string{"Each task is learned by a memory of its own, from a growing part of its photos, drawn without regard to class."},
		Tables: []Table{c.everyStage(list)},
		Charts: charts(
			func() (Chart, bool) {
				return byStage("data-target", "Target tasks", "part of the photos taught", list, target)
			},
			func() (Chart, bool) {
				return byStage("data-zero-shot", "Zero-shot tasks", "part of the photos taught", list, zeroShot)
			},
		),
	}, true
}

// everyStage is a table of the target tasks with a column for each stage.
func (c composer) everyStage(list []strand) Table {
	t := Table{ID: "data-incremental", Title: "Target tasks by the part of their photos that is taught", Columns: []Column{{Name: "System"}, {Name: "Rule"}}}
	stages := 0
	for _, s := range list {
		if len(s.points) > stages {
			stages, t.Columns = len(s.points), t.Columns[:2]
			for _, p := range s.points {
				t.Columns = append(t.Columns, Column{Name: p.StageName, Numeric: true, Best: true})
			}
		}
	}
	for _, s := range list {
		row := []Cell{words(systemName(s.system)), words(s.ruleName())}
		for i := range stages {
			cell := none()
			if i < len(s.points) {
				cell = share(s.points[i].Target)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	t.fold(func(i int) bool { return list[i].rank() < unranked })
	return t
}

// flexible is inference over candidates other than each task's own.
func (c composer) flexible() (Section, bool) {
	var tables []Table
	for _, f := range []struct {
		candidates, title string
		columns           []column
	}{
		{"union", fmt.Sprintf("Union + Zero-shot: target photos among the labels of all target tasks, zero-shot photos among %d labels of zero-shot tasks", c.Plan.ZeroShotLabels),
			[]column{onTargets(), onOthers(), {"Mean of both", both, true}}},
		{"mix", fmt.Sprintf("Mix + Zero-shot: among one of %d parts of the target labels and %d zero-shot labels", c.Plan.MixSplits, c.Plan.ZeroShotLabels),
			[]column{{"All photos", target, true}, {"Target photos", group("target"), true}, {"Zero-shot photos", group("zero-shot"), true}}},
	} {
		list := strands(c.points, protocol.Flexible, f.candidates)
		if len(list) > 0 {
			tables = append(tables, lastStages("flexible-"+f.candidates, f.title, list, f.columns...))
		}
	}
	if len(tables) == 0 {
		return Section{}, false
	}
	return Section{ID: "flexible", Title: "Asked among other labels", Tables: tables,
		Text: []string{"After the last task, the same memory is asked among labels of several tasks at once, as people do who do not know beforehand what is in a photo."}}, true
}

func (c composer) longTail() (Section, bool) {
	list := strands(c.points, protocol.LongTail, own)
	if len(list) == 0 {
		return Section{}, false
	}
	return Section{
		ID: "long-tail", Title: "Many photos of few classes, few of most",
		Text: []string{fmt.Sprintf("The last class of a task is taught %g times fewer photos than its first. “Few” are the rarer two thirds of the classes.", c.Plan.Imbalance)},
		Tables: []Table{lastStages("long-tail", "After all photos", list,
			onTargets(), onOthers(), column{"Many", group("many"), true}, column{"Few", group("few"), true})},
	}, true
}

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

// orderings are what the paper reports, looked up here: how often each holds, and
// where it does not.
func (c composer) orderings() (Section, bool) {
	if len(c.claims) == 0 {
		return Section{}, false
	}
	sum := Table{ID: "orderings", Title: "How often each holds", Columns: []Column{{Name: "What"}, {Name: "Looked up", Numeric: true}, {Name: "Holds", Numeric: true}}}
	broken := Table{ID: "orderings-broken", Title: "Where it does not", Columns: []Column{
		{Name: "What"}, {Name: "Where"}, {Name: "Has", Numeric: true}, {Name: "Against", Numeric: true}, {Name: "Lacks", Numeric: true}, {Name: "Photos", Numeric: true},
	}, Note: "Lacks: the points by which it is missed, after what is allowed. Nothing is allowed for chance: a difference of a few photos in the number asked means little."}
	type tally struct{ all, holds int }
	var order []string
	of := map[string]*tally{}
	for _, k := range c.claims {
		if of[k.Text] == nil {
			order, of[k.Text] = append(order, k.Text), &tally{}
		}
		of[k.Text].all++
		if k.Holds {
			of[k.Text].holds++
			continue
		}
		lacks := k.Right - k.Slack - k.Left
		broken.Rows = append(broken.Rows, []Cell{words(k.Text), words(k.Where), percent(k.Left, 0), percent(k.Right, 0), percent(lacks, 0), count(k.Asked)})
	}
	for _, text := range order {
		sum.Rows = append(sum.Rows, []Cell{words(text), count(of[text].all), count(of[text].holds)})
	}
	slices.SortStableFunc(broken.Rows, func(a, b []Cell) int { return cmp.Compare(b[4].Value, a[4].Value) })
	broken.fold(func(i int) bool { return i < manyRows })
	s := Section{ID: "orderings", Title: "Does it hold?", Tables: []Table{sum},
		Text: []string{"What the paper reports, and what is asked of the rule near (METHOD.md, section 7), at the last stage of every protocol but the log, for every system and rule."}}
	if len(broken.Rows) > 0 {
		s.Tables = append(s.Tables, broken)
	}
	return s, true
}
