package vocabulary

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

//go:embed data/*.tsv
var embedded embed.FS

// A row is one line of a table, by the name of its column.
type row struct {
	file    string
	line    int
	columns []string
	cells   []string
}

// readTable reads data/NAME.tsv, whose first line must name exactly the given
// columns. Every line must have as many cells.
func readTable(fsys fs.FS, name string, columns ...string) ([]row, error) {
	file := "data/" + name + ".tsv"
	text, err := fs.ReadFile(fsys, file)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if header := strings.Split(lines[0], "\t"); !slices.Equal(header, columns) {
		return nil, fmt.Errorf("%s: columns are %q, want %q", file, header, columns)
	}
	rows := make([]row, 0, len(lines)-1)
	for i, line := range lines[1:] {
		r := row{file: file, line: i + 2, columns: columns, cells: strings.Split(line, "\t")}
		if len(r.cells) != len(columns) {
			return nil, r.errorf("%d cells, want %d", len(r.cells), len(columns))
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// get returns the cell in the named column, which must exist.
func (r row) get(column string) string {
	return r.cells[slices.Index(r.columns, column)]
}

// list returns the parts of a cell that are separated by bars.
func (r row) list(column string) []string {
	cell := r.get(column)
	if cell == "" {
		return nil
	}
	return strings.Split(cell, "|")
}

func (r row) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", r.file, r.line, fmt.Errorf(format, args...))
}
