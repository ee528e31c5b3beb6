package report

import (
	"fmt"
	"slices"
	"strings"

	"fieldmark/internal/protocol"
)

// composer holds a result and what is formed of it.
type composer struct {
	protocol.Result
	points   []protocol.Point
	matrices []protocol.Matrix
	claims   []protocol.Claim
}

// Compose decides what is said about a result: one section for each protocol that
// was run. Notes are on the data: what was left out of it, say.
func Compose(r protocol.Result, notes []string) Report {
	c := composer{Result: r, points: protocol.Summarise(r.Rows), matrices: protocol.MTIL(r.Rows)}
	c.claims = protocol.Claims(c.points)
	out := Report{
		Title:    "Evaluation: " + r.About.Suite,
		Asked:    c.asked(),
		Findings: c.findings(),
		Made: []Fact{
			{"Command", r.About.Command}, {"Program", r.About.Version}, {"Encoder", r.About.Encoder},
			{"Seeds", list(r.Plan.Seeds)}, {"Orders of tasks", fmt.Sprint(r.Plan.Orders)},
			{"Data (SHA-256)", r.About.Digest}, {"Started", r.About.Started},
		},
	}
	for _, section := range []func() (Section, bool){
		c.taskIncremental, c.mtil, c.classIncremental, c.dataIncremental, c.flexible, c.longTail, c.log, c.cost, c.orderings,
	} {
		if s, there := section(); there {
			out.Sections = append(out.Sections, s)
		}
	}
	out.Sections = append(out.Sections, c.data(notes))
	return out
}

func list[T any](values []T) string {
	var words []string
	for _, v := range values {
		words = append(words, fmt.Sprint(v))
	}
	return strings.Join(words, ", ")
}

// asked says what was measured.
func (c composer) asked() []string {
	targets, zero, taught, tested := 0, 0, 0, 0
	for _, t := range c.About.Tasks {
		tested += t.Test
		if t.ZeroShot {
			zero++
			continue
		}
		targets++
		taught += t.Train
	}
	first := fmt.Sprintf("A frozen encoder and a memory of exemplars name photos together. The memory learns %s (%s exemplars); it is also asked about %s, of which it is taught nothing. "+
		"What happens to both, as exemplars come in, is measured on %s photos that are never taught.",
		plural(targets, "target task", "target tasks"), thousands(taught), plural(zero, "zero-shot task", "zero-shot tasks"), thousands(tested))
	second := "The protocols are those of Zhu, Lyu, Xiao and Hoiem, “Continual Learning in Open-vocabulary Classification with Complementary Memory Systems” (TMLR, October 2024). " +
		"Accuracies are top-1 in percent, means over tasks."
	if n := max(1, len(c.Plan.Seeds)) * max(1, c.Plan.Orders); n > 1 {
		second += " Where several orders of tasks or seeds were run, ± is the standard deviation over them."
	}
	return []string{first, second}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "one " + one
	}
	return thousands(n) + " " + many
}

// data lists the tasks, and what is to be known about them.
func (c composer) data(notes []string) Section {
	t := Table{ID: "tasks", Title: "Tasks", Columns: []Column{
		{Name: "Task"}, {Name: "Kind"}, {Name: "Classes", Numeric: true}, {Name: "Taught", Numeric: true}, {Name: "Asked", Numeric: true},
	}}
	for _, task := range c.About.Tasks {
		kind, taught := "target", count(task.Train)
		if task.ZeroShot {
			kind, taught = "zero-shot", none()
		}
		t.Rows = append(t.Rows, []Cell{words(task.Name), words(kind), count(task.Classes), taught, count(task.Test)})
	}
	if more := len(notes) - mostNotes; more > 0 {
		notes = append(slices.Clone(notes[:mostNotes]), fmt.Sprintf("And %s more such notes: result.json has them all.", thousands(more)))
	}
	return Section{ID: "data", Title: "The data", Tables: []Table{t}, Text: notes}
}

// mostNotes is how many notes are read, if any are.
const mostNotes = 30

// lastStages is a table of where every strand ends, with those of the columns that
// were measured.
func lastStages(id, title string, list []strand, columns ...column) Table {
	t := Table{ID: id, Title: title, Columns: []Column{{Name: "System"}, {Name: "Rule"}}}
	var shown []column
	for _, col := range columns {
		if measured(list, col.of) {
			shown = append(shown, col)
			t.Columns = append(t.Columns, Column{Name: col.name, Numeric: true, Best: col.best})
		}
	}
	for _, s := range list {
		row := []Cell{words(systemName(s.system)), words(s.ruleName())}
		for _, col := range shown {
			row = append(row, share(col.of(s.last())))
		}
		t.Rows = append(t.Rows, row)
	}
	t.fold(func(i int) bool { return list[i].rank() < unranked })
	return t
}

// column is a figure that a table may have.
type column struct {
	name string
	of   figure
	best bool
}

// onTargets and onOthers are the columns of the two kinds of tasks.
func onTargets() column { return column{"Target tasks", target, true} }
func onOthers() column  { return column{"Zero-shot tasks", zeroShot, true} }

// calibrated is the column of the expected calibration error.
func calibrated() column { return column{"Calibration error", ece, false} }

// byStage draws a figure of the leading strands, stage by stage.
func byStage(id, title, axis string, list []strand, of figure) (Chart, bool) {
	c := Chart{ID: id, Title: title, X: Axis{Label: axis}, Y: Axis{Label: "top-1, %"}}
	for _, s := range leading(list, mostLines) {
		if l, there := s.through(of); there {
			c.Lines = append(c.Lines, l)
		}
		if len(s.points) > len(c.X.Names) {
			c.X.Names = nil
			for _, p := range s.points {
				c.X.Names = append(c.X.Names, strings.TrimSuffix(p.StageName, " of classes"))
			}
		}
	}
	c.Note = overlaps(c.Lines)
	return c, len(c.Lines) > 0
}

// mostLines is how many lines a chart has at most.
const mostLines = 6

// charts keeps the charts that there are.
func charts(made ...func() (Chart, bool)) []Chart {
	var out []Chart
	for _, f := range made {
		if c, there := f(); there {
			out = append(out, c)
		}
	}
	return out
}
