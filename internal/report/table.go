package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Table is figures in rows. A column is right-aligned if its Numeric is set.
type Table struct {
	ID, Title string
	Note      string
	Columns   []Column
	Rows      [][]Cell
	// Key marks the rows that a reader wants first; nil: all. The others can be
	// unfolded on the page, and are in the CSV file.
	Key []bool
}

// Column heads a column of a Table.
type Column struct {
	Name    string
	Numeric bool
	// Best says whether the greatest value of the column is set off.
	Best bool
}

// Cell is one value as it is shown, and as it is counted.
type Cell struct {
	Text string
	// Value is NaN for a cell that is no number, or is missing. SD is its standard
	// deviation, 0 where there is none.
	Value, SD float64
}

// missing marks what was not measured.
const missing = "–"

func words(s string) Cell { return Cell{Text: s, Value: math.NaN()} }

func none() Cell { return words(missing) }

// percent is a share as a percentage.
func percent(share, sd float64) Cell {
	c := Cell{Text: fmt.Sprintf("%.1f", 100*share), Value: 100 * share, SD: 100 * sd}
	if sd >= 0.0005 { // less would be written as 0.0
		c.Text += fmt.Sprintf(" ± %.1f", 100*sd)
	}
	return c
}

func count(n int) Cell { return Cell{Text: thousands(n), Value: float64(n)} }

// seconds is a time to two digits or so, with its unit.
func seconds(s float64) Cell {
	if math.IsNaN(s) {
		return none()
	}
	return Cell{Text: duration(s), Value: s}
}

func duration(s float64) string {
	switch {
	case s == 0:
		return "0 s"
	case s < 1e-3:
		return digits(s*1e6) + " µs"
	case s < 1:
		return digits(s*1e3) + " ms"
	case s < 1000:
		return digits(s) + " s"
	}
	return thousands(int(math.Round(s))) + " s"
}

// roundDuration is duration for a power of ten, without the noughts behind a point.
func roundDuration(s float64) string {
	for _, unit := range []struct {
		seconds float64
		name    string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}} {
		if s > unit.seconds*.999 {
			return thousands(int(math.Round(s/unit.seconds))) + " " + unit.name
		}
	}
	return thousands(int(math.Round(s*1e9))) + " ns"
}

// digits writes a positive number below 1,000 to three digits at most.
func digits(x float64) string {
	switch {
	case x >= 99.95:
		return fmt.Sprintf("%.0f", x)
	case x >= 9.995:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// best tells, by row, whether a column's cell is its greatest value.
func (t Table) best(column int) []bool {
	out := make([]bool, len(t.Rows))
	if !t.Columns[column].Best {
		return out
	}
	top := math.Inf(-1)
	for _, r := range t.Rows {
		if v := r[column].Value; v > top {
			top = v
		}
	}
	const shown = 0.05 // half of the last digit that percent writes
	for i, r := range t.Rows {
		out[i] = r[column].Value > top-shown
	}
	return out
}

// manyRows is how many a table has at most that is shown in full.
const manyRows = 12

// fold keeps of many rows those at the front that a choice picks, and the first
// that has a column's best.
func (t *Table) fold(choose func(row int) bool) {
	if len(t.Rows) <= manyRows {
		return
	}
	t.Key = make([]bool, len(t.Rows))
	for i := range t.Key {
		t.Key[i] = choose(i)
	}
	for c := range t.Columns {
		if first := slices.Index(t.best(c), true); first >= 0 {
			t.Key[first] = true
		}
	}
}

// keyRows are the rows of t that Key marks, and how many it does not.
func (t Table) keyRows() (rows [][]Cell, folded int) {
	if t.Key == nil {
		return t.Rows, 0
	}
	for i, r := range t.Rows {
		if t.Key[i] {
			rows = append(rows, r)
		}
	}
	return rows, len(t.Rows) - len(rows)
}

// WriteText writes a table's key rows to be read on a terminal.
func (t Table) WriteText(w io.Writer) error {
	rows, folded := t.keyRows()
	widths := make([]int, len(t.Columns))
	for c, col := range t.Columns {
		widths[c] = utf8.RuneCountInString(col.Name)
		for _, r := range rows {
			widths[c] = max(widths[c], utf8.RuneCountInString(r[c].Text))
		}
	}
	var b strings.Builder
	line := func(text func(int) string) {
		var l strings.Builder
		for c, col := range t.Columns {
			pad := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(text(c)))
			l.WriteString("  ")
			if col.Numeric {
				l.WriteString(pad + text(c))
			} else {
				l.WriteString(text(c) + pad)
			}
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	b.WriteString(t.Title + "\n")
	line(func(c int) string { return t.Columns[c].Name })
	for _, r := range rows {
		line(func(c int) string { return r[c].Text })
	}
	if folded > 0 {
		fmt.Fprintf(&b, "  … and %s more rows: tables/%s.csv\n", thousands(folded), t.ID)
	}
	if t.Note != "" {
		b.WriteString("  " + t.Note + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteCSV writes a table with a heading. Numbers come in full (percentages in
// percent, times in seconds), empty where missing; a column that has deviations
// is followed by one with them.
func (t Table) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	deviates := make([]bool, len(t.Columns))
	var head []string
	for c, col := range t.Columns {
		head = append(head, col.Name)
		for _, r := range t.Rows {
			deviates[c] = deviates[c] || r[c].SD > 0
		}
		if deviates[c] {
			head = append(head, col.Name+", standard deviation")
		}
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for _, r := range t.Rows {
		var fields []string
		for c, cell := range r {
			fields = append(fields, cell.field(t.Columns[c].Numeric))
			if deviates[c] {
				fields = append(fields, number(cell.SD, cell.Value))
			}
		}
		if err := out.Write(fields); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func (c Cell) field(numeric bool) string {
	if numeric {
		return number(c.Value, c.Value)
	}
	return c.Text
}

// number writes x, unless what it belongs to is missing.
func number(x, of float64) string {
	if math.IsNaN(of) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', 8, 64)
}
