package adopt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"

	"fieldmark/internal/clip"
	"fieldmark/internal/exchange"
)

// lookup makes the text side of a table of names and a file of vectors.
func (d *draft) lookup() error {
	names, err := firstOf(d.folder, "names.tsv", "names.txt")
	if err != nil {
		return err
	}
	vectors, err := firstOf(d.folder, "vectors.npy", "vectors.npz", "names.npy", "names.npz", "embeddings.npy", "embeddings.npz")
	if err != nil {
		return err
	}
	if names == "" || vectors == "" {
		return errors.New("it has no text tower: put text_model.onnx and its tokenizer beside it, or names.tsv (a row of names a line, " +
			"synonyms parted by tabs) and vectors.npy (a row of numbers for each line, made by the text tower that belongs to it)")
	}
	table, err := fs.ReadFile(d.folder, names)
	if err != nil {
		return err
	}
	lines, err := nameLines(string(table))
	if err != nil {
		return fmt.Errorf("%s: %w", names, err)
	}
	raw, err := fs.ReadFile(d.folder, vectors)
	if err != nil {
		return err
	}
	rows, err := exchange.ReadMatrix(raw)
	if err != nil {
		return fmt.Errorf("%s: %w", vectors, err)
	}
	if len(rows) != len(lines) {
		return fmt.Errorf("%s has %d lines and %s %d rows: they must be as many, in one order, with no line of headings", names, len(lines), vectors, len(rows))
	}
	if dim := len(rows[0]); d.manifest.Dim != 0 && dim != d.manifest.Dim {
		return fmt.Errorf("%s has %d numbers a row, but the image tower gives %d: they are not of one encoder", vectors, dim, d.manifest.Dim)
	}
	l := &clip.Lookup{}
	d.manifest.Text.Lookup = l
	d.write(&l.Names, "names.tsv", func() ([]byte, error) { return []byte(strings.Join(lines, "\n") + "\n"), nil })
	d.write(&l.Vectors, "vectors.f32", func() ([]byte, error) { return littleEndian(rows), nil })
	d.note("names: %d of them, from %s and %s; a name that is not among them has no vector, and must be taught", len(lines), names, vectors)
	return nil
}

// firstOf gives the first of some files that is there, "" if none is.
func firstOf(folder fs.FS, files ...string) (string, error) {
	for _, f := range files {
		if _, err := fs.Stat(folder, f); err == nil {
			return f, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", nil
}

func nameLines(table string) ([]string, error) {
	table = strings.TrimSuffix(strings.ReplaceAll(strings.TrimPrefix(table, "\ufeff"), "\r\n", "\n"), "\n")
	lines := strings.Split(table, "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			return nil, fmt.Errorf("line %d has no name", i+1)
		}
	}
	return lines, nil
}

func littleEndian(rows [][]float32) []byte {
	out := make([]byte, 0, 4*len(rows)*len(rows[0]))
	for _, row := range rows {
		for _, v := range row {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
		}
	}
	return out
}
