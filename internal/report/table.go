package report

import (
	"fmt"
	"io"
	"math"
	"slices"
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
