package report

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
)

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
