package clip

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"fieldmark/internal/onnx/onnxtest"
	"fieldmark/internal/vec"
)

// table has three names in the plane: east (with a synonym), north, north-east.
func table(t testing.TB) *lookup {
	t.Helper()
	l, err := newLookup("East\tOriens\nNorth\r\nnorth  east\n", []float32{3, 0, 0, 2, 1, 1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestNamesAreLookedUp(t *testing.T) {
	l := table(t)
	half := math.Sqrt(.5)
	got, err := l.taxa([][]string{{"oriens"}, {" EAST ", "north"}, {"West", "East"}, {"North East"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]float64{{1, 0}, {half, half}, {1, 0}, {half, half}} {
		near(t, "name", got[i], want, 1e-6)
	}
	if _, err := l.texts([]string{"East", "West"}); !errors.Is(err, ErrUnknownName) || !strings.Contains(err.Error(), `"West"`) {
		t.Errorf("an unknown text: %v", err)
	}
}

// TestANameThatIsUnknownSaysNothing: its row is opposite to the mean of the
// known, and the same for all. The mean of east, north and north-east is
// (1+√½, 1+√½)/3, so the opposite direction is south-west.
func TestANameThatIsUnknownSaysNothing(t *testing.T) {
	l := table(t)
	got, err := l.taxa([][]string{{"West"}, {"Up", "Down"}})
	if err != nil {
		t.Fatal(err)
	}
	half := math.Sqrt(.5)
	near(t, "West", got[0], []float64{-half, -half}, 1e-6)
	near(t, "Up", got[1], []float64{-half, -half}, 1e-6)
	for name, row := range l.rows {
		if c := vec.Dot(got[0], row); c > 0 {
			t.Errorf("its cosine to %s is %v", name, c)
		}
	}
}

func TestTablesThatDoNotFitAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		names string
		flat  []float32
		want  string
	}{
		"too few rows":  {"a\nb\n", []float32{1, 2}, "2 lines of names for 2 numbers"},
		"no names":      {"", nil, "0 lines"},
		"a row of zero": {"a\nb\n", []float32{1, 2, 0, 0}, "row 2"},
		"not finite":    {"a\n", []float32{1, float32(math.NaN())}, "not finite"},
		"cancelling":    {"a\nb\n", []float32{1, 0, -1, 0}, "cancel out"},
	} {
		if _, err := newLookup(c.names, c.flat, 2); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error that says %q", name, err, c.want)
		}
	}
}

// TestAnEncoderWithATable: the photo tower runs, names come from the table.
func TestAnEncoderWithATable(t *testing.T) {
	model := newTiny()
	folder := model.folder(t)
	var m Manifest
	if err := json.Unmarshal(folder[ManifestFile].Data, &m); err != nil {
		t.Fatal(err)
	}
	put := func(name string, data []byte) File {
		folder[name] = &fstest.MapFile{Data: data}
		return fileOf(name, data)
	}
	vectors := make([]float32, 2*tinyDim)
	vectors[0], vectors[tinyDim+1] = 1, 1
	m.Text = TextTower{Lookup: &Lookup{Names: put("names.tsv", []byte("cow\ncrow\n")), Vectors: put("vectors.f32", onnxtest.FloatBytes(vectors))}}
	m.Prompts = []string{"{}"}
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	folder[ManifestFile] = &fstest.MapFile{Data: raw}
	enc, err := Open(folder, Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer enc.Close()
	if _, err := enc.EmbedImage(t.Context(), noise(1, 9, 9)); err != nil {
		t.Error(err)
	}
	rows, err := enc.EmbedNames(t.Context(), [][]string{{"Crow"}, {"Owl"}})
	if err != nil || rows[0][1] != 1 || rows[1][0] >= 0 {
		t.Errorf("%v, %v", rows, err)
	}
	if !enc.Knows(" COW") || enc.Knows("owl") {
		t.Error("what it knows is not what the table holds")
	}
	if _, err := enc.EmbedTexts(t.Context(), []string{"owl"}); !errors.Is(err, ErrUnknownName) {
		t.Errorf("an unknown text: %v", err)
	}
}
