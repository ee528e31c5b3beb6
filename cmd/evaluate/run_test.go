package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fieldmark/internal/protocol"
)

// tiny is a run of a second.
var tiny = []string{"run", "--synthetic", "2,1,3,8,4", "--dim", "16", "--system", "tree", "--system", "knn-wavg",
	"--protocols", "data,task", "--rules", "zero-shot,avg-emb,aim-emb"}

func tinyRun(t *testing.T, dir string, more ...string) (status int, stdout, stderr string) {
	t.Helper()
	return run(t, slices.Concat(tiny, []string{"--out", dir}, more)...)
}

func lines(t *testing.T, dir string) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, runFileName))
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(raw)))
}

// measured is the cells of a run's file without the seconds.
func measured(t *testing.T, lines []string) []protocol.Outcome {
	t.Helper()
	var out []protocol.Outcome
	for _, line := range lines[1:] {
		var o protocol.Outcome
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatal(err)
		}
		for i := range o.Rows {
			o.Rows[i].Cost = protocol.Cost{}
		}
		out = append(out, o)
	}
	return out
}

// A run that a crash cut off in the middle of a line goes on from the last whole
// one, comes to what the first came to, and measures nothing that is there anew.
func TestRunGoesOn(t *testing.T) {
	dir := t.TempDir()
	status, stdout, stderr := tinyRun(t, dir)
	if status != 0 || !strings.Contains(stdout, "orderings that the paper reports") {
		t.Fatalf("status %d, %s%s", status, stdout, stderr)
	}
	all := lines(t, dir)
	if len(all) != 1+2*2+2 {
		t.Fatalf("%d lines, want a header and two systems' cells of two tasks and of one order", len(all))
	}
	cut := strings.Join(all[:4], "") + all[4][:len(all[4])/2]
	if err := os.WriteFile(filepath.Join(dir, runFileName), []byte(cut), 0o666); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr = tinyRun(t, dir); status != 0 {
		t.Fatal(stderr)
	}
	again := lines(t, dir)
	if !slices.Equal(again[:4], all[:4]) {
		t.Error("the whole lines were not kept")
	}
	if !reflect.DeepEqual(measured(t, again), measured(t, all)) {
		t.Error("the resumed run comes to other figures")
	}
	if status, _, _ = tinyRun(t, dir, "--orders", "2"); status != 0 || len(lines(t, dir)) != len(all)+2 {
		t.Errorf("another order: status %d, %d lines after %d", status, len(lines(t, dir)), len(all))
	}
}

func TestRunRefuses(t *testing.T) {
	dir := t.TempDir()
	if status, _, stderr := tinyRun(t, dir); status != 0 {
		t.Fatal(stderr)
	}
	tests := []struct {
		args   []string
		status int
		says   string
	}{
		{slices.Concat(tiny, []string{"--out", dir, "--data-seed", "2"}), 1, "other tasks or embeddings"},
		{slices.Concat(tiny, []string{"--out", dir, "--bins", "5"}), 1, "other settings"},
		{tiny, 2, "--out"},
		{[]string{"run", "--out", dir}, 2, "either a manifest or --synthetic"},
		{[]string{"run", "--out", dir, "--synthetic", "1,2,3"}, 2, "five numbers"},
		{[]string{"run", "--out", dir, "--synthetic", "1,0,3,0,5"}, 2, "at least 1"},
		{[]string{"run", "--out", dir, "--system", "forest"}, 2, "choose one of tree"},
		{[]string{"run", "--out", dir, "--rules", "near,near"}, 2, "twice"},
		{[]string{"run", "--out", dir, "--protocols", "flexible"}, 2, "comes with"},
		{[]string{"run", "--out", dir, "--synthetic", "1,0,3,4,5", "--orders", "0"}, 2, "at least 1"},
		{[]string{"run", "--out", dir, "nowhere.toml"}, 1, "nowhere.toml"},
	}
	for _, tt := range tests {
		if status, _, stderr := run(t, tt.args...); status != tt.status || !strings.Contains(stderr, tt.says) {
			t.Errorf("%v: status %d, want %d; %q does not say %q", tt.args, status, tt.status, stderr, tt.says)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, runFileName), []byte("a poem\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := tinyRun(t, dir); status != 1 || !strings.Contains(stderr, "not a line of a run") {
		t.Errorf("a file of something else: status %d, %q", status, stderr)
	}
}

// A run that is stopped says how to go on.
func TestRunStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs strings.Builder
	p := program{stdout: &out, stderr: &errs, workers: 1}
	status := p.Run(ctx, slices.Concat(tiny, []string{"--out", t.TempDir()}))
	if status != 1 || !strings.Contains(errs.String(), "the same command goes on from there") {
		t.Errorf("status %d, %q", status, errs.String())
	}
}

// The tasks of a manifest: the reference pack as one target task.
func TestRunOnAPack(t *testing.T) {
	pack, err := filepath.Abs(shared("reference"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(pack); err != nil {
		t.Skipf("no reference pack beside the repository: %v", err)
	}
	dir := t.TempDir()
	manifest := filepath.Join(dir, "foods.toml")
	if err := os.WriteFile(manifest, []byte("[[task]]\nname = \"foods\"\npack = \""+pack+"\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := run(t, "run", "--out", dir, "--system", "knn-wavg", "--protocols", "task", "--rules", "zero-shot,aim-emb", manifest)
	if status != 0 || !strings.Contains(stdout, "KNN, WAVG") {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
}
