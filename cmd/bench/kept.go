package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// kept is what measure returns, from an earlier run of the same size if --keep has
// it: a run of hours can be broken off and gone on with.
func (b *bench) kept(name string, measure func() (course, error)) (course, error) {
	if b.keep == "" {
		return measure()
	}
	var c course
	file := filepath.Join(b.keep, fmt.Sprintf("scale-%d-%d-%d-%s.json", b.scale, b.dim, b.seed, name))
	data, err := os.ReadFile(file)
	switch {
	case err == nil:
		b.tell("%s: measured before", name)
		return c, json.Unmarshal(data, &c)
	case !errors.Is(err, fs.ErrNotExist):
		return c, err
	}
	if c, err = measure(); err != nil {
		return c, err
	}
	if data, err = json.Marshal(c); err != nil {
		return c, err
	}
	return c, errors.Join(os.MkdirAll(b.keep, 0o777), os.WriteFile(file, data, 0o666))
}
