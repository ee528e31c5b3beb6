package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"fieldmark/internal/dataset"
)

// readClasses reads one class a line; what follows a tab, and empty lines, do
// not count.
func readClasses(file string) ([]string, error) {
	var classes []string
	err := dataset.EachLine(file, func(line string) error {
		class, _, _ := strings.Cut(line, "\t")
		classes = append(classes, strings.TrimSpace(class))
		return nil
	})
	if err == nil && len(classes) == 0 {
		err = fmt.Errorf("%s: names no class", file)
	}
	return classes, err
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
