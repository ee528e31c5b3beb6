package exchange

import (
	"archive/zip"
	"bytes"
	"os"
	"runtime"
	"testing"

	"fieldmark/internal/identify"
)

func writeTestFile(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func readTestFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Whatever a file holds: no panic, no more rows than it says, every row whole,
// and errors that a person can act on.
func FuzzNPZ(f *testing.F) {
	var file bytes.Buffer
	if err := WriteNPZ(&file, sample()); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Add(archive(f, array("embeddings.npy", "'>f8'", "(1, 2)", true, make([]byte, 16)), array("labels.npy", "'|S2'", "(1,)", false, []byte("ab"))))
	f.Fuzz(func(t *testing.T, data []byte) {
		z, rows, err := read(data)
		if err != nil {
			if identify.KindOf(err) != identify.Invalid {
				t.Fatalf("%v is not for people", err)
			}
			return
		}
		if len(rows) != z.Rows() {
			t.Fatalf("%d rows of %d", len(rows), z.Rows())
		}
		for _, r := range rows {
			if len(r.Embedding) != z.Dim() {
				t.Fatalf("row %d has %d numbers of %d", r.Row, len(r.Embedding), z.Dim())
			}
		}
	})
}

// FuzzNPYHeader fuzzes the header alone, which the archive's checksum would
// keep the fuzzer from changing.
func FuzzNPYHeader(f *testing.F) {
	f.Add("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", []byte{0, 0, 128, 63})
	f.Add("{'descr': '<U2', 'fortran_order': True, 'shape': (), }\n", []byte("abcdefgh"))
	f.Add("}'shape': 'descr': 'fortran_order': \n", []byte(nil))
	f.Fuzz(func(t *testing.T, text string, raw []byte) {
		labels := array("labels.npy", "'|S1'", "(1,)", false, []byte("a"))
		for _, name := range []string{"embeddings.npy", "labels.npy", "encoder.npy"} {
			m := headed(name, text, raw)
			m.method = zip.Store
			members := []member{m, labels}
			if name != "embeddings.npy" {
				members = []member{m, array("embeddings.npy", "'<f4'", "(1, 1)", false, make([]byte, 4)), labels}
			}
			if _, _, err := read(archive(t, members...)); err != nil && identify.KindOf(err) != identify.Invalid {
				t.Fatalf("%v is not for people", err)
			}
		}
	})
}

// Reading takes memory for rows, not for the file: NumPy's own form of 20,000
// embeddings, 40 MB, is read within a few megabytes.
func TestNPZIsReadInRows(t *testing.T) {
	const rows, dim = 8_000, 512
	e := Exemplars{Dim: dim, Labels: make([]string, rows), Taxa: make([]int64, rows), Observations: make([]int64, rows)}
	e.Vectors = func(visit func([]float32) error) error {
		v := make([]float32, dim)
		for i := range rows {
			v[i%dim] = float32(i)
			if err := visit(v); err != nil {
				return err
			}
		}
		return nil
	}
	var file bytes.Buffer
	if err := WriteNPZ(&file, e); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	z, err := OpenNPZ(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if err := z.Each(func(identify.EmbeddingRow) error { return nil }); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
		t.Errorf("reading %d bytes allocated %d", file.Len(), used)
	}
}

func BenchmarkNPZEach(b *testing.B) {
	const rows, dim = 20_000, 512
	e := Exemplars{Dim: dim, Labels: make([]string, rows), Taxa: make([]int64, rows), Observations: make([]int64, rows)}
	e.Vectors = func(visit func([]float32) error) error {
		v := make([]float32, dim)
		for range rows {
			if err := visit(v); err != nil {
				return err
			}
		}
		return nil
	}
	var file bytes.Buffer
	if err := WriteNPZ(&file, e); err != nil {
		b.Fatal(err)
	}
	z, err := OpenNPZ(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(file.Len()))
	for b.Loop() {
		if err := z.Each(func(identify.EmbeddingRow) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
