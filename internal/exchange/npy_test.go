package exchange

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/sbinet/npyio"
)

func TestWriteNPYIsReadByAnother(t *testing.T) {
	for _, rows := range [][][]float32{{{1, 2, 3}, {4, 5, 6.5}}, {{7, -8, 9}}, {}} {
		var file bytes.Buffer
		if err := WriteNPY(&file, rows, 3); err != nil {
			t.Fatal(err)
		}
		if file.Len() != 128+4*3*len(rows) {
			t.Errorf("%d bytes for %d rows", file.Len(), len(rows))
		}
		r, err := npyio.NewReader(&file)
		if err != nil {
			t.Fatal(err)
		}
		if want := []int{len(rows), 3}; !reflect.DeepEqual(r.Header.Descr.Shape, want) {
			t.Errorf("shape %v, want %v", r.Header.Descr.Shape, want)
		}
		var flat, want []float32
		if len(rows) > 0 {
			if err := r.Read(&flat); err != nil {
				t.Fatal(err)
			}
		}
		for _, row := range rows {
			want = append(want, row...)
		}
		if !reflect.DeepEqual(flat, want) {
			t.Errorf("read %v, want %v", flat, want)
		}
	}
}

func TestWriteNPYRefusesRaggedRows(t *testing.T) {
	if err := WriteNPY(&bytes.Buffer{}, [][]float32{{1, 2}, {3}}, 2); err == nil {
		t.Error("ragged rows were written")
	}
}
