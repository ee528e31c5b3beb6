package main

import (
	"archive/zip"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fieldmark/internal/exchange"
	"fieldmark/internal/identify"
)

// exportable makes a data folder with two observations, one of them named.
func exportable(t *testing.T) string {
	t.Helper()
	data, ctx := t.TempDir(), context.Background()
	st, err := openStore(ctx, data)
	must(t, err)
	owner, err := st.Owner(ctx)
	must(t, err)
	must(t, st.RegisterEncoder(ctx, identify.EncoderInfo{Name: "test", Digest: "sha256:test", Dim: 2}))
	at := time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)
	for k, hash := range []string{strings.Repeat("a", 64), strings.Repeat("b", 64)} {
		o, err := st.AddObservation(ctx, identify.NewObservation{Photo: identify.Photo{Hash: identify.PhotoHash(hash), MediaType: "image/jpeg", CreatedAt: at},
			Embedding: []float32{1, 2}, Encoder: "sha256:test", Observer: owner.ID, At: at})
		must(t, err)
		if k == 0 {
			_, _, err = st.Teach(ctx, identify.NewIdentification{Observation: o.ID, Local: "Velvet Moss", User: owner.ID, At: at})
			must(t, err)
		}
	}
	must(t, st.Close())
	return data
}

func TestExportCommand(t *testing.T) {
	data, dir := exportable(t), t.TempDir()
	export := func(args ...string) (code int, out, errs string) {
		var stdout, stderr strings.Builder
		code = run(context.Background(), append([]string{"export", "--data", data}, args...), &stdout, &stderr)
		return code, stdout.String(), stderr.String()
	}
	code, out, errs := export("--taxon", "Velvet Moss", "--state", "standing")
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if code != 0 || err != nil || len(rows) != 2 || !strings.Contains(out, "Velvet Moss") {
		t.Errorf("%d: %q, %s, %v", code, out, errs, err)
	}
	if code, out, _ := export("--state", "withdrawn"); code != 0 || strings.Count(out, "\n") != 1 {
		t.Errorf("%d: what was withdrawn: %q", code, out)
	}
	if code, out, _ := export("--preview"); code != 0 || !strings.Contains(out, "2 observations, 1 identification, 0 exemplars") || !strings.Contains(out, "parquet") {
		t.Errorf("%d: %q", code, out)
	}

	file := filepath.Join(dir, "x.zip")
	if code, _, errs := export("--format", "dwca", "--out", file); code != 0 {
		t.Fatalf("%d: %s", code, errs)
	}
	z, err := zip.OpenReader(file)
	must(t, err)
	must(t, z.Close())
	before, err := os.ReadFile(file)
	must(t, err)
	if code, _, errs := export("--format", "csv", "--out", file); code != 1 || !strings.Contains(errs, "--force") {
		t.Errorf("%d: %s", code, errs)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Error("a file that is there was changed")
	}
	if code, _, errs := export("--format", "csv", "--out", file, "--force"); code != 0 {
		t.Errorf("%d: %s", code, errs)
	}
	for _, wrong := range [][]string{{"--format", "pdf"}, {"--from", "May"}, {"--near", "48"}, {"--photos", "some"}, {"stray"}} {
		if code, _, errs := export(wrong...); code != 2 || errs == "" {
			t.Errorf("%q: %d, %s", wrong, code, errs)
		}
	}
	if code, _, errs := export("--taxon", "Yeti"); code != 1 || !strings.Contains(errs, "--taxon") {
		t.Errorf("%d: %s", code, errs)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".export-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// A file that cannot be written whole, or that its check finds fault with, is not
// there.
func TestWriteFileIsWholeOrNotThere(t *testing.T) {
	dir := t.TempDir()
	broken := errors.New("broken")
	good := func(w io.Writer) error { _, err := io.WriteString(w, "half"); return err }
	for name, err := range map[string]error{
		"the source": writeFile(filepath.Join(dir, "x"), false, func(w io.Writer) error { return errors.Join(good(w), broken) }, nil),
		"the check":  writeFile(filepath.Join(dir, "x"), false, good, func(io.ReaderAt, int64) error { return broken }),
	} {
		if !errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := writeFile(filepath.Join(dir, "y"), false, good, exchange.CheckDwCA); err == nil {
		t.Error("what is no archive passed for one")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
