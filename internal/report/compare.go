package report

import (
	"errors"
	"fmt"
	"slices"

	"fieldmark/internal/fusion"
	"fieldmark/internal/protocol"
)

// Encoder is what came of one encoder's run, by the name that it is shown under.
type Encoder struct {
	Name string
	Document
}

// errOtherTasks is the error of encoders that cannot be set side by side.
var errOtherTasks = errors.New("the encoders were asked about other tasks: only runs of the same tasks can stand side by side")

// Compare is a report on the same tasks by several encoders (the paper's study of
// backbones): where each protocol ends, by encoder. Their runs must be of the same
// tasks, by name and number of classes; photos that one of them could not read may
// be lacking.
func Compare(encoders []Encoder) (Report, error) {
	if len(encoders) < 2 {
		return Report{}, errors.New("two encoders at least can be compared")
	}
	for _, e := range encoders[1:] {
		if !slices.EqualFunc(e.About.Tasks, encoders[0].About.Tasks, func(a, b protocol.TaskAbout) bool {
			return a.Name == b.Name && a.ZeroShot == b.ZeroShot && a.Classes == b.Classes
		}) {
			return Report{}, fmt.Errorf("%s and %s: %w", encoders[0].Name, e.Name, errOtherTasks)
		}
	}
	c := comparison{encoders: encoders}
	for _, e := range encoders {
		c.composers = append(c.composers, composer{Result: e.Result, points: protocol.Summarise(e.Rows)})
	}
	out := Report{
		Title:    fmt.Sprintf("%s, by %d encoders", encoders[0].About.Suite, len(encoders)),
		Asked:    c.composers[0].asked(),
		Findings: c.findings(),
	}
	for _, of := range []struct {
		protocol   protocol.Protocol
		title, say string
	}{
		{protocol.TaskIncremental, "One task after another", "After the last task. The paper taught eight other tasks: compare what learning adds, and what a better encoder adds to it."},
		{protocol.ClassIncremental, "Some classes after others", "After all classes."},
		{protocol.DataIncremental, "More and more photos", "After all photos."},
		{protocol.LongTail, "Many of some, few of others", "After all photos."},
	} {
		if s, there := c.section(of.protocol, of.title, of.say); there {
			out.Sections = append(out.Sections, s)
		}
	}
	for _, e := range encoders {
		out.Made = append(out.Made, Fact{e.Name, fmt.Sprintf("%s; %s; %s", e.About.Encoder, e.About.Command, e.About.Started)})
	}
	return out, nil
}

// comparison is several encoders and what is formed of their results.
type comparison struct {
	encoders  []Encoder
	composers []composer
}

// shown are the strands of one encoder that a comparison has room for: of every
// system, by the paper's rule and by ours.
func (c comparison) shown(i int, of protocol.Protocol) []strand {
	var list []strand
	for _, s := range strands(c.composers[i].points, of, own) {
		if !s.longTail && (s.rule == fusion.ZeroShot || s.rule == fusion.AIMEmb || s.rule == fusion.Near) {
			list = append(list, s)
		}
	}
	return leading(list, len(list))
}

// section is where one protocol ends.
func (c comparison) section(of protocol.Protocol, title, say string) (Section, bool) {
	t := Table{ID: string(of) + "-encoders", Title: "By encoder", Columns: []Column{
		{Name: "Encoder"}, {Name: "System"}, {Name: "Rule"}, {Name: "Target tasks", Numeric: true, Best: true}, {Name: "Zero-shot tasks", Numeric: true, Best: true},
	}}
	for i, e := range c.encoders {
		for _, s := range c.shown(i, of) {
			p := s.last()
			t.Rows = append(t.Rows, []Cell{words(e.Name), words(systemName(s.system)), words(s.ruleName()), share(p.Target), share(p.ZeroShot)})
		}
	}
	if len(t.Rows) == 0 {
		return Section{}, false
	}
	s := Section{ID: string(of), Title: title, Text: []string{say}, Tables: []Table{t}}
	if of == protocol.TaskIncremental {
		s.Tables = append(s.Tables, paperTable())
	}
	s.Charts = charts(
		func() (Chart, bool) { return c.chart(of, "target", "Target tasks", target) },
		func() (Chart, bool) { return c.chart(of, "zero-shot", "Zero-shot tasks", zeroShot) },
	)
	return s, true
}

// chart draws a figure by encoder, a line for each of the leading strands.
func (c comparison) chart(of protocol.Protocol, id, title string, f figure) (Chart, bool) {
	out := Chart{ID: fmt.Sprintf("%s-encoders-%s", of, id), Title: title, X: Axis{Label: "encoder"}, Y: Axis{Label: "top-1, %"}}
	for i, e := range c.encoders {
		out.X.Names = append(out.X.Names, e.Name)
		for _, s := range leading(c.shown(i, of), mostLines) {
			v := f(s.last())
			if v == nil {
				continue
			}
			at := slices.IndexFunc(out.Lines, func(l Line) bool { return l.Name == s.name() })
			if at < 0 {
				at, out.Lines = len(out.Lines), append(out.Lines, Line{Name: s.name()})
			}
			l := &out.Lines[at]
			l.X, l.Y = append(l.X, float64(i+1)), append(l.Y, 100*v.Mean)
		}
	}
	out.Note = overlaps(out.Lines)
	return out, len(out.Lines) > 0
}

// findings say what each encoder's memory adds.
func (c comparison) findings() []string {
	var out []string
	for i, e := range c.encoders {
		zero, s, there := c.composers[i].chief()
		if !there {
			continue
		}
		before, after := zero.last(), s.last()
		text := fmt.Sprintf("%s: %.1f\u00a0%% right on target tasks by itself, %.1f\u00a0%% when they are learned (%s points; %s)",
			e.Name, 100*before.Target.Mean, 100*after.Target.Mean, signed(100*(after.Target.Mean-before.Target.Mean)), s.name())
		if before.ZeroShot != nil && after.ZeroShot != nil {
			text += fmt.Sprintf("; zero-shot tasks %.1f\u00a0%% (%s)", 100*after.ZeroShot.Mean, signed(100*(after.ZeroShot.Mean-before.ZeroShot.Mean)))
		}
		out = append(out, text+".")
	}
	return out
}
