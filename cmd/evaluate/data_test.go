package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// photosByClass writes four drawn photos of each of two classes, and a manifest.
func photosByClass(t *testing.T) (manifest string) {
	t.Helper()
	dir := t.TempDir()
	for c, class := range []string{"robin", "wren"} {
		if err := os.MkdirAll(filepath.Join(dir, "photos", class), 0o777); err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			img := image.NewRGBA(image.Rect(0, 0, 32, 32))
			for at := range 32 * 32 {
				img.SetRGBA(at%32, at/32, color.RGBA{uint8(200 * c), uint8(40 * i), uint8(at % 32 * 8), 255})
			}
			var file bytes.Buffer
			if err := png.Encode(&file, img); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "photos", class, string(rune('a'+i))+".png"), file.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	manifest = filepath.Join(dir, "birds.toml")
	if err := os.WriteFile(manifest, []byte("[[task]]\nname = \"birds\"\nphotos = \"photos\"\ntest_every = 2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return manifest
}

// A data set is embedded once by the built-in encoder, run through a protocol,
// and reported; a report can be written anew from what the run left.
func TestDataRunReport(t *testing.T) {
	manifest := photosByClass(t)
	cache, out := filepath.Join(t.TempDir(), "cache"), filepath.Join(t.TempDir(), "out")
	call := func(args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if status := (program{stdout: &stdout, stderr: &stderr, workers: 1}).Run(t.Context(), args); status != 0 {
			t.Fatalf("%q ended with %d: %s", args, status, stderr.String())
		}
		return stdout.String()
	}
	if text := call("data", "--cache", cache, manifest); !strings.Contains(text, "8 photos were embedded now") || !strings.Contains(text, "fieldmark-1") {
		t.Errorf("first: %s", text)
	}
	if text := call("data", "--cache", cache, manifest); !strings.Contains(text, "0 photos were embedded now") {
		t.Errorf("again: %s", text)
	}
	text := call("run", "--cache", cache, "--out", out, "--protocols", "task,log", "--system", "tree", "--rules", "zero-shot,aim-emb,near", manifest)
	for _, name := range []string{"report.html", "report.txt", "result.json", "rows.jsonl", "tables/task-incremental.csv", "plots/log-accuracy.svg", "plots/log-accuracy.png"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if again := call("report", "--out", t.TempDir(), filepath.Join(out, "result.json")); again != text {
		t.Errorf("the report differs when it is written anew:\n%s\nwant\n%s", again, text)
	}
}

func TestDataRefusals(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "result.json")
	if err := os.WriteFile(empty, []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		args []string
		want string
	}{
		{[]string{"data"}, "give one manifest"},
		{[]string{"data", filepath.Join(t.TempDir(), "none.toml")}, "no such file"},
		{[]string{"data", "--model", "none-such", photosByClass(t)}, `no encoder "none-such"`},
		{[]string{"report"}, "result.json"},
		{[]string{"report", empty}, "has no rows"},
	} {
		var stdout, stderr bytes.Buffer
		if status := (program{stdout: &stdout, stderr: &stderr, workers: 1}).Run(t.Context(), x.args); status == 0 || !strings.Contains(stderr.String(), x.want) {
			t.Errorf("%q ended with %d: %s; want %q", x.args, status, stderr.String(), x.want)
		}
	}
}

func TestMeter(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(0, 0)
	m := meter{out: &out, now: func() time.Time { return now }}
	for _, done := range []int{10, 20, 30, 110} {
		m.tell("photos", done, 110)
		now = now.Add(600 * time.Millisecond)
	}
	// 20 is told too soon after 10; by 30, 20 took 1.2 s, so 80 will take 4.8 s.
	want := "photos: 10 of 110\nphotos: 30 of 110, 5s left\nphotos: 110 of 110\n"
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
