package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fieldmark/internal/protocol"
	"fieldmark/internal/report"
)

var update = flag.Bool("update", false, "write the golden files in testdata anew")

// The figures of real photos by the built-in encoder do not change unnoticed,
// whatever changes them: the encoder, decoding, learning, fusion. go test
// ./cmd/evaluate -run Golden -update writes them anew. Another processor may differ
// by the photos that hang on the last bit.
func TestGoldenSmallSet(t *testing.T) {
	if raceEnabled {
		t.Skip("embedding is long under the race detector: it runs without it too")
	}
	for _, pack := range []string{"photos-a.tar.gz", "photos-c.tar.gz"} {
		if _, err := os.Stat(shared("training", pack)); err != nil {
			t.Skipf("no photos beside the repository (../shared/data/training), so that nothing guards the small set's figures: %v", err)
		}
	}
	out := t.TempDir()
	status, _, stderr := run(t, "run", "--out", out, "--cache", t.TempDir(), "--system", "tree", "--system", "tree,psi=60", "--system", "knn-wavg",
		"--protocols", "data,class,task,log", "--rules", "zero-shot,avg-emb,aim-emb,near", "--long-tail-rule=false", "--fractions", "0.1,0.5,1",
		"--log-limit", "60", "--log-window", "30", filepath.Join("testdata", "golden.toml"))
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	data, err := os.ReadFile(filepath.Join(out, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	var d report.Document
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	got, file := figures(d), filepath.Join("testdata", "golden.txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the figures changed (-update accepts them); got\n%s\nwant\n%s", got, want)
	}
}

// figures are a line for each protocol, system and rule: the percentages right on
// target and zero-shot tasks after every stage.
func figures(d report.Document) string {
	var b strings.Builder
	for _, t := range d.About.Tasks {
		fmt.Fprintf(&b, "%s: %d classes, %d taught, %d asked\n", t.Name, t.Classes, t.Train, t.Test)
	}
	var order []string
	lines := map[string]string{}
	for _, p := range d.Summary {
		of := fmt.Sprintf("%s, %s, %s, %s:", p.Protocol, p.Candidates, p.System, p.Rule)
		if lines[of] == "" {
			order = append(order, of)
		}
		lines[of] += fmt.Sprintf(" %s/%s", figureOf(p.Target), figureOf(p.ZeroShot))
	}
	for _, of := range order {
		fmt.Fprintln(&b, of+lines[of])
	}
	return b.String()
}

func figureOf(f *protocol.Figure) string {
	if f == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f", 100*f.Mean)
}
