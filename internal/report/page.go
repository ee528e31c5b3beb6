package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"unicode/utf8"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

// pageView is a Report as the template wants it.
type pageView struct {
	Title           string
	Style           template.CSS
	Asked, Findings []string
	Sections        []sectionView
	Made            []Fact
}

type sectionView struct {
	ID, Title string
	Text      []string
	Charts    []chartView
	Tables    []tableView
}

type chartView struct {
	ID, Title, Note string
	Label           string // in place of the picture
	SVG             template.HTML
}

type tableView struct {
	ID, Title, Note string
	Columns         []Column
	Key             [][]cellView // the rows that are seen at once
	All             [][]cellView // empty, if these are all
}

type cellView struct {
	Text          string
	Numeric, Best bool
	Long          bool // it is broken into lines rather than scrolled
}

// longText is how many letters a cell has at most that stays on one line.
const longText = 36

// WriteHTML writes the report as one page that needs nothing else: no scripts, no
// files, no fonts from elsewhere. It can be printed, and follows the reader's
// choice of light or dark.
func (r Report) WriteHTML(w io.Writer) error {
	page, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return err
	}
	v := pageView{Title: r.Title, Style: template.CSS(pageCSS), Asked: r.Asked, Findings: r.Findings, Made: r.Made}
	for _, s := range r.Sections {
		sv := sectionView{ID: s.ID, Title: s.Title, Text: s.Text}
		for _, c := range s.Charts {
			svg, err := c.inline()
			if err != nil {
				return err
			}
			// vgsvg escapes every text that it draws.
			sv.Charts = append(sv.Charts, chartView{c.ID, c.Title, c.Note, c.inWords(), template.HTML(svg)})
		}
		for _, t := range s.Tables {
			sv.Tables = append(sv.Tables, t.view())
		}
		v.Sections = append(v.Sections, sv)
	}
	return page.Execute(w, v)
}

func (t Table) view() tableView {
	v := tableView{ID: t.ID, Title: t.Title, Note: t.Note, Columns: t.Columns}
	all := make([][]cellView, len(t.Rows))
	for c, col := range t.Columns {
		best := t.best(c)
		for i, r := range t.Rows {
			all[i] = append(all[i], cellView{r[c].Text, col.Numeric, best[i], utf8.RuneCountInString(r[c].Text) > longText})
		}
	}
	if t.Key == nil {
		v.Key = all
		return v
	}
	v.All = all
	for i, key := range t.Key {
		if key {
			v.Key = append(v.Key, all[i])
		}
	}
	return v
}

// inWords says of a chart what its lines begin and end with.
func (c Chart) inWords() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s by %s.", c.Title, c.Y.Label, c.X.Label)
	for _, l := range c.Lines {
		if n := len(l.Y); n > 0 && !l.Reference {
			fmt.Fprintf(&b, " %s: from %.3g to %.3g.", l.Name, l.Y[0], l.Y[n-1])
		}
	}
	return b.String()
}

// WriteText writes the report to be read on a terminal: findings, then tables.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", r.Title)
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "- %s\n", f)
	}
	for _, s := range r.Sections {
		fmt.Fprintf(&b, "\n%s\n%s\n", s.Title, strings.Repeat("=", len([]rune(s.Title))))
		for _, t := range s.Text {
			fmt.Fprintf(&b, "%s\n", t)
		}
		for _, t := range s.Tables {
			b.WriteString("\n")
			if err := t.WriteText(&b); err != nil {
				return err
			}
		}
	}
	b.WriteString("\n")
	for _, f := range r.Made {
		if f.Value != "" {
			fmt.Fprintf(&b, "%s: %s\n", f.Name, f.Value)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
