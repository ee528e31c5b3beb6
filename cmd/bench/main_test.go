package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// All stages at a size that takes seconds, without peers: every row is measured,
// what is missing is said, and the document names no place on this machine.
func TestATinyRun(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "bench.md")
	args := []string{"--exemplars", "500", "--leaf", "300", "--parity", "100", "--dim", "16", "--labels", "4", "--held-out", "50", "--corrections", "5",
		"--queries", "20", "--slow", "200", "--import", "100", "--scale", "80", "--psis", "20", "--widths", "16,64", "--peers", "coder", "--workers", "2", "--out", out}
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), args, &stdout, &stderr); code != 0 {
		t.Fatalf("status %d: %s%s", code, &stdout, &stderr)
	}
	document, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	text := string(document)
	for _, want := range []string{
		"cold fit to the optimum, ψ = 300, K = 4 |", "5 strokes alone: same top-1", "recall of the nine nearest, of 500 |", "coder/hnsw",
		"scikit-learn cold: missing (not asked)", "hnswlib-native: missing (not asked)", "faiss: missing (not asked)",
		"correction → new version answers, p95, N = 500", "memory per exemplar, all in, N = 500", "start from its snapshot", "start from the log",
		"rows taken in, 100 rows", "one correction, the median, at 500 exemplars", "growth.svg",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the document lacks %q", want)
		}
	}
	if strings.Contains(text, dir) || strings.Contains(text, "did not come to its end") {
		t.Errorf("the document:\n%s", text)
	}
	if !strings.Contains(stdout.String(), "recall of the nine nearest, of 500") {
		t.Error("nothing is printed")
	}
	for _, name := range []string{"growth.svg", "growth.png"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCommandLinesThatCannotBeUnderstood(t *testing.T) {
	for _, args := range [][]string{{"nonsense"}, {"--labels", "none"}, {"--leaf", "0"}, {"--widths", "-1"}, {"--no-such-flag"}} {
		var stderr bytes.Buffer
		if code := run(t.Context(), args, &bytes.Buffer{}, &stderr); code != 2 || stderr.Len() == 0 {
			t.Errorf("%q: status %d, said %q", args, code, &stderr)
		}
	}
}

// A peer is a program that prints a JSON object a line.
func TestPeersAreAskedAndMayBeMissing(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "peer")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"+
		`case "$2" in *gone) echo '{"missing":"no module"}';; *slow) echo '{"what":"warm","seconds":0.5}'; exec sleep 60;; *bad) echo failed >&2; exit 3;; *) echo '{"peer":"p","what":"build","per_second":12.5}';`+
		` echo "{\"what\":\"search\",\"ef\":$4,\"recall\":0.5}";; esac`+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := peers{wanted: []string{hnswWheel}, python: script, script: "x", patience: time.Minute}
	ask := func(peer, what string) ([]found, error) { return p.ask(context.Background(), peer, what, dir, 1, 64) }
	list, err := ask(hnswWheel, "hnswlib")
	if err != nil || len(list) != 2 || list[0].PerSecond != 12.5 || list[1].Width != 64 || list[1].Recall != .5 {
		t.Errorf("%+v, %v", list, err)
	}
	var m errMissing
	if _, err := ask(hnswWheel, "gone"); !errors.As(err, &m) || missing(err) != "no module" {
		t.Errorf("a missing module: %v", err)
	}
	if _, err := ask(hnswWheel, "bad"); err == nil || errors.As(err, &m) || !strings.Contains(missing(err), "failed") {
		t.Errorf("a failure: %v", err)
	}
	p.patience = 500 * time.Millisecond
	list, err = ask(hnswWheel, "slow")
	if !errors.As(err, new(errSlow)) || len(list) != 1 || list[0].What != "warm" {
		t.Errorf("a slow peer: %+v, %v", list, err)
	}
	if _, err := ask(faissPeer, "faiss"); missing(err) != "not asked" {
		t.Errorf("not asked: %v", err)
	}
	p.python = filepath.Join(dir, "nothing")
	if _, err := ask(hnswWheel, "hnswlib"); missing(err) != "no nothing on this machine" {
		t.Errorf("no interpreter: %v", err)
	}
}
