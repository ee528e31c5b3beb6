package dataset

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"strings"
)

// ClassNames are the names of classes, by "SET/CLASS": scientific, English.
type ClassNames map[string][]string

// ReadNames reads a table of class, scientific and English name, tabs between. A
// heading counts as a class that nothing has.
func ReadNames(file string) (ClassNames, error) {
	names := ClassNames{}
	err := EachLine(file, func(line string) error {
		fields := strings.Split(line, "\t")
		if len(fields) < 3 {
			return fmt.Errorf("want class, scientific and English name with tabs between, have %q", line)
		}
		for _, n := range fields[1:3] {
			if n = strings.TrimSpace(n); n != "" {
				names[fields[0]] = append(names[fields[0]], n)
			}
		}
		return nil
	})
	return names, err
}

// Of returns the names of a class to embed: those of the table, or else its
// folder's own.
func (n ClassNames) Of(class string) []string {
	if known := n[class]; len(known) > 0 {
		return known
	}
	return []string{plainName(class)}
}

// plainName is a class's folder in words.
func plainName(class string) string {
	return strings.TrimSpace(strings.ReplaceAll(path.Base(class), "_", " "))
}

// EachLine reads the lines of a text file that are not empty; an error of do
// gets the line's place.
func EachLine(file string, do func(line string) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	for n := 1; in.Scan(); n++ {
		line := strings.TrimRight(in.Text(), "\r")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := do(line); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	return in.Err()
}
