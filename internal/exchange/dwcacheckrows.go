package exchange

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// rows checks each row of a file.
func (c *dwcaCheck) rows(name string, header, width int, columns map[string]int, rules rules, core bool) {
	in, err := c.members[name].Open()
	if err != nil {
		c.fault("%s: %v", name, err)
		return
	}
	defer in.Close()
	read := csv.NewReader(in)
	read.FieldsPerRecord, read.ReuseRecord = -1, true
	for n := 1; len(c.faults) < maxFaults; n++ {
		row, err := read.Read()
		switch {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			c.fault("%s: %v", name, err)
			return
		case n <= header:
			continue
		case len(row) < width:
			c.fault("%s, row %d: %d fields, the description has %d", name, n, len(row), width)
			continue
		}
		c.key(name, n, row[columns[""]], core)
		c.row(name, n, row, columns, rules)
	}
}

// key checks the id of a row of the core, or that of an extension's row, which
// must be one of the core's.
func (c *dwcaCheck) key(name string, n int, id string, core bool) {
	switch {
	case id == "":
		c.fault("%s, row %d: no id", name, n)
	case core && c.ids[id]:
		c.fault("%s, row %d: the id %s is there already", name, n, id)
	case core:
		c.ids[strings.Clone(id)] = true
	case !c.ids[id]:
		c.fault("%s, row %d: no row of the core has the id %s", name, n, id)
	}
}

func (c *dwcaCheck) row(name string, n int, row []string, columns map[string]int, rules rules) {
	value := func(term string) string {
		if k, there := columns[term]; there {
			return row[k]
		}
		return ""
	}
	for _, term := range rules.filled {
		if value(term) == "" {
			c.fault("%s, row %d: %s is empty", name, n, term)
		}
	}
	for term, k := range columns {
		if !utf8.ValidString(row[k]) {
			c.fault("%s, row %d: %s is not UTF-8", name, n, term)
		}
		if check := rules.values[term]; check != nil && row[k] != "" {
			if err := check(row[k]); err != nil {
				c.fault("%s, row %d: %s is %q: %v", name, n, term, row[k], err)
			}
		}
	}
	if rules.together != nil {
		if err := rules.together(value); err != nil {
			c.fault("%s, row %d: %v", name, n, err)
		}
	}
}
