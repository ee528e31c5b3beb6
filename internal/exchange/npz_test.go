package exchange

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/sbinet/npyio/npz"

	"fieldmark/internal/identify"
)

// member is an array as a test writes it into an archive.
type member struct {
	name   string
	data   []byte
	method uint16
}

// array is an npy file of a dtype, shape and order with its raw bytes.
func array(name, descr, shape string, fortran bool, raw []byte) member {
	text := "{'descr': " + descr + ", 'fortran_order': " + map[bool]string{true: "True", false: "False"}[fortran] + ", 'shape': " + shape + ", }\n"
	return headed(name, text, raw)
}

// headed is an npy file whose header is the text.
func headed(name, text string, raw []byte) member {
	data := append([]byte("\x93NUMPY\x01\x00"), byte(len(text)), byte(len(text)>>8))
	return member{name: name, data: append(append(data, text...), raw...), method: zip.Deflate}
}

func archive(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, m := range members {
		w, err := z.CreateHeader(&zip.FileHeader{Name: m.name, Method: m.method})
		if err == nil {
			_, err = w.Write(m.data)
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

// raw is numbers in a byte order, one after the other.
func raw(t testing.TB, order binary.ByteOrder, numbers any) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := binary.Write(&b, order, numbers); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// ucs4 is texts as a '<U' array of width characters holds them.
func ucs4(t testing.TB, order binary.ByteOrder, width int, texts ...string) []byte {
	t.Helper()
	var b []byte
	for _, s := range texts {
		item := make([]rune, width)
		copy(item, []rune(s))
		b = append(b, raw(t, order, item)...)
	}
	return b
}

// read returns every row of a file.
func read(data []byte) (z *NPZ, rows []identify.EmbeddingRow, err error) {
	if z, err = OpenNPZ(bytes.NewReader(data), int64(len(data))); err != nil {
		return nil, nil, err
	}
	err = z.Each(func(r identify.EmbeddingRow) error {
		r.Embedding = append([]float32(nil), r.Embedding...)
		rows = append(rows, r)
		return nil
	})
	return z, rows, err
}

var (
	le, be = binary.LittleEndian, binary.BigEndian
	// twoRows is [[1, 2, 3], [4, 5, 6.5]], exact in every floating-point type.
	twoRows = []float32{1, 2, 3, 4, 5, 6.5}
)

// Every form in which NumPy may have saved the same numbers is read as the same.
func TestNPZForms(t *testing.T) {
	labels := array("labels.npy", "'<U8'", "(2,)", false, ucs4(t, le, 8, "Käfer", "🦆 x"))
	wide := []float64{1, 2, 3, 4, 5, 6.5}
	// binary16 by hand: 1 = 0x3c00, 2 = 0x4000, 3 = 0x4200, 4 = 0x4400, 5 = 0x4500, 6.5 = 0x4680
	halves := []uint16{0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4680}
	for name, c := range map[string][]member{
		"float32":          {array("embeddings.npy", "'<f4'", "(2, 3)", false, raw(t, le, twoRows)), labels},
		"big-endian":       {array("embeddings.npy", "'>f4'", "(2, 3)", false, raw(t, be, twoRows)), labels},
		"float64":          {array("embeddings.npy", "'<f8'", "(2, 3)", false, raw(t, le, wide)), labels},
		"float16":          {array("embeddings.npy", "'<f2'", "(2, 3)", false, raw(t, le, halves)), labels},
		"Fortran order":    {array("embeddings.npy", "'<f4'", "(2, 3)", true, raw(t, le, []float32{1, 4, 2, 5, 3, 6.5})), labels},
		"keys in disorder": {headed("embeddings.npy", "{'shape':(2,3), 'descr':'<f4', 'fortran_order': False}  \n", raw(t, le, twoRows)), labels},
		"labels in bytes": {array("embeddings.npy", "'<f4'", "(2, 3)", false, raw(t, le, twoRows)),
			array("labels.npy", "'|S6'", "(2,)", false, []byte("Käfer🦆 x"))},
		"labels big-endian": {array("embeddings.npy", "'<f4'", "(2, 3)", false, raw(t, le, twoRows)),
			array("labels.npy", "'>U8'", "(2,)", false, ucs4(t, be, 8, "Käfer", "🦆 x"))},
		"stored, another array, no suffix": {{"embeddings", array("", "'<f4'", "(2, 3)", false, raw(t, le, twoRows)).data, zip.Store},
			labels, array("other.npy", "'|O'", "(2,)", false, []byte("a pickle"))},
	} {
		z, rows, err := read(archive(t, c...))
		if err != nil || z.Rows() != 2 || z.Dim() != 3 || z.Encoder() != "" || len(rows) != 2 {
			t.Errorf("%s: %v, %v", name, rows, err)
			continue
		}
		if !reflect.DeepEqual(append(rows[0].Embedding, rows[1].Embedding...), twoRows) || rows[0].Label != "Käfer" || rows[1].Label != "🦆 x" {
			t.Errorf("%s: %+v", name, rows)
		}
	}
}

func TestNPZColumns(t *testing.T) {
	e := array("embeddings.npy", "'<f4'", "(2, 3)", false, raw(t, le, twoRows))
	labels := array("labels.npy", "'<U4'", "(2,)", false, ucs4(t, le, 4, "a", "bird"))
	for name, c := range map[string]struct {
		members []member
		taxa    [2]identify.TaxonID
		refs    [2]string
		encoder string
	}{
		"int64, int16": {[]member{array("taxon_ids.npy", "'<i8'", "(2,)", false, raw(t, le, []int64{7, -1})),
			array("observation_ids.npy", "'<i2'", "(2,)", false, raw(t, le, []int16{-5, 300}))}, [2]identify.TaxonID{7, 0}, [2]string{"-5", "300"}, ""},
		"uint8, text": {[]member{array("taxon_ids.npy", "'|u1'", "(2,)", false, []byte{255, 0}),
			array("observation_ids.npy", "'<U3'", "(2,)", false, ucs4(t, le, 3, "x-1", ""))}, [2]identify.TaxonID{255, 0}, [2]string{"x-1", ""}, ""},
		"too large for int64": {[]member{array("taxon_ids.npy", "'>u8'", "(2,)", false, raw(t, be, []uint64{math.MaxUint64, 3}))},
			[2]identify.TaxonID{0, 3}, [2]string{}, ""},
		"encoder, scalar": {[]member{array("encoder.npy", "'<U6'", "()", false, ucs4(t, le, 6, "sha:ab"))}, [2]identify.TaxonID{}, [2]string{}, "sha:ab"},
		"encoder, a list": {[]member{array("encoder.npy", "'|S6'", "(1,)", false, []byte("sha:ab"))}, [2]identify.TaxonID{}, [2]string{}, "sha:ab"},
	} {
		z, rows, err := read(archive(t, append(c.members, e, labels)...))
		if err != nil || len(rows) != 2 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, r := range rows {
			if r.Row != i || r.Taxon != c.taxa[i] || r.Ref != c.refs[i] || r.Problem != nil {
				t.Errorf("%s: %+v", name, r)
			}
		}
		if z.Encoder() != c.encoder {
			t.Errorf("%s: encoder %q", name, z.Encoder())
		}
	}
}

func TestHalf(t *testing.T) {
	// From the definition of binary16: (-1)^s · 2^(e-15) · (1 + f/1024), or
	// (-1)^s · 2^(-14) · f/1024 where e = 0.
	for bits, want := range map[uint16]float64{
		0x0000: 0, 0x0001: math.Ldexp(1, -24), 0x03ff: math.Ldexp(1023, -24), 0x0400: math.Ldexp(1, -14), 0x8400: -math.Ldexp(1, -14),
		0x3555: (1 + 0x155/1024.0) / 4, 0x7bff: 65504, 0xfbff: -65504, 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1),
	} {
		if got := half(bits); float64(got) != want {
			t.Errorf("%#04x is %g, want %g", bits, got, want)
		}
	}
	if got := half(0x7e00); got == got {
		t.Errorf("0x7e00 is %g, want not a number", got)
	}
	if got := half(0x8000); got != 0 || !math.Signbit(float64(got)) {
		t.Errorf("0x8000 is %g, want -0", got)
	}
}

// What lies, or is not ours, is refused with words about it; never a panic,
// never a row that is not there.
func TestNPZRefusals(t *testing.T) {
	e := array("embeddings.npy", "'<f4'", "(2, 3)", false, raw(t, le, twoRows))
	labels := array("labels.npy", "'<U4'", "(2,)", false, ucs4(t, le, 4, "a", "b"))
	good := archive(t, e, labels)
	embeddings := func(descr, shape string, n int) []byte {
		return archive(t, array("embeddings.npy", descr, shape, false, make([]byte, n)), labels)
	}
	header := func(text string) []byte {
		return archive(t, headed("embeddings.npy", text, raw(t, le, twoRows)), labels)
	}
	flipped := archive(t, member{"embeddings.npy", e.data, zip.Store}, labels)
	flipped[bytes.Index(flipped, raw(t, le, twoRows))] ^= 1
	long := member{"embeddings.npy", append([]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), make([]byte, 100)...), zip.Deflate}
	for name, c := range map[string]struct {
		file []byte
		says string
	}{
		"nothing":               {nil, "not an npz archive"},
		"words":                 {[]byte("just some words"), "not an npz archive"},
		"half a file":           {good[:len(good)/2], "not an npz archive"},
		"a flipped bit":         {flipped, "not copied whole"},
		"no labels":             {archive(t, e), `no array "labels"`},
		"no embeddings":         {archive(t, labels), `no array "embeddings"`},
		"two embeddings":        {archive(t, e, labels, e), "two arrays"},
		"with and without .npy": {archive(t, e, labels, member{"labels", labels.data, zip.Store}), "two arrays"},
		"pickled labels":        {archive(t, e, array("labels.npy", "'|O'", "(2,)", false, []byte("\x80\x04]q\x00."))), "Save text as unicode"},
		"records":               {archive(t, e, array("labels.npy", "[('a', '<U4')]", "(2,)", false, nil)), "structured dtype"},
		"complex numbers":       {embeddings("'<c8'", "(2, 3)", 48), "neither numbers nor text"},
		"long doubles":          {embeddings("'<f16'", "(2, 3)", 96), "save it as float32"},
		"whole numbers":         {embeddings("'<i4'", "(2, 3)", 24), "floating-point"},
		"one dimension":         {embeddings("'<f4'", "(6,)", 24), "two dimensions"},
		"three dimensions":      {embeddings("'<f4'", "(1, 2, 3)", 24), "more than two"},
		"no rows":               {embeddings("'<f4'", "(0, 3)", 0), "nothing to learn"},
		"no columns":            {embeddings("'<f4'", "(2, 0)", 0), "nothing to learn"},
		"more rows than bytes":  {embeddings("'<f4'", "(4000000, 16000)", 24), "asks for 2560000000"},
		"fewer rows than bytes": {embeddings("'<f4'", "(2, 2)", 24), "asks for"},
		"a huge shape":          {embeddings("'<f4'", "(99999999999999999999, 3)", 24), "too large"},
		"shapes overflow":       {embeddings("'<f4'", "(4294967296, 4294967296)", 24), "too large"},
		"a negative shape":      {embeddings("'<f4'", "(-2, 3)", 24), "not one that NumPy writes"},
		"one label missing":     {archive(t, e, array("labels.npy", "'<U4'", "(1,)", false, ucs4(t, le, 4, "a"))), "different numbers of rows: 1 and 2"},
		"labels that are ints":  {archive(t, e, array("labels.npy", "'<i8'", "(2,)", false, make([]byte, 16))), "must hold text"},
		"wide labels":           {archive(t, e, array("labels.npy", "'<U90000'", "(2,)", false, make([]byte, 720000))), "room for 90000"},
		"very wide labels":      {archive(t, e, array("labels.npy", "'<U999999999'", "(2,)", false, nil)), "room for 999999999"},
		"taxa that are text":    {archive(t, e, labels, array("taxon_ids.npy", "'<U1'", "(2,)", false, make([]byte, 8))), "whole numbers"},
		"an encoder of two":     {archive(t, e, labels, array("encoder.npy", "'|S1'", "(2,)", false, []byte("ab"))), "one text"},
		"a version":             {archive(t, member{"embeddings.npy", []byte("\x93NUMPY\x09\x00\x00\x00"), 0}, labels), "version 9"},
		"no magic":              {archive(t, member{"embeddings.npy", []byte("NUMPY"), 0}, labels), "npy format"},
		"a long header":         {archive(t, long, labels), "header says that it has 4294967295 bytes"},
		"a header cut short":    {archive(t, member{"embeddings.npy", e.data[:20], 0}, labels), "within its header"},
		"no dictionary":         {header("\n"), "not one that NumPy writes"},
		"an empty dictionary":   {header("{}"), "not one that NumPy writes"},
		"keys in other order":   {header("}'shape': 'descr': 'fortran_order': \n"), "not one that NumPy writes"},
		"a key twice":           {header("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"), "twice"},
		"a key too many":        {header("{'descr': '<f4', 'x': '<f4', 'fortran_order': False, 'shape': (2, 3), }"), "not one that NumPy writes"},
		"words behind it":       {header("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} and more"), "goes on"},
		"an unknown method":     {badMethod(good), "cannot be read"},
	} {
		_, rows, err := read(c.file)
		if identify.KindOf(err) != identify.Invalid || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %d rows, %v; want an error that says %q", name, len(rows), err, c.says)
		}
	}
}

// badMethod changes how the archive says that its first member is compressed.
func badMethod(file []byte) []byte {
	file = bytes.Clone(file)
	for _, at := range []int{8, bytes.Index(file, []byte("PK\x01\x02")) + 10} {
		file[at] = 99
	}
	return file
}

// A short archive that lists a great many members must not fill the memory.
func TestNPZDirectoryIsBounded(t *testing.T) {
	members := make([]member, 40_000)
	for i := range members {
		members[i] = member{name: fmt.Sprintf("%d", i)}
	}
	_, _, err := read(archive(t, members...))
	if identify.KindOf(err) != identify.Invalid || !errors.Is(err, errDirectory) {
		t.Errorf("%v", err)
	}
}

func TestNPZBadText(t *testing.T) {
	e := array("embeddings.npy", "'<f4'", "(2, 3)", false, raw(t, le, twoRows))
	beyond := array("labels.npy", "'<U1'", "(2,)", false, raw(t, le, []uint32{'a', 0x110000}))
	_, rows, err := read(archive(t, e, beyond))
	if err != nil || rows[0].Problem != nil || rows[1].Problem == nil {
		t.Errorf("%+v, %v", rows, err)
	}
}

// sample is what the tests write.
func sample() Exemplars {
	vectors := [][]float32{{1, -2.5, math.SmallestNonzeroFloat32}, {3, 4, math.MaxFloat32}}
	return Exemplars{Dim: 3, Encoder: "sha256:abc", Labels: []string{"Käfer 🪲", "a"}, Taxa: []int64{7, 1_000_001}, Observations: []int64{5, -1},
		Vectors: func(visit func([]float32) error) error { return errors.Join(visit(vectors[0]), visit(vectors[1])) }}
}

func TestWriteNPZ(t *testing.T) {
	var file bytes.Buffer
	if err := WriteNPZ(&file, sample()); err != nil {
		t.Fatal(err)
	}
	z, rows, err := read(file.Bytes())
	if err != nil || z.Encoder() != "sha256:abc" || len(rows) != 2 {
		t.Fatalf("%+v, %v", rows, err)
	}
	want := []identify.EmbeddingRow{
		{Row: 0, Embedding: []float32{1, -2.5, math.SmallestNonzeroFloat32}, Label: "Käfer 🪲", Taxon: 7, Ref: "5"},
		{Row: 1, Embedding: []float32{3, 4, math.MaxFloat32}, Label: "a", Taxon: 1_000_001, Ref: "-1"},
	}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("%+v", rows)
	}
	other, err := npz.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var flat []float32
	var ids []int64
	if err := errors.Join(other.Read("embeddings.npy", &flat), other.Read("taxon_ids.npy", &ids)); err != nil ||
		!reflect.DeepEqual(flat, []float32{1, -2.5, math.SmallestNonzeroFloat32, 3, 4, math.MaxFloat32}) || !reflect.DeepEqual(ids, []int64{7, 1_000_001}) {
		t.Errorf("npyio reads %v, %v, %v", flat, ids, err)
	}
}

// NumPy opens what we write as it is, and we open what it writes.
func TestNPZWithNumPy(t *testing.T) {
	python, err := exec.LookPath("/usr/bin/python3")
	if err != nil || exec.Command(python, "-c", "import numpy").Run() != nil {
		t.Skip("skipped: no python3 with NumPy here (Debian: python3-numpy)")
	}
	dir := t.TempDir()
	ours, theirs := filepath.Join(dir, "ours.npz"), filepath.Join(dir, "theirs.npz")
	var file bytes.Buffer
	if err := WriteNPZ(&file, sample()); err != nil {
		t.Fatal(err)
	}
	writeTestFile(t, ours, file.Bytes())
	const script = `
import sys, numpy as np
z = np.load(sys.argv[1], allow_pickle=False)
assert sorted(z.files) == ['embeddings', 'encoder', 'labels', 'observation_ids', 'taxon_ids'], z.files
e = z['embeddings']
assert e.dtype == np.float32 and e.shape == (2, 3) and e[0, 2] == np.float32(1e-45) and e[1, 2] == np.finfo(np.float32).max, e
assert z['labels'].tolist() == ['Käfer 🪲', 'a'] and str(z['encoder']) == 'sha256:abc' and z['encoder'].shape == ()
assert z['taxon_ids'].dtype == np.int64 and z['taxon_ids'].tolist() == [7, 1000001] and z['observation_ids'].tolist() == [5, -1]
np.savez_compressed(sys.argv[2], embeddings=np.asfortranarray(e.astype('>f8')), labels=np.array(['ä', 'b']), encoder='x', taxon_ids=np.array([1, 2], 'u2'))
`
	if out, err := exec.Command(python, "-X", "utf8", "-c", script, ours, theirs).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	z, rows, err := read(readTestFile(t, theirs))
	if err != nil || z.Encoder() != "x" || len(rows) != 2 || rows[0].Label != "ä" || rows[1].Taxon != 2 ||
		!reflect.DeepEqual(rows[1].Embedding, []float32{3, 4, math.MaxFloat32}) {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestWriteNPZRefusesWhatDoesNotFit(t *testing.T) {
	for name, vectors := range map[string][][]float32{"too few": {{1, 2, 3}}, "too many": {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, "too short": {{1}, {2}}} {
		e := sample()
		e.Vectors = func(visit func([]float32) error) error {
			for _, v := range vectors {
				if err := visit(v); err != nil {
					return err
				}
			}
			return nil
		}
		if err := WriteNPZ(&bytes.Buffer{}, e); err == nil {
			t.Errorf("%s: it was written", name)
		}
	}
	if err := WriteNPZ(failing{}, sample()); !errors.Is(err, errFull) {
		t.Errorf("%v, want what the writer said", err)
	}
}
