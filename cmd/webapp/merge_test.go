package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"fieldmark/web/api"
)

// A bundle is looked at, as text and as JSON, decided about by group, and taken in.
func TestMergeCommand(t *testing.T) {
	dir := t.TempDir()
	a, b, out := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "lab-a.fieldmark")
	// The same five embeddings, so the same photos, of which two have other names there.
	wants(t, 0, []string{"5 exemplars taught"}, "import", npzFile(t, t.TempDir(), "", "Luna Moth", "Great Tit", "Red Fox", "Velvet Moss", "Pond Wanderer"), "--data", a, "--encoder", "current", "--yes")
	wants(t, 0, []string{"3 exemplars taught"}, "import", npzFile(t, t.TempDir(), "", "Luna Moth", "Blue Tit", "Gray Wolf"), "--data", b, "--encoder", "current", "--yes")
	wants(t, 0, []string{"5 exemplars, signed by"}, "export", "--data", a, "--format", "bundle", "--out", out)

	preview := func(args ...string) (p api.MergePlan) {
		t.Helper()
		code, text, errs := webapp(t, append([]string{"import", out, "--data", b, "--preview", "--json"}, args...)...)
		if code != 0 {
			t.Fatalf("%q: status %d: %s", args, code, errs)
		}
		must(t, json.Unmarshal([]byte(text), &p))
		return p
	}
	p := preview()
	if p.Rows != 5 || p.New != 2 || p.Known != 1 || p.Take != 4 || len(p.Conflicts) != 2 || len(p.Unknown) != 2 || p.Signer != "" {
		t.Fatalf("%+v", p)
	}
	one, moss := p.Conflicts[0], p.Unknown[0]
	if moss.Name != "Velvet Moss" {
		moss = p.Unknown[1]
	}
	wants(t, 0, []string{"lab-a.fieldmark: 5 exemplars of", "a key that nobody here knows", "2 new, 1 known already", one.Key + ": " + one.Theirs + " there, " + one.Ours + " here, of the same photo: 1; both will stand",
		fmt.Sprintf("%d: new name: Velvet Moss, 1 row: becomes a taxon here", moss.ID), "4 would be taught"}, "import", out, "--data", b, "--preview")
	is := fmt.Sprintf("%d:", moss.ID)
	for _, c := range []struct {
		args []string
		take int
	}{
		{[]string{"--leave-new"}, 2},
		{[]string{"--leave", "photo", "--take", one.Key}, 3},
		{[]string{"--taxa", "leave", "--taxa", is + "Blue Tit"}, 3},
	} {
		if p := preview(c.args...); p.Take != c.take {
			t.Errorf("%q: %d would be taught, want %d", c.args, p.Take, c.take)
		}
	}
	wants(t, 2, []string{"--leave", "no group", "lists their keys"}, "import", out, "--data", b, "--leave", "photo-1-1")
	wants(t, 2, []string{"--taxa", "is no decision"}, "import", out, "--data", b, "--taxa", "Velvet Moss")
	wants(t, 2, []string{"--json", "--preview"}, "import", out, "--data", b, "--json", "--yes")
	wants(t, 2, []string{"--preview", "--yes"}, "import", out, "--data", b, "--preview", "--yes")
	wants(t, 2, []string{"about a bundle"}, "import", "photos.zip", "--data", b, "--leave-new")
	wants(t, 0, []string{"2 would be taught", "import 2: 2 exemplars taught"}, "import", out, "--data", b, "--leave", one.Key, "--taxa", is+"leave", "--yes")
	wants(t, 1, []string{"was taken in on"}, "import", out, "--data", b, "--preview")

	whole, err := os.ReadFile(out)
	must(t, err)
	cut := filepath.Join(dir, "cut.fieldmark")
	must(t, os.WriteFile(cut, whole[:len(whole)/2], 0o600))
	wants(t, 1, []string{"cut.fieldmark", "no bundle"}, "import", cut, "--data", b, "--preview")
}
