package exchange

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"testing"

	"fieldmark/internal/identify"
)

// Own data has a row for each observation, named or not, each photo once, and a row for
// each name that was given.
func TestOwnData(t *testing.T) {
	var out bytes.Buffer
	src := someRecords()
	if err := WriteOwnData(t.Context(), &out, map[string]string{"name": "Ann"}, src, src); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	var account struct{ Name string }
	if err := json.Unmarshal(files["account.json"], &account); err != nil || account.Name != "Ann" {
		t.Errorf("%s, %v", files["account.json"], err)
	}
	rows, err := csv.NewReader(bytes.NewReader(files["observations.csv"])).ReadAll()
	if err != nil || len(rows) != 1+len(src.records) || slices.Contains(rows[0], "identified_by") || rows[0][0] != "observation_id" || rows[1][0] != "7" {
		t.Errorf("%v, %v", rows, err)
	}
	said, err := csv.NewReader(bytes.NewReader(files["identifications.csv"])).ReadAll()
	names, photos := 0, map[identify.PhotoHash]bool{}
	for _, r := range src.records {
		names += len(r.Identifications)
		if r.Photo.HasFile() {
			photos[r.Photo.Hash] = true
		}
	}
	if err != nil || len(said) != 1+names {
		t.Errorf("%d rows of %d, %v", len(said), names, err)
	}
	if len(files) != 3+len(photos) {
		t.Errorf("%d files, %d photos", len(files), len(photos))
	}
}
