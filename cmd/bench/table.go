package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// section is the rows of one stage.
type section struct {
	title string
	rows  []row
	notes []string
}

// printText writes a section as a table to be read on a terminal.
func (s section) printText(out io.Writer) error {
	fmt.Fprintf(out, "\n%s\n", s.title)
	w := tabwriter.NewWriter(out, 0, 0, 0, ' ', 0)
	fmt.Fprintln(w, "  \t  Fieldmark\t  goal\t  \t  beside it (how many times better Fieldmark is)")
	for _, r := range s.rows {
		goals, verdicts := r.goals()
		columns := [][]string{{r.what}, {r.value()}, goals, verdicts, r.besides()}
		for i := range max(1, len(goals), len(r.peers)) {
			for _, c := range columns {
				cell := ""
				if i < len(c) {
					cell = c[i]
				}
				fmt.Fprintf(w, "  %s\t", cell)
			}
			fmt.Fprintln(w)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, n := range s.notes {
		fmt.Fprintf(out, "  %s\n", n)
	}
	return nil
}

// writeMarkdown writes a section for a document.
func (s section) writeMarkdown(out io.Writer) {
	fmt.Fprintf(out, "\n## %s\n| | Fieldmark | goal | | beside it (how many times better Fieldmark is) |\n|---|---|---|---|---|\n", s.title)
	for _, r := range s.rows {
		goals, verdicts := r.goals()
		for i, v := range verdicts {
			if v != "met" {
				verdicts[i] = "**" + v + "**"
			}
		}
		cells := []string{r.what, r.value(), strings.Join(goals, "<br>"), strings.Join(verdicts, "<br>"), strings.Join(r.besides(), "<br>")}
		for i := range cells {
			cells[i] = strings.ReplaceAll(cells[i], "|", "\\|")
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
	}
	for _, n := range s.notes {
		fmt.Fprintf(out, "\n%s\n", n)
	}
}

// value is ours in words.
func (r row) value() string {
	if r.note == "" {
		return r.unit.write(r.ours)
	}
	return r.unit.write(r.ours) + ", " + r.note
}

func (r row) goals() (goals, verdicts []string) {
	for _, b := range r.bounds {
		goals, verdicts = append(goals, r.goal(b)), append(verdicts, r.verdict(b))
	}
	return goals, verdicts
}

func (r row) besides() []string {
	var list []string
	for _, p := range r.peers {
		list = append(list, r.beside(p))
	}
	return list
}
