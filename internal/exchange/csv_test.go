package exchange

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"fieldmark/internal/identify"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestWriteCSV(t *testing.T) {
	var got bytes.Buffer
	if err := WriteCSV(t.Context(), &got, someRecords()); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "identifications.csv")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("differs from %s (run with -update if that is meant):\n%s", golden, got.String())
	}
	read, err := csv.NewReader(&got).ReadAll()
	if err != nil || len(read) != 6 {
		t.Fatalf("%d rows, %v", len(read), err)
	}
	for name, want := range map[string]string{
		"latitude": "-12.3", "longitude": "0.000001", "observed_at": "2026-05-03T07:30:00+02:00",
		"notes": "'=HYPERLINK(\"http://x\")\nsecond line", "identified_by": "'-Bob", "withdrawn_at": "2026-05-03T06:30:00Z",
		"scientific_name": "Passer montanus", "current_scientific_name": "Passer domesticus", "is_current": "false", "import_row": "12",
	} {
		for k, column := range read[0] {
			if column == name && read[1][k] != want {
				t.Errorf("%s is %q, want %q", name, read[2][k], want)
			}
		}
	}
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"":                 "",
		"House Sparrow":    "House Sparrow",
		"=1+1":             "'=1+1",
		"+49 89 1":         "'+49 89 1",
		"-12.3":            "-12.3",
		"+7":               "+7",
		"-12.3.4":          "'-12.3.4",
		"-1e5+cmd|' /C'!A": "'-1e5+cmd|' /C'!A",
		"-":                "'-",
		"@SUM(A1)":         "'@SUM(A1)",
		"＝1+1":             "'＝1+1",
		"\t=1":             "'\t=1",
		"\r=1":             "'\r=1",
		"a=1":              "a=1",
		"'=1":              "'=1",
		"bad \xff":         "bad \uFFFD",
	} {
		if got := text(in); got != want {
			t.Errorf("text(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{"=1", "-12.3", "\r\n=", "a,\"b\"\n", "\xff=", "+\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, notes string) {
		var out bytes.Buffer
		record := identify.Record{Observation: identify.Observation{Notes: notes, Identifications: []identify.Identification{{}}}}
		err := WriteCSV(t.Context(), &out, fakeSource{records: []identify.Record{record}})
		if err != nil || !utf8.Valid(out.Bytes()) {
			t.Fatalf("%v, valid UTF-8 %v", err, utf8.Valid(out.Bytes()))
		}
		read, err := csv.NewReader(&out).ReadAll()
		if err != nil || len(read) != 2 || len(read[1]) != len(columns()) {
			t.Fatalf("%q makes %q (%v)", notes, out.String(), err)
		}
		for _, cell := range read[1] {
			if cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) && !plainNumber.MatchString(cell) {
				t.Errorf("%q makes a cell %q that could be a formula", notes, cell)
			}
		}
	})
}

// brokenSource fails at its second record.
type brokenSource struct{ fakeSource }

var errBroken = errors.New("broken")

func (f brokenSource) Each(_ context.Context, visit func(identify.Record) error) error {
	return errors.Join(visit(f.records[0]), errBroken)
}

func TestWritersFail(t *testing.T) {
	for name, write := range map[string]func(io.Writer, Source) error{
		"csv":      func(w io.Writer, src Source) error { return WriteCSV(t.Context(), w, src) },
		"dwca":     func(w io.Writer, src Source) error { return WriteDwCA(t.Context(), w, src, someDataset(true)) },
		"coco":     func(w io.Writer, src Source) error { return WriteCOCO(t.Context(), w, src, someDataset(true)) },
		"fiftyone": func(w io.Writer, src Source) error { return WriteFiftyOne(t.Context(), w, src, someDataset(true)) },
	} {
		if err := write(io.Discard, brokenSource{someRecords()}); !errors.Is(err, errBroken) {
			t.Errorf("%s: %v, want what the source said", name, err)
		}
		if err := write(failing{}, someRecords()); !errors.Is(err, errFull) {
			t.Errorf("%s: %v, want what the writer said", name, err)
		}
	}
}

var errFull = errors.New("disk full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }
