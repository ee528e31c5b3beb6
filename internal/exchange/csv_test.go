package exchange

import (
	"bytes"
	"encoding/csv"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"fieldmark/internal/identify"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// rows visits two identifications of one observation that has everything, and
// one of an observation that has nothing.
func rows(visit func(identify.Observation, identify.Identification, identify.Taxon) error) error {
	at := time.Date(2026, 5, 3, 7, 30, 0, 0, time.FixedZone("", 7200))
	withdrawn := at.Add(time.Hour).UTC()
	lat, lon := -12.3, 0.000001
	sparrow := identify.Taxon{ID: 4, ScientificName: "Passer domesticus", EnglishName: "House Sparrow", Rank: "species", Group: "birds"}
	full := identify.Observation{
		ID: 7, ObserverName: "Ann", ObservedAt: &at, Latitude: &lat, Longitude: &lon, CreatedAt: at.UTC(),
		License: "CC-BY-4.0", RightsHolder: `Ann "A." O'Hara, Ltd`, Notes: "=HYPERLINK(\"http://x\")\nsecond line",
		Photo:        identify.Photo{Hash: "abc", MediaType: "image/jpeg", Width: 640, Height: 480},
		Suggested:    []identify.Suggestion{{Taxon: 5, Label: "Tree Sparrow", Probability: 0.25}, {Taxon: 4, Label: "House Sparrow", Probability: 0.2}},
		SuggestedSeq: 3,
	}
	local := identify.Taxon{ID: identify.FirstLocalTaxon, ScientificName: "@Möwe", Rank: identify.RankUnranked, Local: true}
	return errors.Join(
		visit(full, identify.Identification{ID: 2, Taxon: 4, UserName: "Ann", CreatedAt: at.UTC(), FromSuggestion: true}, sparrow),
		visit(full, identify.Identification{ID: 1, Taxon: 4, UserName: "-Bob", CreatedAt: at.UTC(), WithdrawnAt: &withdrawn}, sparrow),
		visit(identify.Observation{ID: 1, CreatedAt: at.UTC()}, identify.Identification{ID: 3, Taxon: local.ID, CreatedAt: at.UTC()}, local),
	)
}

func TestWriteCSV(t *testing.T) {
	var got bytes.Buffer
	if err := WriteCSV(&got, rows); err != nil {
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
	if err != nil || len(read) != 4 {
		t.Fatalf("%d rows, %v", len(read), err)
	}
	for name, want := range map[string]string{
		"latitude": "-12.3", "longitude": "0.000001", "observed_at": "2026-05-03T07:30:00+02:00",
		"notes": "'=HYPERLINK(\"http://x\")\nsecond line", "identified_by": "'-Bob", "withdrawn_at": "2026-05-03T06:30:00Z",
	} {
		for k, column := range read[0] {
			if column == name && read[2][k] != want {
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
		err := WriteCSV(&out, func(visit func(identify.Observation, identify.Identification, identify.Taxon) error) error {
			return visit(identify.Observation{Notes: notes}, identify.Identification{}, identify.Taxon{})
		})
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

func TestWriteCSVFails(t *testing.T) {
	broken := errors.New("broken")
	err := WriteCSV(&bytes.Buffer{}, func(func(identify.Observation, identify.Identification, identify.Taxon) error) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("%v, want what the source said", err)
	}
	if err := WriteCSV(failing{}, rows); !errors.Is(err, errFull) {
		t.Errorf("%v, want what the writer said", err)
	}
}

var errFull = errors.New("disk full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }
