package protocol

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files in testdata anew")

// compareGolden fails with the lines that differ.
func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(raw), "\n")
	if len(g) != len(w) {
		t.Fatalf("%d lines, want %d (-update accepts them)", len(g), len(w))
	}
	for i := range g {
		if g[i] != w[i] {
			t.Errorf("line %d: got %s\nwant %s (-update accepts it)", i+1, g[i], w[i])
		}
	}
}
