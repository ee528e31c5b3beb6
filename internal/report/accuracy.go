package report

import (
	"fmt"

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
	text := []string{"Each stage teaches one whole task to the same memory. Target tasks should gain, zero-shot tasks should not lose."}
	if list[len(list)-1].last().Exemplars <= tree.DefaultPsi {
		text = append(text, fmt.Sprintf("With no more than ψ exemplars TreeProbe has a single leaf and is LinProbe: here TreeProbe (%s) is.", short(tree.DefaultPsi)))
	}
	return Section{
		ID: "task-incremental", Title: "One task after another",
		Text: text,
		Tables: []Table{
			lastStages("task-incremental", "After the last task", list, onTargets(), onOthers(), calibrated()), paperTable(),
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

// paperTable is the paper's own figures.
func paperTable() Table {
	t := Table{ID: "task-incremental-paper", Title: "The paper's figures, eight target tasks and three zero-shot tasks",
		Note:    "Other encoders and other data: compare what learning adds, not the heights.",
		Columns: []Column{{Name: "Encoder"}, {Name: "System"}, {Name: "Target tasks", Numeric: true}, {Name: "Zero-shot tasks", Numeric: true}}}
	for _, p := range paperTasks() {
		t.Rows = append(t.Rows, []Cell{words(p.encoder), words(p.system), percent(p.target/100, 0), percent(p.zeroShot/100, 0)})
	}
	return t
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
