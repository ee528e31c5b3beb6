package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// classNames are the names of a class: as in the table, or its folder's own.
type classNames map[string][]string // scientific, English

// of returns the names of a class to embed.
func (c classNames) of(class string) []string {
	if n, ok := c[class]; ok {
		return n
	}
	return []string{strings.ReplaceAll(path.Base(class), "_", " ")}
}

// readClasses reads one class a line; what follows a tab, and empty lines, do
// not count.
func readClasses(file string) ([]string, error) {
	var classes []string
	err := eachLine(file, func(fields []string) error {
		classes = append(classes, strings.TrimSpace(fields[0]))
		return nil
	})
	if err == nil && len(classes) == 0 {
		err = fmt.Errorf("%s: names no class", file)
	}
	return classes, err
}

// readNames reads a table of class, scientific and English name, tabs between
// and a heading above.
func readNames(file string) (classNames, error) {
	names := classNames{}
	err := eachLine(file, func(fields []string) error {
		if len(fields) < 3 {
			return fmt.Errorf("want class, scientific and English name, have %q", fields)
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

// namesBeside returns the table photo_classes.tsv next to a file of classes, if
// there is one.
func namesBeside(classes string) (string, error) {
	if classes == "" {
		return "", nil
	}
	table := filepath.Join(filepath.Dir(classes), "photo_classes.tsv")
	_, err := os.Stat(table)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return table, err
}

func eachLine(file string, do func(fields []string) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	for n := 1; in.Scan(); n++ {
		line := in.Text()
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := do(strings.Split(line, "\t")); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	return in.Err()
}
