package exchange

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

func openTestArchive(t *testing.T, members ...member) *Archive {
	t.Helper()
	data := archive(t, members...)
	a, err := OpenArchive(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestArchive(t *testing.T) {
	a := openTestArchive(t,
		array("x", "'<f4'", "(2, 3)", false, raw(t, binary.LittleEndian, []float32{1, 2, 3, 4, 5, 6})),
		array("split", "'<U5'", "(2,)", false, ucs4(t, binary.LittleEndian, 5, "train", "test")),
		array("labels", "'<i8'", "(2,)", false, raw(t, binary.LittleEndian, []int64{7, -1})),
		array("encoder", "'<U3'", "()", false, ucs4(t, binary.LittleEndian, 3, "abc")),
	)
	for name, want := range map[string]bool{"encoder": true, "labels": true, "split": true, "x": true, "y": false} {
		if a.Has(name) != want {
			t.Errorf("whether it has %q: %t", name, !want)
		}
	}
	rows, err := a.Matrix("x")
	if err != nil || len(rows) != 2 || !slices.Equal(rows[1], []float32{4, 5, 6}) {
		t.Errorf("x: %v, %v", rows, err)
	}
	for name, want := range map[string]struct {
		texts   []string
		numbers bool
	}{
		"split":   {[]string{"train", "test"}, false},
		"labels":  {[]string{"7", "-1"}, true},
		"encoder": {[]string{"abc"}, false},
	} {
		texts, numbers, err := a.Texts(name)
		if err != nil || numbers != want.numbers || !slices.Equal(texts, want.texts) {
			t.Errorf("%s: %q, %v, %v", name, texts, numbers, err)
		}
	}
}

func TestArchiveRefusals(t *testing.T) {
	a := openTestArchive(t,
		array("x", "'<f4'", "(2, 3)", false, raw(t, binary.LittleEndian, []float32{1, 2, 3, 4, 5, 6})),
		array("short", "'<f4'", "(2, 3)", false, raw(t, binary.LittleEndian, []float32{1, 2, 3})),
		array("labels", "'<i8'", "(2,)", false, raw(t, binary.LittleEndian, []int64{7, -1})),
	)
	for name, wants := range map[string][2]string{ // of Matrix, of Texts
		"none":   {"no array", "no array"},
		"labels": {"no table", ""},
		"x":      {"", "no list"},
		"short":  {"asks for", "asks for"},
	} {
		_, errMatrix := a.Matrix(name)
		_, _, errTexts := a.Texts(name)
		for i, err := range []error{errMatrix, errTexts} {
			if want := wants[i]; want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s, %d: error %v, want one with %q", name, i, err, want)
			}
		}
	}
	if _, err := OpenArchive(strings.NewReader("no zip"), 6); err == nil {
		t.Error("what is no archive was opened")
	}
}

func TestReadTexts(t *testing.T) {
	one := npyStart("<U4", "(2,)") + string(ucs4(t, binary.LittleEndian, 4, "wren", "owl"))
	texts, numbers, err := ReadTexts([]byte(one))
	if err != nil || numbers || !slices.Equal(texts, []string{"wren", "owl"}) {
		t.Errorf("%q, %v, %v", texts, numbers, err)
	}
	if _, _, err := ReadTexts([]byte(one[:len(one)-4])); err == nil {
		t.Error("a list that was cut short was read")
	}
}
