package exchange

import (
	"archive/zip"
	"bytes"
	"slices"
	"strings"
	"testing"
)

func archiveOf(t *testing.T, arrays map[string][]byte) []byte {
	t.Helper()
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	for name, data := range arrays {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestReadMatrix(t *testing.T) {
	rows := [][]float32{{1, 2, 3}, {4, 5, 6}}
	var table bytes.Buffer
	if err := WriteNPY(&table, rows, 3); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"npy": table.Bytes(), "npz": archiveOf(t, map[string][]byte{"vectors.npy": table.Bytes()})} {
		got, err := ReadMatrix(data)
		if err != nil || len(got) != 2 || !slices.Equal(got[0], rows[0]) || !slices.Equal(got[1], rows[1]) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	flat := append([]byte("\x93NUMPY\x01\x00\x36\x00"), "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}\x00\x00\x00\x00\x00\x00\x00\x00"...)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"words":          {[]byte("1 2 3"), "npy format"},
		"cut short":      {table.Bytes()[:table.Len()-1], "asks for"},
		"too long":       {append(slices.Clone(table.Bytes()), 0), "asks for"},
		"one dimension":  {flat, "array"},
		"two tables":     {archiveOf(t, map[string][]byte{"a.npy": table.Bytes(), "b.npy": table.Bytes()}), "keep one"},
		"an empty npz":   {archiveOf(t, nil), "no table"},
		"a broken npz":   {[]byte("PK\x03\x04"), "npz"},
		"nothing at all": {nil, "npy format"},
	} {
		if got, err := ReadMatrix(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want an error that says %q", name, got, err, c.want)
		}
	}
}
