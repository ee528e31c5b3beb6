package exchange

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"fieldmark/internal/identify"
)

// ReadNames reads the file of a list of names, in UTF-8: the names in a table of taxa
// (ReadChecklist), else the lines of a text.
func ReadNames(data []byte) ([]string, error) {
	if len(data) == 0 {
		return nil, nil
	}
	if !utf8.Valid(data) {
		return nil, identify.Errorf(identify.Invalid, "labels", "This file is not text in UTF-8. Save it as “CSV UTF-8”.")
	}
	list, err := ReadChecklist(bytes.NewReader(data), int64(len(data)), "")
	if err != nil {
		return SplitNames(strings.TrimPrefix(string(data), "\ufeff")), nil
	}
	var names []string
	for _, row := range list.Rows {
		if row.Name != "" {
			names = append(names, row.Name)
		}
	}
	return names, nil
}

// SplitNames takes names one to a line, or separated by semicolons or tabs, as they
// come out of a list or a spreadsheet.
func SplitNames(text string) []string {
	var names []string
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n\r\t;", r) }) {
		if name = strings.Trim(strings.TrimSpace(name), `"`); name != "" {
			names = append(names, name)
		}
	}
	return names
}
