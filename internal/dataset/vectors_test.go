package dataset

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fieldmark/internal/exchange"
)

// npyTexts is texts in NumPy's npy format.
func npyTexts(texts ...string) []byte {
	width := 1
	for _, s := range texts {
		width = max(width, len(s))
	}
	header := fmt.Sprintf("{'descr': '<U%d', 'fortran_order': False, 'shape': (%d,), }\n", width, len(texts))
	out := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	out = append(out, header...)
	for _, s := range texts {
		item := make([]rune, width)
		copy(item, []rune(s))
		for _, r := range item {
			out = binary.LittleEndian.AppendUint32(out, uint32(r))
		}
	}
	return out
}

// npyInts is whole numbers in NumPy's npy format.
func npyInts(numbers ...int64) []byte {
	header := fmt.Sprintf("{'descr': '<i8', 'fortran_order': False, 'shape': (%d,), }\n", len(numbers))
	out := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	out = append(out, header...)
	for _, n := range numbers {
		out = binary.LittleEndian.AppendUint64(out, uint64(n))
	}
	return out
}

func npyMatrix(t *testing.T, rows ...[]float32) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := exchange.WriteNPY(&b, rows, len(rows[0])); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func npz(t *testing.T, arrays map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, data := range arrays {
		w, err := z.Create(name + ".npy")
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// four rows: a fox and an owl to teach, an owl and a fox to ask.
func rows(t *testing.T) []byte {
	return npyMatrix(t, []float32{1, 0}, []float32{0, 1}, []float32{0, 2}, []float32{3, 0})
}

func texts(t *testing.T) []byte { return npyMatrix(t, []float32{2, 0}, []float32{0, 4}) }

func TestEmbeddingFiles(t *testing.T) {
	split, words := npyTexts("train", "train", "test", "test"), npyTexts("fox", "owl", "owl", "fox")
	for name, form := range map[string]struct {
		files    map[string][]byte
		manifest string
	}{
		"one npz": {map[string][]byte{"a.npz": npz(t, map[string][]byte{
			"embeddings": rows(t), "labels": words, "split": split, "text_embeddings": texts(t), "text_labels": npyTexts("fox", "owl")})},
			"embeddings = 'a.npz'"},
		"labels by number": {map[string][]byte{"a.npz": npz(t, map[string][]byte{
			"embeddings": rows(t), "labels": npyInts(0, 1, 1, 0), "split": split, "text_embeddings": texts(t), "text_labels": npyTexts("fox", "owl")})},
			"embeddings = 'a.npz'"},
		"texts of their own": {map[string][]byte{
			"a.npz": npz(t, map[string][]byte{"embeddings": rows(t), "labels": words, "split": split}),
			"t.npz": npz(t, map[string][]byte{"text_embeddings": texts(t), "text_labels": npyTexts("fox", "owl")})},
			"embeddings = 'a.npz'\ntexts = 't.npz'"},
		"npy and lines": {map[string][]byte{
			"train.npy": npyMatrix(t, []float32{1, 0}, []float32{0, 1}), "train.txt": []byte("fox\nowl\n"),
			"test.npy": npyMatrix(t, []float32{0, 2}, []float32{3, 0}), "test.txt": []byte("1\r\n0\r\n"),
			"t.npy": texts(t), "t.txt": []byte("fox\nowl")},
			"train = 'train.npy'\ntrain_labels = 'train.txt'\ntest = 'test.npy'\ntest_labels = 'test.txt'\ntexts = 't.npy'\ntext_labels = 't.txt'"},
	} {
		root := t.TempDir()
		write(t, root, form.files)
		got, err := load(t, root, "[[task]]\nname = 'a'\n"+form.manifest, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s := got.Suite
		task := s.Tasks[0]
		if s.Tau != defaultTau || !slices.Equal(task.Classes, []string{"fox", "owl"}) ||
			!slices.Equal(task.Train.Labels, []int{0, 1}) || !slices.Equal(task.Test.Labels, []int{1, 0}) {
			t.Errorf("%s: τ = %g, classes %q, labels %v and %v", name, s.Tau, task.Classes, task.Train.Labels, task.Test.Labels)
		}
		if !slices.Equal(task.Test.Vectors[1], []float32{3, 0}) || !slices.Equal(task.Texts[1], []float32{0, 1}) {
			t.Errorf("%s: an image is %v, want it raw; a text %v, want a unit one", name, task.Test.Vectors[1], task.Texts[1])
		}
	}
}

func TestEmbeddingRefusals(t *testing.T) {
	words, split := npyTexts("fox", "owl", "owl", "fox"), npyTexts("train", "train", "test", "test")
	whole := func() map[string][]byte {
		return map[string][]byte{"embeddings": rows(t), "labels": words, "split": split, "text_embeddings": texts(t), "text_labels": npyTexts("fox", "owl")}
	}
	for want, change := range map[string]func(a map[string][]byte){
		"no array \"split\"": func(a map[string][]byte) { delete(a, "split") },
		"neither \"train\"":  func(a map[string][]byte) { a["split"] = npyTexts("train", "train", "test", "val") },
		"split has 1":        func(a map[string][]byte) { a["split"] = npyTexts("train") },
		"3 labels":           func(a map[string][]byte) { a["labels"] = npyTexts("fox", "owl", "owl") },
		"none of its 2":      func(a map[string][]byte) { a["labels"] = npyTexts("fox", "owl", "owl", "bat") },
		"label \"5\"":        func(a map[string][]byte) { a["labels"] = npyInts(0, 1, 5, 0) },
		"--model":            func(a map[string][]byte) { delete(a, "text_embeddings") },
		"labels are numbers": func(a map[string][]byte) {
			a["labels"] = npyInts(0, 1, 1, 0)
			delete(a, "text_embeddings")
			delete(a, "text_labels")
		},
		"1 text labels": func(a map[string][]byte) { a["text_labels"] = npyTexts("fox") },
		"others have":   func(a map[string][]byte) { a["text_embeddings"] = npyMatrix(t, []float32{1, 0, 0}, []float32{0, 1, 0}) },
		"is zero or not finite": func(a map[string][]byte) {
			a["embeddings"] = npyMatrix(t, []float32{1, 0}, []float32{0, 0}, []float32{0, 2}, []float32{3, 0})
		},
		"it has no test images":   func(a map[string][]byte) { a["split"] = npyTexts("train", "train", "train", "train") },
		"no array \"embeddings\"": func(a map[string][]byte) { delete(a, "embeddings") },
	} {
		root := t.TempDir()
		arrays := whole()
		change(arrays)
		write(t, root, map[string][]byte{"a.npz": npz(t, arrays)})
		if _, err := load(t, root, "[[task]]\nname = 'a'\nembeddings = 'a.npz'", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Embeddings of two encoders are not mixed where the files say who made them.
func TestEncoderOfFiles(t *testing.T) {
	root := t.TempDir()
	arrays := map[string][]byte{"embeddings": npyMatrix(t, []float32{1, 0, 0}, []float32{0, 1, 0}, []float32{0, 2, 0}, []float32{3, 0, 0}),
		"labels": npyTexts("fox", "owl", "owl", "fox"), "split": npyTexts("train", "train", "test", "test"), "encoder": npyTexts("mine")}
	write(t, root, map[string][]byte{"a.npz": npz(t, arrays)})
	const manifest = "[[task]]\nname = 'a'\nembeddings = 'a.npz'"
	if _, err := load(t, root, manifest, &colours{digest: "theirs"}); err == nil || !strings.Contains(err.Error(), "another encoder") {
		t.Errorf("error %v", err)
	}
	got, err := load(t, root, manifest, &colours{digest: "mine"})
	if err != nil || len(got.Notes) != 0 {
		t.Fatalf("%v, notes %q", err, got.Notes)
	}
	delete(arrays, "encoder")
	write(t, root, map[string][]byte{"a.npz": npz(t, arrays)})
	if got, err = load(t, root, manifest, &colours{digest: "mine"}); err != nil || len(got.Notes) != 1 {
		t.Errorf("%v, notes %q: want one that the file does not say who made it", err, got.Notes)
	}
}

func TestReferencePack(t *testing.T) {
	pack, err := filepath.Abs(filepath.Join("..", "..", "..", "shared", "data", "reference"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(pack); err != nil {
		t.Skipf("no reference pack: %v", err)
	}
	got, err := load(t, t.TempDir(), fmt.Sprintf("[[task]]\nname = 'food'\npack = %q", pack), nil)
	if err != nil {
		t.Fatal(err)
	}
	task := got.Suite.Tasks[0]
	if len(task.Classes) != 10 || len(task.Train.Vectors) != 850 || len(task.Test.Vectors) != 180 || got.Suite.Tau != 100 {
		t.Errorf("%d classes, %d + %d images, τ = %g; want 10, 850 + 180, 100", len(task.Classes), len(task.Train.Vectors), len(task.Test.Vectors), got.Suite.Tau)
	}
}
