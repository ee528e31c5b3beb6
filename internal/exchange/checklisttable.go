package exchange

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"fieldmark/internal/identify"
)

// readTaxonTable reads a table of taxa whose first line names its columns.
func readTaxonTable(in io.Reader) ([]identify.ChecklistRow, error) {
	text := bufio.NewReaderSize(io.LimitReader(in, maxTable), 64<<10)
	first, err := text.Peek(64 << 10)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, err
	}
	line, _, _ := strings.Cut(string(first), "\n")
	if strings.HasPrefix(line, "\ufeff") {
		_, _ = text.Discard(len("\ufeff")) // it was peeked at
	}
	r := csv.NewReader(text)
	r.Comma, r.FieldsPerRecord, r.ReuseRecord, r.LazyQuotes = separatorOf(line), -1, true, true
	heads, err := r.Read()
	if err != nil {
		return nil, tableError(err)
	}
	if !utf8.ValidString(strings.Join(heads, "")) {
		return nil, identify.Errorf(identify.Invalid, "file", "This table is not in UTF-8. Save it as “CSV UTF-8”.")
	}
	columns, err := taxonColumnsOf(heads)
	if err != nil {
		return nil, err
	}
	width := len(heads)
	var rows []identify.ChecklistRow
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, tableError(err)
		}
		line, _ := r.FieldPos(0)
		if len(rows) == maxChecklistRows {
			return nil, tooManyRows()
		}
		row := columns.row(line, fields)
		if row.Problem == nil && len(fields) > width {
			row.Problem = identify.Errorf(identify.Invalid, "row", "it has %d columns, and the first line has %d", len(fields), width)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, identify.Errorf(identify.Invalid, "file", "This table has no rows below its first line.")
	}
	namedParents(rows)
	return rows, nil
}

// row reads one row of a table. What a parent or an accepted taxon is called stands
// in for its id where the table has none.
func (c taxonColumns) row(line int, fields []string) identify.ChecklistRow {
	get := func(what string) string {
		i, there := c[what]
		if !there || i >= len(fields) {
			return ""
		}
		return strings.Clone(strings.TrimSpace(fields[i]))
	}
	row := checklistRow(line, get)
	if _, keyed := c["id"]; !keyed {
		row.Key = row.Name
		if row.ParentKey == "" {
			row.ParentKey = get("parent")
		}
		if c["accepted"] != c["name"] && row.AcceptedKey == "" {
			if row.AcceptedKey = get("accepted"); row.AcceptedKey != "" && row.Problem == errSynonymOfNothing {
				row.Problem = nil
			}
		}
	}
	for _, field := range fields {
		if !utf8.ValidString(field) {
			row.Problem = identify.Errorf(identify.Invalid, "row", "it is not in UTF-8")
		}
	}
	return row
}

// namedParents lets rows of a table without ids be below taxa that have no row of
// their own: their parent is a higher taxon without a rank.
func namedParents(rows []identify.ChecklistRow) {
	has := make(map[string]bool, len(rows))
	for _, r := range rows {
		has[r.Key] = true
	}
	for i := range rows {
		r := &rows[i]
		if r.Key == r.Name && r.ParentKey != "" && !has[r.ParentKey] {
			r.Higher = append(r.Higher, identify.HigherTaxon{Name: r.ParentKey})
			r.ParentKey = ""
		}
	}
}
