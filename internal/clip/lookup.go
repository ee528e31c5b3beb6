package clip

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"fieldmark/internal/vec"
)

// ErrUnknownName is returned for a name that a table of names does not hold.
var ErrUnknownName = errors.New("encoder: it has no text tower, only a table of names, and this name is not in it: photos can teach it")

// A lookup is the text side of an encoder whose names were embedded elsewhere.
type lookup struct {
	rows map[string][]float32 // unit vectors by folded name
	none []float32            // of a name that the table does not hold
}

// readLookup gives nil for a nil Lookup.
func readLookup(folder fs.FS, l *Lookup, dim int) (*lookup, error) {
	if l == nil {
		return nil, nil
	}
	names, err := l.Names.read(folder)
	if err != nil {
		return nil, err
	}
	raw, err := l.Vectors.read(folder)
	if err != nil {
		return nil, err
	}
	flat := make([]float32, len(raw)/4)
	for i := range flat {
		flat[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	table, err := newLookup(string(names), flat, dim)
	if err != nil {
		return nil, fmt.Errorf("encoder: %s and %s: %w", l.Names.File, l.Vectors.File, err)
	}
	return table, nil
}

func newLookup(names string, flat []float32, dim int) (*lookup, error) {
	lines := slices.Collect(strings.Lines(names))
	if len(lines) == 0 || len(lines)*dim != len(flat) {
		return nil, fmt.Errorf("%d lines of names for %d numbers: each line needs %d", len(lines), len(flat), dim)
	}
	t := &lookup{rows: make(map[string][]float32, len(lines))}
	units := make([][]float32, len(lines))
	for i, line := range lines {
		row := flat[i*dim : (i+1)*dim : (i+1)*dim]
		if err := usable(row); err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
		vec.Normalize(row)
		units[i] = row
		for name := range strings.SplitSeq(strings.TrimRight(line, "\r\n"), "\t") {
			if key := foldName(name); key != "" {
				t.rows[key] = row
			}
		}
	}
	mean, err := meanDirection(units)
	if err != nil {
		return nil, err
	}
	vec.Scale(-1, mean)
	t.none = mean
	return t, nil
}

// foldName is what names are compared by: case and white space do not count.
func foldName(name string) string {
	return strings.ToLower(strings.Join(strings.Fields(name), " "))
}

// taxon is the row of a taxon: the normalised mean of those of its names that
// the table holds. With none of them it is the direction opposite to the mean
// of all names. That is no knowledge, and must read as none: every photo is far
// from it, so it takes no probability from names that are known, and names that
// are unknown are all alike. Exemplars can still teach them (METHOD.md, section
// 7).
func (t *lookup) taxon(names []string) ([]float32, error) {
	var known [][]float32
	for _, name := range names {
		if row, ok := t.rows[foldName(name)]; ok {
			known = append(known, row)
		}
	}
	if len(known) == 0 {
		return slices.Clone(t.none), nil
	}
	return meanDirection(known)
}

// Knows reports whether the encoder can embed a name: with a text tower any,
// with a table in its place those in it.
func (e *Encoder) Knows(name string) bool {
	return e.lookup == nil || e.lookup.rows[foldName(name)] != nil
}

func (t *lookup) taxa(names [][]string) ([][]float32, error) {
	found := make([][]float32, len(names))
	for i, entry := range names {
		var err error
		if found[i], err = t.taxon(entry); err != nil {
			return nil, fmt.Errorf("encoder: names %q: %w", entry, err)
		}
	}
	return found, nil
}

// texts gives the rows of names, each of which must be known.
func (t *lookup) texts(names []string) ([][]float32, error) {
	found := make([][]float32, len(names))
	for i, name := range names {
		row, ok := t.rows[foldName(name)]
		if !ok {
			return nil, fmt.Errorf("%w: %q (it holds %d)", ErrUnknownName, name, len(t.rows))
		}
		found[i] = slices.Clone(row)
	}
	return found, nil
}
