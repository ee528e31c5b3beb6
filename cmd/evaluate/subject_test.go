package main

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"fieldmark/internal/protocol"
	"fieldmark/internal/report"
)

// embedded writes tasks as NumPy's files, as an encoder of dim numbers would leave
// them, and a manifest of that name; zeroShot is the zero-shot task's.
func embedded(t *testing.T, name string, dim int, zeroShot string) (manifest string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	array := func(name string, rows [][]float32) {
		head := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", len(rows), dim)
		head += strings.Repeat(" ", 63-(10+len(head))%64) + "\n"
		b := bytes.NewBufferString("\x93NUMPY\x01\x00")
		for _, v := range append([]any{uint16(len(head)), []byte(head)}, rowsOf(rows)...) {
			if err := binary.Write(b, binary.LittleEndian, v); err != nil {
				t.Fatal(err)
			}
		}
		write(name, b.Bytes())
	}
	text := "encoder = \"" + name + "'s\"\n"
	for i, task := range protocol.Synthetic(protocol.Shape{Dim: dim, Targets: 2, ZeroShotTasks: 1, Classes: 4, Train: 8, Test: 6}, 3).Tasks {
		of := func(s protocol.Split) string {
			var b strings.Builder
			for _, y := range s.Labels {
				fmt.Fprintln(&b, task.Classes[y])
			}
			return b.String()
		}
		if task.ZeroShot {
			task.Name = zeroShot
		}
		text += fmt.Sprintf("[[task]]\nname = %q\nzero_shot = %v\ntest = \"%d.npy\"\ntest_labels = \"%d.txt\"\ntexts = \"%d-texts.npy\"\ntext_labels = \"%d-texts.txt\"\n", task.Name, task.ZeroShot, i, i, i, i)
		array(fmt.Sprintf("%d.npy", i), task.Test.Vectors)
		write(fmt.Sprintf("%d.txt", i), []byte(of(task.Test)))
		array(fmt.Sprintf("%d-texts.npy", i), task.Texts)
		write(fmt.Sprintf("%d-texts.txt", i), []byte(strings.Join(task.Classes, "\n")))
		if !task.ZeroShot {
			text += fmt.Sprintf("train = \"%d-train.npy\"\ntrain_labels = \"%d-train.txt\"\n", i, i)
			array(fmt.Sprintf("%d-train.npy", i), task.Train.Vectors)
			write(fmt.Sprintf("%d-train.txt", i), []byte(of(task.Train)))
		}
	}
	write(name+".toml", []byte(text))
	return filepath.Join(dir, name+".toml")
}

func rowsOf(rows [][]float32) []any {
	var out []any
	for _, r := range rows {
		out = append(out, r)
	}
	return out
}

// Two encoders' embeddings of the same tasks are run apart and shown side by side;
// what was measured is not measured again when a third joins them.
func TestEncodersSideBySide(t *testing.T) {
	out := t.TempDir()
	args := []string{"run", "--out", out, "--system", "tree", "--system", "knn-wavg", "--protocols", "task,class", "--rules", "zero-shot,aim-emb,near",
		embedded(t, "large", 24, "others"), embedded(t, "small", 12, "others")}
	status, stdout, stderr := run(t, args...)
	if status != 0 || !strings.Contains(stdout, "by 2 encoders") {
		t.Fatalf("status %d: %s%s", status, stdout, stderr)
	}
	for _, name := range []string{"report.html", "report.txt", "plots/task-encoders-target.svg", "large/report.html", "large/rows.jsonl", "small/result.json"} {
		if info, err := os.Stat(filepath.Join(out, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	file, err := os.Open(filepath.Join(out, "tables", "task-encoders.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(file).ReadAll()
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil || len(rows) != 1+2*5 { // zero-shot; two systems by two rules
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, name := range []string{"large", "small"} {
		var d report.Document
		data, err := os.ReadFile(filepath.Join(out, name, "result.json"))
		if err != nil || json.Unmarshal(data, &d) != nil || d.About.Encoder != name+"'s" {
			t.Fatalf("%s: encoder %q, %v", name, d.About.Encoder, err)
		}
		p := protocol.Last(d.Summary)[1] // of the tree by aim-emb
		found := false
		for _, r := range rows {
			v, _ := strconv.ParseFloat(r[3], 64)
			found = found || r[0] == name && r[1] == "TreeProbe (50k)" && r[2] == string(p.Rule) && math.Abs(v-100*p.Target.Mean) < 1e-5
		}
		if !found {
			t.Errorf("%s, %s: %g is in no row of %q", name, p.Rule, 100*p.Target.Mean, rows)
		}
	}
	before, err := os.ReadFile(filepath.Join(out, "large", "rows.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if status, stdout, stderr := run(t, append(args, embedded(t, "third", 8, "others"))...); status != 0 || !strings.Contains(stdout, "by 3 encoders") {
		t.Fatalf("status %d: %s%s", status, stdout, stderr)
	}
	if after, err := os.ReadFile(filepath.Join(out, "large", "rows.jsonl")); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the first encoder was measured again: %v", err)
	}
}

func TestEncodersRefused(t *testing.T) {
	one, other := embedded(t, "one", 8, "others"), embedded(t, "other", 8, "different")
	for _, x := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{one, one}, 2, `two encoders are named "one"`},
		{[]string{"--model", "a", "--model", "b", one, other}, 2, "a manifest for each"},
		{[]string{"--model", "a", "--model", "x/a", one}, 2, `two encoders are named "a"`},
		{[]string{"--synthetic", "1,0,3,4,5", "--model", "a"}, 2, "need no --model"},
		{[]string{one, other}, 1, "only runs of the same tasks can stand side by side"},
	} {
		args := append([]string{"run", "--out", t.TempDir(), "--system", "knn-mv", "--protocols", "task", "--rules", "exemplar"}, x.args...)
		if status, _, stderr := run(t, args...); status != x.status || !strings.Contains(stderr, x.want) {
			t.Errorf("%q: status %d, %s; want %q", x.args, status, stderr, x.want)
		}
	}
}
